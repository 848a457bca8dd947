"""Formats the blocks of a report as text for a terminal. Plots are left out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from .model import Code, Facts, Heading, Paragraph, Report, Table
from .text import visible

_WIDTH = 80


def _table(table: Table) -> Iterator[str]:
    rows = [tuple(c.title for c in table.columns), *table.indented]
    widths = [max(len(visible(r[p])) for r in rows) for p in range(len(table.columns))]
    for row in rows:
        cells = (
            visible(text).rjust(w) if c.right else visible(text).ljust(w)
            for c, text, w in zip(table.columns, row, widths)
        )
        yield "  ".join(cells).rstrip()
    if table.note:
        yield from textwrap.wrap(visible(table.note), _WIDTH)


def lines(report: Report) -> Iterator[str]:
    """Yields the lines of a report as text. Paragraphs are wrapped at 80 columns; tables may be
    wider."""
    yield visible(report.title)
    for block in report.blocks:
        if isinstance(block, Heading):
            yield ""
            yield visible(block.text)
            yield "-" * len(visible(block.text))
        elif isinstance(block, Paragraph):
            yield from textwrap.wrap(visible(block.text), _WIDTH)
        elif isinstance(block, Table):
            yield from _table(block)
        elif isinstance(block, Facts):
            yield from (f"{label}: {visible(v)}" for label, v in (*block.wide, *block.short))
        elif isinstance(block, Code):
            yield from (f"    {visible(line)}" for line in block.lines)
