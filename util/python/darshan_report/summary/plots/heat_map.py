"""Traffic of a layer over run time and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...measure.heat import Heat
from ..model import Plot
from ..units import amount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 58.0


def plot(heat: Heat) -> Plot:
    """Bytes per bin and process, dark is much."""
    top = float(heat.moved.max())

    def draw(axes: Axes) -> None:
        # From white to dark, so that print in grey keeps the order.
        picture = axes.imshow(
            heat.moved,
            aspect="auto",
            origin="lower",
            interpolation="none",
            cmap="Blues",
            vmin=0,
            vmax=top or 1,
            extent=(0, heat.moved.shape[1] * heat.bin_width, -0.5, heat.ranks - 0.5),
        )
        axes.spines[["top", "right"]].set_visible(True)
        axes.set_xlabel("seconds since the start", labelpad=1)
        axes.set_ylabel("rank", labelpad=2)
        axes.yaxis.get_major_locator().set_params(integer=True)
        scale = axes.inset_axes((1.01, 0, 0.015, 1))
        bar = axes.figure.colorbar(picture, cax=scale)
        bar.set_ticks([0, top or 1], labels=["0", amount(top)])
        bar.outline.set_linewidth(0.4)

    row = "process" if heat.per_row == 1 else f"{heat.per_row} processes"
    return Plot(
        f"Traffic over time and processes: {heat.layer}",
        draw,
        HEIGHT,
        left=14,
        right=22,
        wide=True,
        note=f"Bytes read and written per {heat.bin_width:g} s and {row}.",
    )
