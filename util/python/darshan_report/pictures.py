"""The plots of a report as matplotlib figures, for users of the package."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TypeVar

import matplotlib as mpl
from matplotlib.figure import Figure

from .log import Log
from .measure.layers.layers import LAYERS
from .report.context import Context
from .report.pdf import figures
from .report.plots import (
    access_sizes,
    heat_map,
    lanes,
    operations,
    style,
    time_line,
    time_per_layer,
)
from .show.model import Plot, PlotRow
from .tables import UnknownName

_INCH = 25.4  # mm
_DPI = 150
_T = TypeVar("_T")


class Picture(Figure):
    """A figure of matplotlib that a notebook displays without pyplot."""

    def _repr_png_(self) -> bytes:
        made = io.BytesIO()
        self.savefig(made, format="png", dpi=_DPI)
        return made.getvalue()


def _drawn(plot: Plot) -> Picture:
    width = figures.width_in(PlotRow((plot,)))
    # This does not change the user's own settings of matplotlib.
    with mpl.rc_context(style.SETTINGS):
        figure = Picture(figsize=(width / _INCH, plot.height / _INCH))
        figures.draw(plot, figure, width, plot.height)
    return figure


def _chosen(log: Log, of: Mapping[str, _T], layer: str | None, what: str) -> _T:
    """Returns the value in `of` for a layer, which may be given as title or as module name. Without
    a layer, returns the first value. what: name of the values, for messages. Raises ValueError if
    `of` is empty, and UnknownName if it has no value for this layer."""
    if not of:
        raise ValueError(f"{log.path} has no {what}")
    if layer is None:
        return next(iter(of.values()))
    title = next((one.title for one in LAYERS if one.module == layer), layer)
    if title not in of:
        raise UnknownName(f"{log.path} has no {what} of layer", layer, of)
    return of[title]


def heat(log: Log, layer: str | None) -> Picture:
    """Returns the heat map of a layer: bytes over time and ranks, or over time and programs for a
    process tree. layer: title or module name; None for the one with most bytes. Raises ValueError
    if the log has no heat map, UnknownName if it has none of this layer."""
    context = Context(log)
    found = _chosen(log, {h.layer: h for h in context.heats}, layer, "heat map")
    if context.lanes:
        return _drawn(heat_map.plot_programs(found, lanes.labels(context.lanes)))
    return _drawn(heat_map.plot(found))


def rates(log: Log, layer: str | None) -> Picture:
    """Returns the plot of bytes per second over time. layer: title or module name; None for the one
    with most bytes. Raises ValueError if the log has no heat map, UnknownName if it has none of
    this layer."""
    context = Context(log)
    found = _chosen(log, {h.layer: h for h in context.heats}, layer, "heat map")
    return _drawn(time_line.plot(found, context.run_time))


def sizes(log: Log, layer: str | None) -> Picture:
    """Returns the histogram of a layer's access sizes. layer: title or module name; None for the
    lowest layer that has them. Raises ValueError or UnknownName as heat() does."""
    found = {f.layer.title: f for f in reversed(Context(log).figures) if access_sizes.drawable(f)}
    return _drawn(access_sizes.plot(_chosen(log, found, layer, "access sizes")))


def calls(log: Log) -> Picture:
    """Returns the plot of the numbers of calls per kind and layer. Raises ValueError if the log has
    no such counts."""
    context = Context(log)
    if not operations.rows(context):
        raise ValueError(f"{log.path} has no counts of operations")
    return _drawn(operations.plot(context))


def times(log: Log) -> Picture:
    """Returns the plot of the seconds of each layer, split into read, write and metadata: per
    process, but for a process tree of all processes together. Raises ValueError if the log has no
    records of I/O."""
    context = Context(log)
    if not context.figures:
        raise ValueError(f"{log.path} has no records of I/O")
    return _drawn(time_per_layer.plot(context, operations.plot(context).height))
