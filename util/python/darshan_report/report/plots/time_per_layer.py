"""The plot of the time in each layer: one stacked bar per layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...show.model import Plot
from ...units import seconds
from ..context import Context
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(context: Context, height: float) -> Plot:
    """Returns the plot of the seconds in each layer, split into read, write and metadata: per
    process, but for a process tree of all processes together. height: of the plot, in mm."""
    own = context.exclusive
    labels = [o.title for o in own] or [f.layer.title for f in context.figures]
    times: list[tuple[float | None, float | None, float | None]] = [
        (o.read, o.write, o.metadata) for o in own
    ] or [(f.read_time, f.write_time, f.meta_time) for f in context.figures]
    parts = [[(t or 0.0) / context.mean_over for t in row] for row in times]
    longest = max((sum(p) for p in parts), default=0.0)

    def draw(axes: Axes) -> None:
        kinds = (("read", style.READ), ("write", style.WRITE), ("metadata", style.OTHER))
        starts = [0.0] * len(parts)
        for place, (label, kind) in enumerate(kinds):
            widths = [max(0.0, p[place]) for p in parts]
            axes.barh(
                range(len(parts)), widths, left=starts, height=0.6, label=label, **style.fill(kind)
            )
            starts = [s + w for s, w in zip(starts, widths)]
        for row, end in enumerate(starts):
            style.value(axes, end, row, seconds(sum(parts[row])))
        each = "time, all processes" if context.tree else "time per process (mean over processes)"
        style.rows(axes, labels, longest, each)
        style.legend(axes, 3)

    title = "Time of each layer itself" if own else "Time in I/O calls per layer"
    return Plot(title, draw, height, left=style.left_margin(labels))
