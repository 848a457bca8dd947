"""The section about the lines of code whose I/O calls took the most time."""

from __future__ import annotations

from ...call_sites import told
from ...call_sites.lines import FILES_SHOWN, Lines
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...show.text import shorten
from ...units import amount, seconds
from ..context import Context

_HEADING = Heading("Where in the code")
_PLACE, _CALLS, _FILE = 22, 45, 60  # characters


def blocks(context: Context) -> list[Block]:
    """Returns the section about lines of code; [] if the log has no call sites."""
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
            told.whole_call(line, function, _CALLS),
            seconds(line.sums.seconds),
            seconds(line.sums.shown_gaps),
            told.count(line.sums.calls),
            amount(line.sums.read + line.sums.written),
        )
        for line, (where, function) in zip(found.lines, told.places_of(found.lines))
    )
    return [
        _HEADING,
        Table(columns, rows, " ".join(sentences)),
        *_files(found),
        *_processes(found),
    ]


def _processes(found: Lines) -> list[Block]:
    """Returns a table of how many processes used each line, and the times of the fastest and the
    slowest rank if they are known; [] if one process used all lines."""
    rows = []
    for line, (where, _) in zip(found.lines, told.places_of(found.lines)):
        times = line.rank_times
        ranks = ("-", "-", "-")
        if times and times.number > 1:
            ranks = (seconds(times.least), seconds(times.most), str(times.slowest))
        processes = max(line.sums.processes, times.number if times else 0)
        rows.append((shorten(where, _PLACE), told.count(processes), *ranks))
    if all(row[1] == "1" for row in rows):
        return []
    columns = [Column("Line", code=True), Column("Processes", right=True)]
    notes = ["If a line has several stacks, the number is that of the most used stack."]
    if any(row[3] != "-" for row in rows):
        columns += [Column(name, right=True) for name in ("Least time", "Most time", "Of rank")]
        notes.append("Times are those of the fastest and of the slowest rank, in I/O calls.")
    table = tuple(row[: len(columns)] for row in rows)
    return [Table(tuple(columns), table, " ".join(notes))]


def _files(found: Lines) -> list[Block]:
    """Returns a table of the files that the lines used; [] if no file is known."""
    rows = []
    for line, (where, _) in zip(found.lines, told.places_of(found.lines)):
        files = line.sums.files
        named = [one for one in files.most()[:FILES_SHOWN] if found.names.get(one)]
        number = files.number()
        about = "many" if number is None else f"{number:,}"
        for place, one in enumerate(named):
            first = (shorten(where, _PLACE), about) if place == 0 else ("", "")
            calls, moved = told.count(files.calls[one]), amount(files.moved[one])
            rows.append((first[0], shorten(found.names[one], _FILE), calls, moved, first[1]))
    if not rows:
        return []
    columns = (
        Column("Line", code=True),
        Column("File with most bytes, or calls", code=True),
        Column("Calls", right=True),
        Column("Bytes", right=True),
        Column("Files, about", right=True),
    )
    note = "If a line uses more than four files, the true calls and bytes of a file may be larger."
    return [Table(columns, tuple(rows), note)]
