"""The plot of a layer's bytes over time and ranks, or over time and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...measure.traces.heat import Heat
from ...show.model import Plot
from ...units import amount
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 58.0
_PROGRAM = 5.0  # mm


def _draw(axes: Axes, heat: Heat, low: float, high: float) -> None:
    """Draws the heat map and its colour bar. low, high: limits of the vertical axis."""
    top = float(heat.moved.max())
    # From white to dark, so that greyscale print preserves the order.
    picture = axes.imshow(
        heat.moved,
        aspect="auto",
        origin="lower",
        interpolation="none",
        cmap="Blues",
        vmin=0,
        vmax=top or 1,
        extent=(0, heat.moved.shape[1] * heat.bin_width, low, high),
    )
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_xlabel("seconds since the start", labelpad=1)
    scale = axes.inset_axes((1.01, 0, 0.015, 1))
    bar = axes.figure.colorbar(picture, cax=scale)
    bar.set_ticks([0, top or 1], labels=["0", amount(top)])
    bar.outline.set_linewidth(0.4)


def plot(heat: Heat) -> Plot:
    """Returns the plot of bytes per time bin and rank. Dark means many bytes."""

    def draw(axes: Axes) -> None:
        _draw(axes, heat, -0.5, heat.ranks - 0.5)
        axes.set_ylabel("rank", labelpad=2)
        axes.locator_params(axis="y", integer=True)

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


def plot_programs(heat: Heat, names: Sequence[str]) -> Plot:
    """Returns the plot of bytes per time bin and program, the first program on top. names: of the
    programs, one per row of the heat map."""

    def draw(axes: Axes) -> None:
        # The heat map begins at the bottom, like that of ranks.
        _draw(axes, heat, -0.5, len(heat.moved) - 0.5)
        axes.set_ylim(len(heat.moved) - 0.5, -0.5)
        axes.set_yticks(range(len(names)), names, fontsize=style.SMALL, parse_math=False)
        axes.tick_params(axis="y", length=0)

    return Plot(
        f"Traffic over time and programs: {heat.layer}",
        draw,
        12 + _PROGRAM * max(len(names), 2),
        left=style.left_margin(names) * style.SMALL / style.FONT + 3,
        right=22,
        wide=True,
        note=f"Bytes read and written per {heat.bin_width:g} s, all processes of a program.",
    )
