"""The plots about HDF5 datasets: the time of calls on each dataset by layer, and its requested and
transferred bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...measure.layers.attribution import ATTR, META, OPEN, PUTTING, READ, Upper
from ...show.model import Plot
from ...units import amount, seconds
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 4.6  # mm
_BAR = 0.27
_ITSELF = {"facecolor": "#DDDDDD"}
_MPIIO = {"facecolor": "#009E73"}
_COMMUNICATION = {"facecolor": "#CC79A7", "edgecolor": "#555555", "hatch": "...."}
_ASKED = {"facecolor": "#555555"}
_MOVED = {"facecolor": "#56B4E9"}
_DISTINCT = style.OTHER


Band = tuple[str, dict[str, Any], list[float]]  # label, fill, lengths
_LONGEST = 1e18  # larger values, as in a damaged log, cannot be drawn


def _drawable(values: Iterable[float]) -> list[float]:
    """Returns lengths of bars that can be drawn even if the log is damaged: negative, infinite and
    NaN values become 0."""
    return [min(v, _LONGEST) if v > 0 and math.isfinite(v) else 0.0 for v in values]


def height(count: int) -> float:
    """Returns the height in mm of a plot with `count` datasets."""
    return 15 + ROW * max(count, 3)


def times(uppers: Sequence[Upper], labels: Sequence[str]) -> Plot:
    """Returns a plot with a bar per dataset, made of: time in HDF5 itself, in MPI if it was used,
    and in POSIX by the operation on the dataset. labels: of the datasets."""
    between: tuple[Band, ...] = (
        ("MPI-IO itself", _MPIIO, _drawable(u.mpiio_time() for u in uppers)),
        ("MPI communication", _COMMUNICATION, _drawable(u.communication_time() for u in uppers)),
    )
    bands: tuple[Band, ...] = (
        ("HDF5 itself", _ITSELF, _drawable(u.own_time() for u in uppers)),
        *(band for band in between if any(band[2])),
        ("POSIX in reads", style.READ, _drawable(u.lower_time((READ,)) for u in uppers)),
        (
            "in writes, flushes, closes",
            style.WRITE,
            _drawable(u.lower_time(PUTTING) for u in uppers),
        ),
        ("in the rest", style.OTHER, _drawable(u.lower_time((OPEN, ATTR, META)) for u in uppers)),
    )

    def draw(axes: Axes) -> None:
        starts = [0.0] * len(uppers)
        for label, kind, widths in bands:
            axes.barh(
                range(len(uppers)), widths, left=starts, height=0.6, label=label, **style.fill(kind)
            )
            starts = [s + w for s, w in zip(starts, widths)]
        for row, end in enumerate(starts):
            style.value(axes, end, row, seconds(end), style.SMALL)
        style.rows(axes, labels, max(starts), "time in calls on the dataset (all processes)")
        style.legend(axes, 4 if len(bands) == 4 else 3, style.SMALL)

    title = "Time: HDF5 itself, and the layers below"
    return Plot(title, draw, height(len(uppers)), left=style.left_margin(labels), top=6)


def sizes(uppers: Sequence[Upper], labels: Sequence[str]) -> Plot:
    """Returns a plot with three bars per dataset: bytes that the program requested, bytes that
    POSIX transferred, and how many of these were distinct. labels: of the datasets."""
    series = (
        ("asked for", _ASKED, _drawable(u.asked for u in uppers)),
        ("moved by POSIX", _MOVED, _drawable(u.moved() for u in uppers)),
        ("of it distinct", _DISTINCT, _drawable(u.distinct for u in uppers)),
    )

    def draw(axes: Axes) -> None:
        for place, (label, kind, values) in enumerate(series):
            rows = [row + (place - 1) * _BAR for row in range(len(values))]
            axes.barh(rows, values, height=_BAR, label=label, **style.fill(kind))
        longest = [max(column) for column in zip(*(values for _, _, values in series))]
        for row, longest_bar in enumerate(longest):
            style.value(axes, longest_bar, row, amount(longest_bar), style.SMALL)
        style.rows(axes, labels, max(longest), "bytes (all processes)")
        style.legend(axes, 3, style.SMALL)

    title = "Bytes: asked for, moved, distinct"
    return Plot(title, draw, height(len(uppers)), left=style.left_margin(labels), top=6)
