"""The section about bytes over time, if the log has heat maps, and the diagram of page 1."""

from __future__ import annotations

from ...measure.files.spans import of_layer
from ...measure.layers.layers import LAYERS
from ...show.model import Block, Heading, Paragraph, PlotRow
from ..context import Context
from ..plots import heat_map, lanes, run_picture, time_line

_FEW_BINS = 3


def first(context: Context) -> list[Block]:
    """Returns the diagram of page 1, which shows each layer over time; [] if the log has no such
    times."""
    heats = {h.layer: h for h in context.heats if len(h.read) >= _FEW_BINS}
    there = {figures.layer.module for figures in context.figures}
    strips = []
    for layer in LAYERS:
        if layer.module in there:
            heat = heats.get(layer.title)
            spans = of_layer(context.log, layer) if heat is None else []
            if heat is not None or spans:
                strips.append(run_picture.Strip(layer.title, heat, spans))
    if not strips:
        return []
    most = next((h for h in heats.values() if h.moved.any() and len(h.moved) > 1), None)
    ends = [span[2] for strip in strips for span in strip.spans]
    end = max([context.run_time, *ends]) or 1.0
    who = "programs" if context.lanes else "ranks"
    return [PlotRow((run_picture.plot(strips, most, who, end),))]


def blocks(context: Context) -> list[Block]:
    """Returns a plot over time for each layer, and a heat map by rank or program for the layer with
    the most bytes; [] if the log has no heat maps with bytes."""
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
