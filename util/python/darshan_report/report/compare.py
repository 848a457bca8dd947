"""Compares two logs: the differences of their numbers, and which problems are fixed or new."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ..diagnose.finding import PROBLEM, Finding
from ..measure import io_share
from ..show.model import Block, Column, Heading, Paragraph, Report, Table
from ..show.text import shorten
from ..units import NONE, UNKNOWN, amount, count, duration, seconds
from .context import Context, LayerFigures

_NAME = 30

Show = Callable[[float], str]


def _factor(before: float | None, after: float | None) -> str:
    """Returns the ratio of `after` to `before` as text: "same" or "2.00 x"; "-" if it cannot be
    computed."""
    if before is None or after is None or before <= 0:
        return NONE
    ratio = after / before
    if not math.isfinite(ratio):
        return NONE
    if 0.995 <= ratio < 1.005:
        return "same"
    return f"{ratio:,.2f} x" if ratio >= 0.01 else f"{ratio:.1e} x"


def _row(what: str, before: float | None, after: float | None, show: Show) -> tuple[str, ...]:
    cells = (UNKNOWN if v is None else show(v) for v in (before, after))
    return (what, *cells, _factor(before, after))


def share_rows(one: Context, two: Context) -> Iterator[tuple[str, str, str]]:
    """Yields rows that compare the I/O shares of two logs: label, share of the first log, share of
    the second."""
    before, after = one.shares, two.shares
    what = io_share.OF_WORK if before.waited or after.waited else io_share.OF_RUN
    yield f"{io_share.FILES}, of {what}", io_share.files(before), io_share.files(after)
    if before.above or after.above:
        yield f"{io_share.ALL}, of {what}", io_share.all_layers(before), io_share.all_layers(after)


def _job_rows(one: Context, two: Context) -> Iterator[tuple[str, ...]]:
    yield _row("Run time", one.run_time, two.run_time, duration)
    yield _row("Processes", one.number, two.number, count)
    for words, before, after in share_rows(one, two):
        yield words[0].upper() + words[1:], before, after, NONE


def _layer_rows(one: LayerFigures, two: LayerFigures) -> Iterator[tuple[str, ...]]:
    """Yields the rows that compare a layer of two logs."""
    if one.moves_bytes:
        yield _row("bytes read", one.read, two.read, amount)
        yield _row("bytes written", one.written, two.written, amount)
    yield _row("time reading", one.read_time, two.read_time, seconds)
    yield _row("time writing", one.write_time, two.write_time, seconds)
    yield _row("time in metadata", one.meta_time, two.meta_time, seconds)
    yield _row("files", one.files.number, two.files.number, count)
    after = dict(two.operations)
    for label, number in one.operations:
        if number or after.get(label):
            yield _row(f"{label} calls", number, after.get(label), count)
    if one.performance and two.performance:
        yield _row("estimated MiB/s", one.performance.rate, two.performance.rate,
                   lambda v: f"{v:,.1f}")  # fmt: skip


def _columns() -> tuple[Column, ...]:
    titles = ("First", "Second", "Second/first")
    return (Column("Quantity"), *(Column(t, right=True) for t in titles))


def _sentence(one: Context, two: Context) -> str:
    if one.run_time <= 0 or two.run_time <= 0:
        return "The run times cannot be compared."
    ratio = one.run_time / two.run_time
    if 0.95 < ratio < 1.05:
        return "Both runs took about the same time."
    word, factor = ("faster", ratio) if ratio > 1 else ("slower", 1 / ratio)
    return (
        f"The second run was {factor:.2f} times {word}: {duration(two.run_time)} instead of "
        f"{duration(one.run_time)}."
    )


def _findings(title: str, findings: list[Finding]) -> list[Block]:
    if not findings:
        return []
    found: list[Block] = [Heading(title)]
    for finding in findings:
        at = finding.stake.text
        found.append(Paragraph(f"{finding.title}.", strong=True))
        found.append(Paragraph(finding.sentence + (f" At stake: {at}." if at else "")))
    return found


def _problems(context: Context) -> dict[str, Finding]:
    return {f.name: f for f in context.findings if f.kind == PROBLEM}


def compare(one: Context, two: Context) -> Report:
    """Returns the report that compares two open logs: run times, problems, and the numbers of each
    layer. one: the baseline."""
    before, after = _problems(one), _problems(two)
    gone = [f for name, f in before.items() if name not in after]
    new = [f for name, f in after.items() if name not in before]
    kept = [f for name, f in after.items() if name in before]
    names = [shorten(c.log.path.rpartition("/")[2], 80) for c in (one, two)]
    blocks: list[Block] = [
        Paragraph(_sentence(one, two), strong=True),
        Paragraph(f"First: {names[0]} ({shorten(one.program, _NAME)})."),
        Paragraph(f"Second: {names[1]} ({shorten(two.program, _NAME)})."),
        Heading("Job"),
        Table(_columns(), tuple(_job_rows(one, two))),
        *_findings("Problems that went away", gone),
        *_findings("Problems that are new", new),
        *_findings("Problems that both have (numbers of the second)", kept),
    ]
    layers = {f.layer.module: f for f in two.figures}
    for figures in one.figures:
        other = layers.pop(figures.layer.module, None)
        if other is None:
            blocks.append(Paragraph(f"{figures.layer.title}: only in the first."))
            continue
        blocks.append(Heading(figures.layer.title))
        blocks.append(Table(_columns(), tuple(_layer_rows(figures, other))))
    blocks += [Paragraph(f"{f.layer.title}: only in the second.") for f in layers.values()]
    blocks.append(Paragraph("Bytes, calls and times are sums over all processes and files."))
    return Report("Two runs compared", blocks)
