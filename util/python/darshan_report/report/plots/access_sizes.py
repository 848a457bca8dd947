"""The histogram of a layer's transfer sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...measure.layers.layers import SIZES
from ...show.model import Plot
from ...units import brief
from ..context import LayerFigures
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 5.2  # mm: two bars, each followed by a number of the same height
_BAR = 0.42
_FEWEST = 3  # rows


def drawable(figures: LayerFigures) -> bool:
    """Returns whether the layer has a histogram that is not empty."""
    return any(figures.sizes_read) or any(figures.sizes_written)


def _range(figures: LayerFigures) -> slice:
    """Returns the range of size classes to show: from the first to the last class that is not
    empty, but at least _FEWEST classes."""
    used = [p for numbers in (figures.sizes_read, figures.sizes_written)
            for p, n in enumerate(numbers) if n > 0]  # fmt: skip
    first = min(*used, len(SIZES) - _FEWEST)
    return slice(first, max(max(used) + 1, first + _FEWEST))


def plot(figures: LayerFigures) -> Plot:
    """Returns the plot of the numbers of reads and writes per size class, over all processes and
    files. The layer must be drawable()."""
    shown = _range(figures)
    labels = [words for _, words in SIZES[shown]]
    series = (
        ("read", figures.sizes_read[shown], style.READ, -_BAR / 2),
        ("write", figures.sizes_written[shown], style.WRITE, _BAR / 2),
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
    return Plot(title, draw, 11 + _ROW * len(labels), left=style.left_margin(labels))
