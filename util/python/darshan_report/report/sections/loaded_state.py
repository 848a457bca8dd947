"""The section about checkpoints and models that the program loaded: read by calls, or mapped into
memory."""

from __future__ import annotations

import math
from typing import Any

from ...checkpoints.loads import Loaded
from ...show.model import Block, Column, Heading, Table
from ...show.text import visible
from ...units import amount, plural, seconds
from ..context import Context
from .checkpoints import leading, place_of

_ROWS, _LISTED = 12, 100  # of the table, of the JSON
_NOTE = (
    "Processes: all that used the file, including those that wrote it. Bytes: sums over "
    "processes, so a file that each process loads counts once per process. Time: mean over these "
    "processes, in opens, reads and closes. No call contains the time in which the kernel reads "
    "pages of a mapped file."
)


def shown(context: Context) -> tuple[Loaded, ...]:
    """Returns the rows of the section: the files from which the program loaded its state."""
    return context.loaded


def cells(row: Loaded) -> tuple[str, ...]:
    """Returns the cells of a row after the first two, in the order of the table's columns."""
    mapped = (amount(row.mapped), amount(row.touched)) if row.mapped else ("-", "-")
    return (f"{row.processes:,}", amount(row.read), *mapped, seconds(row.seconds))


def blocks(context: Context) -> list[Block]:
    """Returns the section; [] if the program loaded no saved state."""
    rows = shown(context)
    if not rows:
        return []
    columns = (
        Column("File", code=True),
        Column("Loaded by"),
        Column("Processes", right=True),
        Column("Read", right=True),
        Column("Mapped", right=True),
        Column("Touched", right=True),
        Column("Time", right=True),
    )
    table = tuple((*leading(context, row), *cells(row)) for row in rows[:_ROWS])
    more = len(rows) - len(table)
    note = _NOTE + (f" {plural(more, 'more row')} had fewer bytes." if more else "")
    return [Heading("Loaded state"), Table(columns, table, note)]


def _content(context: Context, row: Loaded) -> dict[str, Any]:
    return {
        "name": visible(row.name),
        "loaded_by": row.title,
        "from_calls": row.from_calls,
        "place": place_of(context, row),
        "files": row.files,
        "processes": row.processes,
        "bytes_read": row.read,
        "bytes_mapped": row.mapped,
        "bytes_touched": row.touched,
        "seconds": row.seconds if math.isfinite(row.seconds) else None,
    }


def data(context: Context) -> list[dict[str, Any]]:
    """Returns the section as a list of dictionaries for JSON; [] if the program loaded no saved
    state."""
    return [_content(context, row) for row in shown(context)[:_LISTED]]
