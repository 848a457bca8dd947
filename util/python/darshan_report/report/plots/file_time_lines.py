"""The plot of the times at which files were accessed: two bands per file over the run, one for
writes and one for reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...measure.traces.timelines import BINS, Timelines
from ...show.model import Plot
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FILE = 7.0  # mm
_KINDS = ("written", "read")
_LEAST = 0.3  # darkness of a transfer that takes almost no time
_MARKS = (0.0, 0.1, 0.5, 1.0)  # of the colour bar


def _dark(shares: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Returns the darkness of fractions of time: the square root, so that small fractions are
    visible."""
    dark: npt.NDArray[np.float64] = _LEAST + (1 - _LEAST) * np.sqrt(np.clip(shares, 0, 1))
    return dark


def darkness(lines: Timelines, is_tree: bool) -> npt.NDArray[np.float64]:
    """Returns an array with two rows per file, writes and then reads, and a column per time bin.
    Its values are from 0 (no transfer) to 1 (transfers all the time); every transfer is visible.
    is_tree: whether the run is a process tree."""
    rows = []
    for file in lines.files:
        if file.busy is None or file.used is None:
            rows.append(np.zeros((2, BINS)))
            continue
        # The share refers to the time of all processes of the file. Programs of a process tree run
        # one after another, so for them the share refers to the time of one process.
        whole = lines.end / BINS * (1 if is_tree else max(file.processes, 1))
        rows.append(np.where(file.used, _dark(file.busy / whole), 0.0))
    return np.vstack(rows)


def plot(lines: Timelines, labels: Sequence[str], layer: str, is_tree: bool) -> Plot:
    """Returns the plot of writes and reads over time, two rows per file. A bin is dark if transfers
    took all of its time, white if there were none. labels: of the files. layer: title of the traced
    layer. is_tree: whether the run is a process tree."""
    width = lines.end / BINS
    dark = darkness(lines, is_tree)

    def draw(axes: Axes) -> None:
        picture = axes.imshow(
            np.ma.masked_equal(dark, 0.0),
            aspect="auto",
            interpolation="none",
            cmap="Blues",
            vmin=0,
            vmax=1,
            extent=(0, lines.end, 2 * len(lines.files) - 0.5, -0.5),
        )
        axes.spines[["top", "right"]].set_visible(True)
        axes.hlines(
            np.arange(1, len(lines.files)) * 2 - 0.5, 0, lines.end, color="#555555", linewidth=0.4
        )
        names = [f"{label}  {kind}" for label in labels for kind in _KINDS]
        axes.set_yticks(range(len(names)), names, fontsize=style.SMALL, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("seconds since the start", labelpad=1)
        scale = axes.inset_axes((1.01, 0, 0.015, 1))
        bar = axes.figure.colorbar(picture, cax=scale)
        bar.set_ticks(
            _dark(_MARKS).tolist(), labels=[f"{m:.0%}" for m in _MARKS], fontsize=style.SMALL
        )
        bar.outline.set_linewidth(0.4)

    return Plot(
        f"When files were written and read: {layer}",
        draw,
        12 + max(_FILE * len(lines.files), 14),
        left=style.left_margin([f"{label}  written" for label in labels]),
        right=14,
        wide=True,
        note=(
            f"Share of time in transfers of the file, per {width:.3g} s; "
            f"100%: {'one process' if is_tree else 'all processes that used it'}, all the time. "
            "White: no transfer."
        ),
    )
