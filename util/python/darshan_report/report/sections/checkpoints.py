"""The section about checkpoints: which files, how often they were saved, and how long the program
waited."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...call_sites import told
from ...call_sites.content import place_content
from ...call_sites.lines import Line
from ...checkpoints.interval import Waited, waited, young
from ...checkpoints.loads import Loaded
from ...checkpoints.saves import Checkpoint
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...show.text import shorten, visible
from ...units import amount, count, plural, rough, seconds, share
from ..context import Context

_LEAST = 0.01  # share of the run that a single checkpoint must take
_ROWS, _LISTED = 12, 100  # of the table, of the JSON
_NAME, _BY = 34, 32  # characters
_NOTE = (
    "Saves and bytes are sums over processes; time and share are those of the process with the "
    "most time. The time lasts from the first call on a file to the last, and contains the work "
    "of the library between the calls; for files that were saved several times, it comes from "
    "call sites. Every: mean time between the begins of successive saves."
)


def shown(context: Context) -> tuple[Checkpoint, ...]:
    """Returns the checkpoints of the section. Empty if there was only one save, and that was
    short."""
    rows = context.checkpoints
    several = sum(row.saves for row in rows) > 1
    large = any(row.wall >= _LEAST * context.run_time for row in rows)
    return rows if several or large else ()


def line_of(context: Context, sites: Sequence[int]) -> Line | None:
    """Returns the line of code of the first call site that has a line; None if no call site has
    one. sites: record ids of call sites."""
    lines = context.code_lines.every if context.code_lines else []
    homes = {site.id: line for line in lines for site in line.sites}
    found = next((homes[one] for one in sites if one in homes), None)
    return found if found is not None and found.place is not None else None


def at_line(context: Context, title: str, sites: Sequence[int]) -> str:
    """Returns a library function and the place of the call: "torch.save at train.py:31"; only the
    function if the place is unknown. title: the function. sites: record ids of call sites."""
    line = line_of(context, sites)
    if line is None or context.code_lines is None:
        return title
    context.code_lines.look_up(line)
    return f"{title} at {told.places_of([line])[0][0]}"


def fate(row: Checkpoint) -> str:
    """Returns what happened to the saved files as text: "2 kept, 4 removed"."""
    if row.is_temporary:
        return "under temporary names; their last names are not recorded"
    numbers = ((row.kept, "kept"), (row.replaced, "replaced"), (row.removed, "removed"))
    return ", ".join(f"{number:,} {word}" for number, word in numbers if number)


def _waited(found: Waited, run: float) -> str:
    whole = f"{seconds(found.seconds)} for checkpoints: {share(found.seconds, run)} of the run"
    if found.rounds == 1:
        return f"The program waited {whole}."
    return (
        f"The program waited {whole}, {seconds(found.cost)} for each of "
        f"{plural(found.rounds, 'save')}, which began every {seconds(found.interval)}."
    )


def sentences(context: Context) -> list[str]:
    """Returns sentences: how long the program waited for checkpoints, and how often it should save;
    [] if there are none to show."""
    rows = shown(context)
    if not rows:
        return []
    found, run = waited(rows), context.run_time
    beside = [row for row in rows if row.beside]
    said = []
    if found is not None:
        said.append(_waited(found, run))
    failures = context.limits["checkpoint.failures"]
    if found is not None and found.rounds > 1 and young(found.cost, failures) < run:
        said.append(
            f"If something fails every {rough(failures)} (an assumption: threshold "
            "checkpoint.failures), a save of this cost every "
            f"{rough(young(found.cost, failures))} loses the least time (Young's formula)."
        )
    if beside:
        name = context.short(beside[0].name.rsplit("/", 1)[-1], _NAME)
        said.append(
            f"A thread beside the program made {plural(sum(row.saves for row in beside), 'save')} "
            f"of {name}{' and others' if len(beside) > 1 else ''}."
        )
    if not all(row.from_calls for row in rows):
        said.append(
            "If call sites show no library function for a file, it counts as a checkpoint "
            "because of its name, or because it was saved again and again."
        )
    return said


def last_part(name: str) -> str:
    """Returns the last part of a checkpoint's path; the last three if the last one is only a hash,
    as in checkpoints of orbax."""
    parts = name.split("/")
    return "/".join(parts[-3:]) if parts[-1] == "*" else parts[-1]


def leading(context: Context, row: Checkpoint | Loaded) -> tuple[str, str]:
    """Returns the first two cells of a table row: the file, and the function that saved or loaded
    it."""
    return context.short(row.name, _NAME), shorten(at_line(context, row.title, row.sites), _BY)


def place_of(context: Context, row: Checkpoint | Loaded) -> dict[str, Any] | None:
    """Returns the line of code that saved or loaded the files, as a dictionary for the JSON; None
    if the log has no call sites of it, or its line is unknown."""
    line = line_of(context, row.sites)
    return place_content(line.place) if line is not None and line.place else None


def cells(context: Context, row: Checkpoint) -> tuple[str, ...]:
    """Returns the cells of a checkpoint after the first two, in the order of the table's
    columns."""
    return (
        count(row.saves),
        amount(row.written / row.saves),
        seconds(row.each),
        share(row.wall, context.run_time),
        seconds(row.interval) if row.interval > 0 else "-",
        fate(row),
    )


def blocks(context: Context) -> list[Block]:
    """Returns the section about checkpoints; [] if there is none to show."""
    rows = shown(context)
    if not rows:
        return []
    columns = (
        Column("File", code=True),
        Column("Saved by"),
        Column("Saves", right=True),
        Column("Bytes each", right=True),
        Column("Time each", right=True),
        Column("Share", right=True),
        Column("Every", right=True),
        Column("Files"),
    )
    table = tuple((*leading(context, row), *cells(context, row)) for row in rows[:_ROWS])
    more = len(rows) - len(table)
    note = _NOTE + (f" {plural(more, 'more row')} took less time." if more else "")
    texts = [Paragraph(text) for text in sentences(context)]
    return [Heading("Checkpoints"), *texts, Table(columns, table, note)]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _content(context: Context, row: Checkpoint) -> dict[str, Any]:
    return {
        "name": visible(row.name),
        "saved_by": row.title,
        "from_calls": row.from_calls,
        "place": place_of(context, row),
        "files": row.files,
        "saves": row.saves,
        "kept": row.kept,
        "replaced": row.replaced,
        "removed": row.removed,
        "processes": row.processes,
        "bytes_written": row.written,
        "rounds": row.rounds,
        "seconds": _number(row.wall),
        "call_seconds": _number(row.in_calls),
        "first_seconds": _number(row.first),
        "last_seconds": _number(row.last),
        "interval_seconds": _number(row.interval),
        "beside": row.beside,
    }


def data(context: Context) -> dict[str, Any] | None:
    """Returns the section about checkpoints as a dictionary for JSON; None if there is none to
    show."""
    rows = shown(context)
    if not rows:
        return None
    found, failures = waited(rows), context.limits["checkpoint.failures"]
    return {
        "waited_seconds": _number(found.seconds) if found else 0.0,
        "rounds": found.rounds if found else 0,
        "interval_seconds": _number(found.interval) if found else 0.0,
        "failures_seconds": failures,
        "young_seconds": _number(young(found.cost, failures)) if found else None,
        "files": [_content(context, row) for row in rows[:_LISTED]],
    }
