"""The section about when files were accessed, if transfers were traced (DXT)."""

from __future__ import annotations

from ...measure.traces.timelines import Timeline
from ...show.model import Block, Column, Heading, Paragraph, PlotRow, Table
from ...show.text import shorten
from ...units import amount, plural, seconds
from ..context import Context
from ..plots import file_time_lines

TOP = 8
MODULES = (("DXT_MPIIO", "MPI-IO"), ("DXT_POSIX", "POSIX"))
_LABEL = 26  # characters next to a band
_NAME = 56  # in the table


def _table(context: Context, files: list[Timeline]) -> Table:
    names = context.shown.all([context.name(f.id) for f in files], _NAME)
    rows = tuple(
        (
            str(number),
            name,
            f"{f.processes:,}",
            f"{f.segments[0]:,}",
            amount(f.bytes[0]),
            f"{f.segments[1]:,}",
            amount(f.bytes[1]),
            seconds(f.time),
        )
        for number, (name, f) in enumerate(zip(names, files), 1)
    )
    columns = (
        Column("", right=True),
        Column("File", code=True),
        Column("Processes", right=True),
        Column("Writes", right=True),
        Column("Written", right=True),
        Column("Reads", right=True),
        Column("Read", right=True),
        Column("Time", right=True),
    )
    note = "Counts, bytes and time: of the traced transfers, summed over processes."
    return Table(columns, rows, note)


def blocks(context: Context) -> list[Block]:
    """Returns a plot and a table per traced layer; [] if the log has no traces."""
    found: list[Block] = []
    for module, layer in MODULES:
        lines = context.timelines(module, TOP)
        if lines is None:
            continue
        labels = [
            f"{number} {shorten(context.name(f.id).rpartition('/')[2], _LABEL)}"
            for number, f in enumerate(lines.files, 1)
        ]
        shown = len(lines.files)
        which = "all of them" if shown == lines.traced else f"the {shown} with the most time"
        text = (
            f"{plural(lines.segments, 'transfer')} of {layer} on {plural(lines.traced, 'file')} "
            f"were traced; shown are {which}."
        )
        region = context.info.region(module)
        if region is not None and region.partial:
            text += " Memory for traces ran out: later transfers are missing."
        found += [
            Paragraph(text),
            PlotRow((file_time_lines.plot(lines, labels, layer, context.tree is not None),)),
            _table(context, lines.files),
        ]
    return [Heading("Files over time"), *found] if found else []
