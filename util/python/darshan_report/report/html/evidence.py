"""The section of the page with all findings, each with its evidence and links to files and
datasets."""

from __future__ import annotations

from collections.abc import Mapping

from ...diagnose.finding import FACT, GOOD, NOTICE, PROBLEM, Evidence, Finding
from ...diagnose.reference import counter, is_link
from ...tables import module_by_name
from ..context import Context
from ..sections.findings import thresholds, value
from .blocks import part
from .shell import text

_KINDS = {PROBLEM: "Problem", NOTICE: "Notice", FACT: "Fact", GOOD: "Good"}

Links = Mapping[int, str]  # from a record's id to the name of its page


def _evidence(finding: Finding, links: Links) -> str:
    if not finding.evidence:
        return ""
    rows = []
    for e in finding.evidence:
        record = text(e.record) if e.record else "(sum over all)"
        page = links.get(e.id) if e.id is not None else None
        if page:
            record = f'<a href="#{page}">{record}</a>'
        rows.append(
            f'<tr><td>{text(e.module)}</td><td class="code">{record}</td>'
            f'<td class="code">{_counter(e)}</td><td class="right">{text(value(e))}</td></tr>'
        )
    return (
        '<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">Module</th>'
        '<th scope="col">Record</th><th scope="col">Counter</th>'
        '<th scope="col" class="right">Value</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _finding(context: Context, name: str, finding: Finding, links: Links) -> str:
    at = context.at_stake(finding)
    basis = f" Estimate: {finding.stake.basis}." if finding.stake.basis else ""
    parts = [
        f'<div class="finding {finding.kind}" id="{name}">',
        f"<h3>{_KINDS[finding.kind]}: {text(finding.title)}</h3>",
        f"<p>{text(finding.sentence)}</p>",
    ]
    if where := context.where(finding):
        parts.append(f'<p class="at-line">{text(where)}</p>')
    if at:
        parts.append(f"<p><b>At stake:</b> {text(at)}.{text(basis)}</p>")
    if finding.remedy.text:
        parts.append(f"<p><b>Remedy:</b> {text(finding.remedy.text)}</p>")
    if finding.remedy.example:
        parts.append(f"<pre>{text_lines(finding.remedy.example)}</pre>")
    parts += [f"<p><b>Tried:</b> {text(one)}</p>" for one in context.tried(finding)]
    parts.append(_evidence(finding, links))
    if finding.limits:
        parts.append(f'<p class="note">Thresholds: {text(thresholds(context, finding))}.</p>')
    name = _described(finding.name, finding.reference)
    parts.append(f'<p class="note">Diagnosis: {name}</p>')
    return "\n".join((*filter(None, parts), "</div>"))


def _described(name: str, address: str) -> str:
    """Returns the HTML of a diagnosis's name. It is a link to the description unless a browser
    cannot open the address."""
    if not is_link(address):
        return text(name)
    return f'<a href="{text(address)}" target="_blank" rel="noopener noreferrer">{text(name)}</a>'


def _counter(evidence: Evidence) -> str:
    module = module_by_name(evidence.module)
    known = module is not None and module.has(evidence.counter)
    return _described(evidence.counter, counter(evidence.counter) if known else "")


def text_lines(value: str) -> str:
    """Returns text of several lines as HTML; each line is escaped alone."""
    return "\n".join(map(text, value.split("\n")))


def findings(context: Context, prefix: str, links: Links) -> str:
    """Returns the section on findings as HTML: problems and notices in full, good findings
    collapsed. Returns "" without findings. prefix: start of the findings' ids. links: names of the
    pages with details, by record id."""
    if not context.findings:
        return ""
    told: list[str] = []
    good: list[str] = []
    for place, finding in enumerate(context.findings):
        shown = _finding(context, f"{prefix}-finding-{place}", finding, links)
        (good if finding.kind == GOOD else told).append(shown)
    content = "\n".join(told)
    if good:
        number = len(good)
        content += (
            f'<details class="good"><summary>What is good ({number})</summary>'
            f"{''.join(good)}</details>"
        )
    note = (
        "Problems first, by the time at stake: seconds of the run's wall time"
        + (", of each process on average" if context.of_ranks else "")
        + ". Counters are those of darshan-parser."
    )
    return part(f"{prefix}-findings", "Findings", f'<p class="note">{note}</p>{content}', True)
