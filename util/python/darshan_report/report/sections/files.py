"""The sections about the files that took the most time: a few on page 1, more per layer later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...diagnose.programs.responsible_programs import programs_of
from ...measure.files.mapped import PAGES, SHARED
from ...measure.files.overflow import TREE, groups
from ...measure.files.runtimes import is_of_runtime
from ...measure.processes.usage import Usage
from ...records import UNKNOWN as NOT_KNOWN
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...show.text import shorten
from ...units import NONE, UNKNOWN, amount, count, plural, seconds, share
from ..context import Context, LayerFigures

TOP = 5
PER_LAYER = 15
_NAME = 64  # characters of a name
_MAPPED = 16  # characters of these that a column of mapped bytes takes
_RUNTIME = 4  # largest number of a runtime's own files in a log
_NAME_IN_TREE, _BY = 36, 24  # characters of a name, and of the programs that used the file


def _cell(value: float, shown: str) -> str:
    return UNKNOWN if value < 0 else shown


def _users(context: Context, figures: LayerFigures, place: int) -> str:
    """Returns as text which processes used a file: their number in a job of ranks ("all" for all of
    them), their programs in a process tree, or the number if the programs are unknown. place: row
    of the file."""
    files = figures.files
    processes = int(files.processes[place])
    if context.tree:
        ids = context.names_of(int(files.ids[place]))
        told = programs_of(context.facts, figures.layer.module, *ids)
        number = "all processes" if processes < 0 else plural(processes, "process")
        return shorten(told, _BY) or number
    return "all" if processes < 0 else f"{processes:,}"


def _names(context: Context, shown: list[tuple[LayerFigures, int]], width: int) -> list[str]:
    """Returns the names of files, cut to `width` characters. If it fits, a file's temporary name
    follows. shown: layer and row of each file."""
    width = _NAME_IN_TREE if context.tree else width
    ids = [int(figures.files.ids[place]) for figures, place in shown]
    names = context.shown.all([context.name(number) for number in ids], width)
    was = [f" (was {context.was(n)})" if context.was(n) else "" for n in ids]
    return [n + w if len(n) + len(w) <= width else n for n, w in zip(names, was)]


def _mapped(figures: LayerFigures, place: int) -> str:
    """Returns how many bytes of a mapped file were touched, as text. If that is unknown, returns
    the bytes of its mappings. If the file was not mapped, returns a dash. place: row of the
    file."""
    files = figures.files
    if not files.mapped[place]:
        return NONE
    touched = int(files.touched[place])
    return f"{amount(touched)} touched" if touched >= 0 else f"{amount(files.mapped[place])} mapped"


def _maps(shown: list[tuple[LayerFigures, int]]) -> bool:
    return any(figures.files.mapped[place] for figures, place in shown)


def faults(usage: Usage) -> str:
    """Returns a sentence on all page faults that the kernel counted, including those on memory that
    is not mapped from a file."""
    major = float(usage["MAJOR_FAULTS"].sum())
    whole = float(usage["MINOR_FAULTS"].sum()) + major
    return f"All page faults of the processes: {count(whole)}, {count(major)} waited for storage."


def told_mapped(context: Context) -> str:
    """Returns the note below a table with mapped files: how to read its numbers, and the page
    faults of the run."""
    told = f"Mapped: {PAGES} No call contains their time."
    if any((figures.files.touched > figures.files.mapped).any() for figures in context.figures):
        told += f" Touched: {SHARED}."
    if context.usage is not None:
        told += f" {faults(context.usage)}"
    return told


def _row(
    context: Context, figures: LayerFigures, place: int, name: str, maps: bool
) -> tuple[str, ...]:
    files = figures.files
    time = float(files.time[place])
    read, written = int(files.read[place]), int(files.written[place])
    return (
        name,
        _users(context, figures, place),
        _cell(read, amount(read)) if figures.moves_bytes else "-",
        _cell(written, amount(written)) if figures.moves_bytes else "-",
        *((_mapped(figures, place),) if maps else ()),
        UNKNOWN if time == NOT_KNOWN else seconds(time),
        share(time, figures.time) if time >= 0 else "-",
    )


def _columns(context: Context, first: str, maps: bool) -> tuple[Column, ...]:
    return (
        Column(first, code=True),
        Column("Used by") if context.tree else Column("Processes", right=True),
        Column("Bytes read", right=True),
        Column("Bytes written", right=True),
        *((Column("Mapped", right=True),) if maps else ()),
        Column("Time", right=True),
        Column("Of layer", right=True),
    )


def _base(context: Context) -> list[LayerFigures]:
    return [f for f in context.figures if f.layer.base] or context.figures[-1:]


def _with_most_touched(
    context: Context, best: list[tuple[LayerFigures, int]]
) -> list[tuple[LayerFigures, int]]:
    """Returns the first TOP files, of which the file with the most touched bytes is always one,
    because the time of access to mapped files is in no call. best: layer and row of files, the
    slowest first."""
    users = [candidate for candidate in best if not _is_of_program(context, candidate)]
    most = max(users, key=lambda c: int(c[0].files.touched[c[1]]), default=None)
    shown = best[:TOP]
    if most and most[0].files.touched[most[1]] > 0 and most not in shown:
        shown[-1] = most
    return shown


def _is_of_program(context: Context, candidate: tuple[LayerFigures, int]) -> bool:
    """Returns whether a row is the group of an interpreter's program files, or a file that its
    runtime uses internally. Page 1 shows such rows last."""
    figures, place = candidate
    number = int(figures.files.ids[place])
    group = groups(context.log).get(number)
    return is_of_runtime(context.name(number)) or (group is not None and group.kind == TREE)


def top(context: Context) -> list[Block]:
    """Returns the table of the files with the most time, for page 1; [] without files. A file is
    shown in the layer in which it took the most time."""
    layers = [f for f in context.figures if f.layer.things == "files"]
    layers = [replace(f, files=context.together(f)) for f in layers]
    # So that program files do not take the places of other files.
    most = TOP + len(groups(context.log)) + _RUNTIME
    candidates = [(f, int(p)) for f in layers for p in f.files.slowest(most)]
    candidates.sort(key=lambda c: (_is_of_program(context, c), -float(c[0].files.time[c[1]])))
    once = {int(f.files.ids[p]): (f, p) for f, p in reversed(candidates)}
    best = [c for c in candidates if once[int(c[0].files.ids[c[1]])] == c]
    best = _with_most_touched(context, best)
    maps = _maps(best)
    width = _NAME - 8 - (_MAPPED if maps else 0)
    rows = tuple(
        (*_row(context, f, place, name, maps), f.layer.module)
        for (f, place), name in zip(best, _names(context, best, width))
    )
    if not rows:
        return []
    note = "Time: in open, read, write, close and other calls on the file, summed over processes."
    note += f" {told_mapped(context)}" if maps else ""
    columns = (*_columns(context, "File", maps), Column("Layer"))
    return [Heading("Files with the most time"), Table(columns, rows, note)]


def _use(figures: LayerFigures) -> str:
    files = figures.files
    return (
        f"{plural(files.number, figures.layer.things[:-1])} in "
        f"{plural(figures.records, 'record')}, {files.shared:,} used by more than one process."
    )


def _kinds(figures: LayerFigures) -> Iterator[tuple[str, ...]]:
    """Yields a row per use of files (only read, only written, both, neither): their number and
    sizes."""
    files = figures.files
    readers, writers = files.read > 0, files.written > 0
    kinds = {
        "all": np.ones(len(files), bool),
        "only read": readers & ~writers,
        "only written": writers & ~readers,
        "read and written": readers & writers,
        "neither": ~readers & ~writers,
    }
    for name, some in kinds.items():
        number, sizes = (
            int(files.stands[some].sum()),
            files.size[some & (files.size != NOT_KNOWN) & (files.stands == 1)],
        )
        if number:
            mean, largest = (sizes.mean(), sizes.max()) if len(sizes) else (None, None)
            told = (NONE if v is None else amount(float(v)) for v in (mean, largest))
            layer = figures.layer.title if name == "all" else ""
            yield layer, name, f"{number:,}", *told


def kinds(context: Context) -> list[Block]:
    """Returns a table of numbers and sizes of files by use, for each layer that counts bytes; [] if
    none does."""
    rows = [
        row
        for f in context.figures
        if f.moves_bytes and f.read is not None and f.written is not None
        for row in _kinds(f)
    ]
    if not rows:
        return []
    columns = (
        Column("Layer"),
        Column("Used"),
        Column("Number", right=True),
        Column("Mean size", right=True),
        Column("Largest", right=True),
    )
    note = (
        "Size: the highest offset at which a file was read or written. "
        "A dash: not counted by this layer."
    )
    return [Heading("Number and size of files"), Table(columns, tuple(rows), note)]


def per_layer(context: Context) -> list[Block]:
    """Returns a table of files for each layer, the uppermost first. A layer of which page 1 shows
    all files gets only a sentence."""
    base = _base(context)
    # If page 1 lists all files of the lowest layers, tables of these layers would add nothing.
    listed = base if sum(len(f.files) for f in base) <= TOP else []
    found: list[Block] = []
    for figures in context.figures:
        found.append(Heading(f"{figures.layer.title}: {figures.layer.things} by time"))
        shown = " All are listed above." if figures in listed else ""
        found.append(Paragraph(_use(figures) + shown))
        if shown:
            continue
        joined = replace(figures, files=context.together(figures))
        listing = [(joined, int(place)) for place in joined.files.slowest(PER_LAYER)]
        maps = _maps(listing)
        width = _NAME - (_MAPPED if maps else 0)
        rows = tuple(
            _row(context, joined, place, name, maps)
            for (_, place), name in zip(listing, _names(context, listing, width))
        )
        left = joined.files.number - sum(int(joined.files.stands[p]) for _, p in listing)
        note = f"{left:,} more {figures.layer.things} are not shown." if left > 0 else ""
        note += f" {told_mapped(context)}" if maps else ""
        found.append(Table(_columns(context, "Name", maps), rows, note.strip()))
    return found
