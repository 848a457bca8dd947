"""The lines of code that cost most: a page for all programs, and a table for one program."""

from __future__ import annotations

from collections.abc import Callable

from ..ask.engine import Asked
from ..ask.ready.questions import BY_NAME, Filters
from ..look.week import rows
from .blocks import Column, Made, Row


def _called(row: Row) -> str:
    """Returns the I/O function that a line calls and, if a library makes the call, "through" that
    library's function."""
    return " through ".join(filter(None, (row["called"], row["through"])))


_COLUMNS = (
    Column("Line", "path", "place"), Column("Function", "text", "function"),
    Column("Called", "text", _called), Column("Jobs", "count", "jobs"),
    Column("Users", "count", "users"), Column("In calls", "seconds", "call_seconds"),
    Column("Gaps", "seconds", "gap_seconds"), Column("Calls", "count", "calls"),
    Column("Read", "amount", "bytes_read"), Column("Written", "amount", "bytes_written"),
)  # fmt: skip
_NOTE = (
    "Of runs with call sites (darshan stat, or DARSHAN_SITES=1). Times are summed over processes "
    "and threads. A gap is the time before a call since the thread's last one, if it is below 10 "
    "ms: what the program and its libraries do for each call. An address such as prog+1a2b is code "
    "without a known line."
)
_NONE = "No job of these days has call sites."


def add_lines(
    made: Made,
    lake: Asked,
    filters: Filters,
    most: int,
    program: Callable[[Row], str] | None = None,
) -> None:
    """Adds the table of lines of code. most: largest number of rows. program: returns the address
    of the page of a row's program; None if all rows have the same program, which then has no
    column."""
    found = rows(lake, BY_NAME["lines"], filters, top=most)
    columns = (Column("Program", "text", "program"), *_COLUMNS) if program else _COLUMNS
    made.table("lines", columns, found, program, most=most, note=_NOTE, none=_NONE)
