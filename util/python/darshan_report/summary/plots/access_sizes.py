"""How large the transfers of a layer were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...measure.layers import SIZES
from ..context import LayerFigures
from ..model import Plot
from ..units import brief
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 54.0  # mm
_BAR = 0.42


def drawable(figures: LayerFigures) -> bool:
    """Whether the layer has a histogram with anything in it."""
    return any(figures.sizes_read) or any(figures.sizes_written)


def plot(figures: LayerFigures) -> Plot:
    """Reads and writes per bucket, over all processes and files."""
    labels = [words for _, words in SIZES]
    series = (
        ("read", figures.sizes_read, style.READ, -_BAR / 2),
        ("write", figures.sizes_written, style.WRITE, _BAR / 2),
    )

    def draw(axes: Axes) -> None:
        longest = 0
        for label, numbers, kind, shift in series:
            places = [row + shift for row in range(len(numbers))]
            axes.barh(places, numbers, height=_BAR, label=label, **style.fill(kind))
            for place, number in zip(places, numbers):
                if number > 0:
                    style.value(axes, number, place, brief(number), style.SMALL)
            longest = max(longest, *numbers) if numbers else longest
        style.rows(axes, labels, longest, "transfers (sum over processes and files)")
        style.legend(axes, 2)

    title = f"Sizes of transfers: {figures.layer.title}"
    return Plot(title, draw, HEIGHT, left=style.left_margin(labels))
