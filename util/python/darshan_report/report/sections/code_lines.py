"""The section about the lines of code whose I/O calls took the most time."""

from __future__ import annotations

from ...call_sites import told
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...show.text import shorten
from ...units import amount, seconds
from ..context import Context

_HEADING = Heading("Where in the code")
_PLACE, _CALLS = 22, 45  # characters


def blocks(context: Context) -> list[Block]:
    """Returns the table; nothing without call sites."""
    found = context.code_lines
    if found is None or not found.lines:
        return []
    sentences = told.summary(found)
    if found.is_anonymous:
        return [_HEADING, *map(Paragraph, sentences)]
    columns = (
        Column("Line", code=True),
        Column("Function, and what it called"),
        Column("Time", right=True),
        Column("Gaps", right=True),
        Column("Calls", right=True),
        Column("Bytes", right=True),
    )
    rows = tuple(
        (
            shorten(where, _PLACE),
            shorten(told.whole_call(line, function), _CALLS),
            seconds(line.sums.seconds),
            seconds(line.sums.shown_gaps),
            told.count(line.sums.calls),
            amount(line.sums.read + line.sums.written),
        )
        for line, (where, function) in zip(found.lines, told.places_of(found.lines))
    )
    return [_HEADING, Table(columns, rows, " ".join(sentences))]
