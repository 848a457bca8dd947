"""The plot of the transfer rates of a layer over the run time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...measure.traces.heat import Heat
from ...show.model import Plot
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 42.0
_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def plot(heat: Heat, run_time: float) -> Plot:
    """Returns the plot of the read and write rates of a layer, summed over all processes. run_time:
    seconds."""
    peak = max(heat.read.max(), heat.write.max()) / heat.bin_width
    divisor, unit = next(((d, u) for d, u in _STEPS if peak >= d), _STEPS[-1])

    def draw(axes: Axes) -> None:
        edges = np.arange(len(heat.read) + 1) * heat.bin_width
        scale = heat.bin_width * divisor
        axes.stairs(heat.read / scale, edges, fill=True, label="read", color="#0072B2")
        axes.stairs(heat.write / scale, edges, label="write", color="#E69F00", linewidth=1.4)
        axes.set_xlim(0, max(edges[-1], min(run_time, 2 * edges[-1])))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("seconds since the start", labelpad=1)
        axes.set_ylabel(f"{unit} per second", labelpad=2)
        style.legend(axes, 2)

    return Plot(f"Traffic over time: {heat.layer}", draw, HEIGHT, left=14, wide=True)
