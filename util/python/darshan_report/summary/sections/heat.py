"""Traffic over time, where the log has heat maps."""

from __future__ import annotations

from ..context import Context
from ..model import Block, Heading, Paragraph, PlotRow
from ..plots import heat_map, lanes, time_line

_FEW_BINS = 3


def blocks(context: Context) -> list[Block]:
    """A time line per layer, and a map of ranks, or programs, for that with the most bytes."""
    heats = [h for h in context.heats if h.moved.any()]
    if not heats:
        return []
    if max(len(h.read) for h in heats) < _FEW_BINS:
        width = f"{heats[0].bin_width:g} s"
        text = f"The run was too short for a time line: its heat maps have steps of {width}."
        return [Heading("Over time"), Paragraph(text)]
    lines = [time_line.plot(h, context.run_time) for h in heats]
    found: list[Block] = [Heading("Over time")]
    found += [PlotRow(tuple(lines[i : i + 2])) for i in range(0, len(lines), 2)]
    if context.lanes:
        names = lanes.labels(context.lanes)
        found.append(PlotRow((heat_map.plot_programs(heats[0], names),)))
    elif context.info.nprocs > 1:
        found.append(PlotRow((heat_map.plot(heats[0]),)))
    return found
