"""The sections about findings: three on page 1 (two if they are long), and all with their evidence
later."""

from __future__ import annotations

from ...diagnose.finding import FACT, GOOD, NOTICE, PROBLEM, Evidence, Finding, shown_first
from ...diagnose.reference import is_link
from ...diagnose.rules.run import costly
from ...show.model import Block, Code, Column, Heading, Paragraph, Table
from ...units import count
from ..context import Context

TOP = 3
_LINES, _WIDTH = 14, 128  # lines on page 1 for findings, and characters per line
_NAME = 56  # characters of a record's name in a row of evidence
_KINDS = {PROBLEM: "Problem", NOTICE: "Notice", FACT: "Fact", GOOD: "Good"}


def _anchor(context: Context, finding: Finding) -> str:
    """Returns the anchor of a finding in the document: its name, with a number if several findings
    have this name."""
    same = [f for f in context.findings if f.name == finding.name]
    place = next(i for i, f in enumerate(same) if f is finding)
    return f"f-{finding.name}" + (f"-{place + 1}" if place else "")


def _texts(context: Context, finding: Finding, number: int) -> list[str]:
    """Returns the paragraphs of a finding on page 1, the title first. number: of the problem."""
    start, at = f"{number}. " if finding.kind == PROBLEM else "", context.at_stake(finding)
    return [
        f"{start}{finding.title}.",
        finding.sentence + (f" At stake: {at}." if at else ""),
        *filter(None, [context.where(finding)]),
        *([f"Remedy: {finding.remedy.text}"] if finding.remedy.text else []),
        *(f"Tried: {text}" for text in context.tried(finding)),
    ]


def top(context: Context) -> list[Block]:
    """Returns the most important findings for page 1, at most TOP. Without a problem, they are
    notices, or that nothing is to be changed."""
    shown = shown_first(context.findings)[:TOP]
    if not any(f.kind == PROBLEM for f in shown):
        fine = [f for f in context.findings if f.name == "fine"]
        most = [f for f in context.findings if f.name.startswith(costly.NAME)][:1]
        shown = [*shown[: TOP - 1], *fine] if shown else [*fine, *most]
    told = (PROBLEM, NOTICE)
    left = sum(f.kind in told for f in context.findings) - sum(f.kind in told for f in shown)
    found: list[Block] = [Heading("What to change first")]
    room = _LINES
    number = 0
    for place, finding in enumerate(shown, 1):
        number += finding.kind == PROBLEM
        texts = _texts(context, finding, number)
        room -= sum(-(-len(text) // _WIDTH) for text in texts)
        if place == TOP and room < 0:  # the page has no space for the last finding
            left += finding.kind in told
            break
        title, *others = texts
        found.append(Paragraph(title, strong=True, link=_anchor(context, finding)))
        found += map(Paragraph, others)
    if left > 0:
        found.append(Paragraph(f"{left} more on the page Findings."))
    return found


def value(evidence: Evidence) -> str:
    """Returns the value of a counter as darshan-parser prints it, but with thousands separators."""
    if isinstance(evidence.value, float):
        return f"{evidence.value:,.6f}"
    return f"{evidence.value:,}"


def _evidence(context: Context, finding: Finding) -> list[Block]:
    if not finding.evidence:
        return []
    names = context.shown.all([e.record for e in finding.evidence], _NAME)
    rows = tuple(
        (e.module, name or "(sum over all)", e.counter, value(e))
        for name, e in zip(names, finding.evidence)
    )
    columns = (
        Column("Module"),
        Column("Record", code=True),
        Column("Counter", code=True),
        Column("Value", right=True),
    )
    return [Table(columns, rows)]


def full(context: Context) -> list[Block]:
    """Returns every finding with sentence, potential saving, remedy, evidence and thresholds; []
    without findings."""
    if not context.findings:
        return []
    found: list[Block] = [Heading("Findings")]
    found.append(
        Paragraph(
            "Problems first, by the time at stake: seconds of the run's wall time"
            + (", of each process on average" if context.of_ranks else "")
            + ". Counters are those of darshan-parser, over all processes."
        )
    )
    for finding in context.findings:
        title = f"{_KINDS[finding.kind]}: {finding.title}"
        found.append(Heading(title, anchor=_anchor(context, finding), level=1))
        found.append(Paragraph(finding.sentence))
        if where := context.where(finding):
            found.append(Paragraph(where))
        at = context.at_stake(finding)
        if at:
            basis = f" Estimate: {finding.stake.basis}." if finding.stake.basis else ""
            found.append(Paragraph(f"At stake: {at}.{basis}"))
        if finding.remedy.text:
            found.append(Paragraph(f"Remedy: {finding.remedy.text}"))
        if finding.remedy.example:
            found.append(Code(tuple(finding.remedy.example.split("\n"))))
        found += [Paragraph(f"Tried: {text}") for text in context.tried(finding)]
        found += _evidence(context, finding)
        if finding.limits:
            found.append(Paragraph(f"Thresholds: {thresholds(context, finding)}."))
        url = finding.reference if is_link(finding.reference) else ""
        found.append(Paragraph(f"Diagnosis: {finding.name}", url=url))
    return found


def thresholds(context: Context, finding: Finding) -> str:
    """Returns the thresholds that a finding used as text: "NAME = 10 s (default); ..."."""
    parts = []
    for name in finding.limits:
        row = context.limits.row(name)
        number = count(row.value) if row.value >= 10 else f"{row.value:g}"
        parts.append(f"{name} = {number} {row.unit} ({row.source})")
    return "; ".join(parts)
