"""The plot on page 1: a strip for each layer over time, and below it the bytes of each rank or
program over time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...classes import dataclass
from ...measure.files.spans import Span
from ...measure.traces.heat import Heat
from ...show.model import Plot
from ...units import amount
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RATES, _SPANS, _MAP = 9.0, 4.5, 16.0  # mm of a strip
_GAP, _TOP, _BOTTOM = 1.6, 3.0, 7.0
_COLOURS = {"read": "#0072B2", "write": "#E69F00"}
_OTHER = "#999999"


@dataclass(frozen=True, eq=False)
class Strip:
    """A strip of the plot, about one layer: its heat map or, without one (heat: None), the spans of
    time in its records."""

    title: str
    heat: Heat | None
    spans: Sequence[Span]

    @property
    def height(self) -> float:
        """The height of the strip in mm."""
        return _RATES if self.heat is not None else _SPANS


def _rates(axes: Axes, heat: Heat) -> None:
    edges = np.arange(len(heat.read) + 1) * heat.bin_width
    axes.stairs(heat.read / heat.bin_width, edges, fill=True, color=_COLOURS["read"])
    axes.stairs(heat.write / heat.bin_width, edges, color=_COLOURS["write"], linewidth=1.2)
    peak = max(float(heat.read.max()), float(heat.write.max())) / heat.bin_width
    axes.set_ylim(0, peak or 1)
    axes.text(1.005, 1, f"{amount(peak)}/s", transform=axes.transAxes, va="top",
              fontsize=style.SMALL)  # fmt: skip


def _spans(axes: Axes, spans: Sequence[Span]) -> None:
    for row, (kind, start, end) in enumerate(spans):
        axes.barh(-row, max(end - start, 0), left=start, height=0.8,
                  color=_COLOURS.get(kind, _OTHER), alpha=0.7)  # fmt: skip
    axes.set_ylim(-max(4, len(spans)) + 0.5, 0.5)


def _map(axes: Axes, heat: Heat) -> None:
    axes.imshow(
        np.log1p(heat.moved),
        aspect="auto",
        origin="upper",
        interpolation="none",
        cmap="Blues",
        vmin=0,
        extent=(0, heat.moved.shape[1] * heat.bin_width, 0, 1),
    )


def _paint(strip: Strip, axes: Axes) -> None:
    if strip.heat:
        _rates(axes, strip.heat)
    else:
        _spans(axes, strip.spans)


def plot(strips: Sequence[Strip], heat: Heat | None, who: str, end: float) -> Plot:
    """Returns the plot. strips: from top to bottom. heat: heat map of the layer with the most
    bytes, None if it has a single row. who: label of its rows. end: run time in seconds."""
    painted: list[tuple[str, float, Callable[[Axes], None]]] = [
        (strip.title, strip.height, functools.partial(_paint, strip)) for strip in strips
    ]
    if heat is not None:
        painted.append((who, _MAP, functools.partial(_map, heat=heat)))
    inner = sum(height + _GAP for _, height, _ in painted) - _GAP

    def draw(axes: Axes) -> None:
        axes.set_axis_off()
        top = inner
        for place, (title, height, paint) in enumerate(painted):
            one = axes.inset_axes((0, (top - height) / inner, 1, height / inner))
            top -= height + _GAP
            paint(one)
            one.set_xlim(0, end)
            one.set_yticks([])
            one.text(-0.008, 0.5, title, transform=one.transAxes, ha="right", va="center",
                     parse_math=False)  # fmt: skip
            if place < len(painted) - 1:
                one.set_xticklabels([])
            else:
                one.set_xlabel("seconds since the start", labelpad=1)

    note = "Blue: read, orange: written, grey: open and close."
    if any(strip.heat is None for strip in strips):
        note += " Thin bars: from the first to the last call of a kind."
    if heat is not None:
        note += f" Below: bytes per {heat.bin_width:g} s, dark is much."
    left = style.left_margin([title for title, _, _ in painted])
    return Plot("The run", draw, inner + _TOP + _BOTTOM, left=left, right=16, top=_TOP,
                bottom=_BOTTOM, wide=True, note=note)  # fmt: skip
