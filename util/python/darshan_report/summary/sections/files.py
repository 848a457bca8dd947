"""The files that took the most time: a few on page 1, more per layer behind."""

from __future__ import annotations

from ...diagnose.who import programs_of
from ..context import Context, LayerFigures
from ..model import Block, Column, Heading, Paragraph, Table
from ..text import shorten
from ..units import UNKNOWN, amount, plural, seconds, share

TOP = 5
PER_LAYER = 15
_NAME = 64  # characters of a name
_NAME_IN_TREE, _BY = 36, 24  # of a name, and of the programs that used it


def _cell(value: float, shown: str) -> str:
    return UNKNOWN if value < 0 else shown


def _users(context: Context, figures: LayerFigures, place: int) -> str:
    """Who used a file: of a job how many, of a tree which programs."""
    files = figures.files
    processes = int(files.processes[place])
    if context.tree:
        told = programs_of(context.facts, figures.layer.module, int(files.ids[place]))
        number = "all processes" if processes < 0 else plural(processes, "process")
        return shorten(told, _BY) or number
    return "all" if processes < 0 else f"{processes:,}"


def _row(context: Context, figures: LayerFigures, place: int, name_width: int) -> tuple[str, ...]:
    files = figures.files
    if context.tree:
        name_width = _NAME_IN_TREE
    time = float(files.time[place])
    read, written = int(files.read[place]), int(files.written[place])
    return (
        context.short(context.name(int(files.ids[place])), name_width),
        _users(context, figures, place),
        _cell(read, amount(read)) if figures.moves_bytes else "-",
        _cell(written, amount(written)) if figures.moves_bytes else "-",
        _cell(time, seconds(time)),
        share(time, figures.time) if time >= 0 else "-",
    )


def _columns(context: Context, first: str) -> tuple[Column, ...]:
    return (
        Column(first, code=True),
        Column("Used by") if context.tree else Column("Processes", right=True),
        Column("Bytes read", right=True),
        Column("Bytes written", right=True),
        Column("Time", right=True),
        Column("Of layer", right=True),
    )


def _base(context: Context) -> list[LayerFigures]:
    return [f for f in context.figures if f.layer.base] or context.figures[-1:]


def top(context: Context) -> list[Block]:
    """The slowest files of the lowest layers, for page 1."""
    base = _base(context)
    candidates = [(f, int(p)) for f in base for p in f.files.slowest(TOP)]
    candidates.sort(key=lambda c: -float(c[0].files.time[c[1]]))
    rows = tuple(
        (*_row(context, f, place, _NAME - 8), f.layer.module) for f, place in candidates[:TOP]
    )
    if not rows:
        return []
    note = "Time: in open, read, write, close and other calls on the file, summed over processes."
    columns = (*_columns(context, "File"), Column("Layer"))
    return [Heading("Files with the most time"), Table(columns, rows, note)]


def _use(figures: LayerFigures) -> str:
    files = figures.files
    readers, writers = files.read > 0, files.written > 0
    parts = [
        f"{plural(len(files), figures.layer.things[:-1])} in {plural(figures.records, 'record')}",
        f"{files.shared:,} used by more than one process",
    ]
    if figures.moves_bytes and figures.read is not None and figures.written is not None:
        parts += [
            f"{int((readers & ~writers).sum()):,} only read",
            f"{int((writers & ~readers).sum()):,} only written",
            f"{int((readers & writers).sum()):,} both",
            f"{int((~readers & ~writers).sum()):,} neither",
        ]
    return ", ".join(parts) + "."


def per_layer(context: Context) -> list[Block]:
    """A table for every layer that page 1 does not show in full, uppermost first."""
    base = _base(context)
    # Where page 1 had room for every file there is nothing to add.
    listed = base if sum(len(f.files) for f in base) <= TOP else []
    found: list[Block] = []
    for figures in context.figures:
        found.append(Heading(f"{figures.layer.title}: {figures.layer.things} by time"))
        shown = " All are listed above." if figures in listed else ""
        found.append(Paragraph(_use(figures) + shown))
        if shown:
            continue
        rows = tuple(
            _row(context, figures, int(place), _NAME) for place in figures.files.slowest(PER_LAYER)
        )
        left = len(figures.files) - len(rows)
        note = f"{left:,} more {figures.layer.things} are not shown." if left > 0 else ""
        found.append(Table(_columns(context, "Name"), rows, note))
    return found
