"""When each file was written and read: two bands per file over the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...measure.timelines import BINS, Timelines
from ..model import Plot
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FILE = 7.0  # mm
_KINDS = ("written", "read")


def plot(lines: Timelines, labels: Sequence[str], layer: str, is_tree: bool) -> Plot:
    """Dark where transfers went on all the time, white where there was none."""
    width = lines.end / BINS
    # Of the time that its processes had, the part in transfers; programs of a tree come one
    # after another, so there it is the time of one of them.
    shares = np.vstack(
        [
            np.zeros((2, BINS))
            if f.busy is None
            else f.busy / (width * (1 if is_tree else max(f.processes, 1)))
            for f in lines.files
        ]
    )

    def draw(axes: Axes) -> None:
        # A root, so that a little is seen: the bar beside it says what is what.
        picture = axes.imshow(
            np.sqrt(shares.clip(0, 1)),
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
        marks = (0.0, 0.01, 0.1, 0.5, 1.0)
        bar.set_ticks([m**0.5 for m in marks], labels=[f"{m:.0%}" for m in marks])
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
            f"100%: {'one process' if is_tree else 'all processes that used it'}, all the time."
        ),
    )
