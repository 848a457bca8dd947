"""A log and its findings as a notebook shows them (_repr_html_).

Names and command lines are untrusted: characters that could mislead a reader are shown by their
numbers, and no part of a name becomes markup.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .show.text import shorten_all, visible
from .units import amount, duration, plural, seconds

if TYPE_CHECKING:
    from .diagnose.finding import Finding
    from .log import Log
    from .summary.context import Context

_NAME = 72  # characters of a name in a table of evidence
_LEFT, _RIGHT = "text-align:left", "text-align:right"


def _text(text: str) -> str:
    return html.escape(visible(text))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], lefts: int) -> str:
    """Returns a table whose first columns are text and whose others are numbers."""

    def row(cells: Sequence[str], tag: str) -> str:
        sides = [_LEFT if place < lefts else _RIGHT for place in range(len(cells))]
        parts = (f'<{tag} style="{s}">{_text(c)}</{tag}>' for s, c in zip(sides, cells))
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def _layers(context: Context) -> str:
    rows = [
        (
            figures.layer.title,
            f"{figures.files.number:,}",
            *(amount(m) if figures.moves_bytes else "-" for m in (figures.read, figures.written)),
            *(
                "-" if t is None else seconds(t)
                for t in (figures.read_time, figures.write_time, figures.meta_time)
            ),
        )
        for figures in context.figures
    ]
    if not rows:
        return "<p>The log contains no record of I/O.</p>"
    heads = ("Layer", "Files", "Read", "Written", "Read time", "Write time", "Metadata time")
    return _table(heads, rows, 1) + "<p>Times: sums over processes. Layers overlap.</p>"


def log_html(log: Log) -> str:
    """Returns the job of the log, and the transfers of each layer."""
    from .summary.context import Context  # noqa: PLC0415 - which imports the log

    info, context = log.info, Context(log)
    # The run time of a journal ends at its last call, so the records must be read.
    state = "has not finished" if info.live else f"ran for {duration(context.run_time)}"
    parts = [
        f"<p><b>{_text(log.path)}</b></p>",
        f"<p><code>{_text(info.exe.strip()) or '(no command line)'}</code> {state}, "
        f"{plural(info.nprocs, 'process')}.</p>",
    ]
    parts.append("<p>The log is closed.</p>" if log.closed else _layers(context))
    parts += [f"<p>{_text(module)}: {_text(why)}</p>" for module, why in context.damaged]
    return f"<div>{''.join(parts)}</div>"


def _evidence(finding: Finding) -> str:
    if not finding.evidence:
        return ""
    names = shorten_all([row.record for row in finding.evidence], _NAME)
    rows = [
        (row.module, name or "(sum over all)", row.counter, f"{row.value:,}")
        for row, name in zip(finding.evidence, names)
    ]
    table = _table(("Module", "Record", "Counter", "Value"), rows, 3)
    return f"<details><summary>Evidence</summary>{table}</details>"


def _more(finding: Finding) -> str:
    """Returns a link to the description of the diagnosis, if its address is known."""
    from .diagnose.reference import is_link  # noqa: PLC0415 - as below

    at = html.escape(finding.reference)
    return f', <a href="{at}" target="_blank">more</a>' if is_link(at) else ""


def finding_html(finding: Finding) -> str:
    """Returns title, sentence, potential saving and remedy; the evidence is collapsed."""
    from .summary.sections.findings import stake  # noqa: PLC0415 - which imports findings

    at, remedy = stake(finding), finding.remedy
    parts = [
        f"<p><b>{_text(finding.title)}</b> ({_text(finding.kind)}{_more(finding)})</p>",
        f"<p>{_text(finding.sentence)}</p>",
        f"<p>At stake: {_text(at)}.</p>" if at else "",
        f"<p>Remedy: {_text(remedy.text)}</p>" if remedy.text else "",
    ]
    if remedy.example:
        lines = "\n".join(map(_text, remedy.example.split("\n")))
        parts.append(f"<pre>{lines}</pre>")
    parts.append(_evidence(finding))
    return f"<div>{''.join(parts)}</div>"
