"""The plot of the number of operations of each layer, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...show.model import Plot
from ...units import brief
from ..context import Context
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_ROWS = 24
ROW = 3.1  # mm


def rows(context: Context) -> list[tuple[str, int]]:
    """Returns label ("POSIX read") and number of each kind of operation that occurred, by layer. If
    there are more than MAX_ROWS kinds, leaves out the rarest."""
    found = [
        (f"{f.layer.module} {label}", number)
        for f in context.figures
        for label, number in f.operations
        if number is not None and number > 0
    ]
    if len(found) > MAX_ROWS:
        least = sorted((n for _, n in found), reverse=True)[MAX_ROWS - 1]
        found = [row for row in found if row[1] >= least][:MAX_ROWS]
    return found


def height(context: Context) -> float:
    """Returns the height of the plot in mm."""
    return max(30.0, 11 + ROW * len(rows(context)))


def plot(context: Context) -> Plot:
    """Returns the plot of the numbers of operations, over all processes and files."""
    found = rows(context)
    labels = [label for label, _ in found]

    def draw(axes: Axes) -> None:
        longest = max((n for _, n in found), default=0)
        for row, (label, number) in enumerate(found):
            kind = style.OTHER
            if label.endswith("read"):
                kind = style.READ
            elif label.endswith("write"):
                kind = style.WRITE
            axes.barh(row, number, height=0.65, **style.fill(kind))
            style.value(axes, number, row, brief(number))
        style.rows(axes, labels, longest, "operations (sum over processes and files)")

    title = "Operations per layer"
    return Plot(title, draw, height(context), left=style.left_margin(labels))
