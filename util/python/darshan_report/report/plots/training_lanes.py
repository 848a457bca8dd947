"""The plot of a training: a row for each process that iterates over a DataLoader and for each
worker, with their activities over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...measure.training_time import COMPUTING, FILES, IDLE, READY, STALL, STEP, WAITING
from ...show.model import Plot
from ..sections.training_lanes import SAVES, WORDS, Shown, caption
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LANE = 5.0  # mm
_FULL = 0.84  # part of a lane's height
# The greys and hatches also differ in greyscale.
_FILLS: dict[str, dict[str, Any]] = {
    FILES: style.READ,
    COMPUTING: {"facecolor": "#009E73"},
    READY: {"facecolor": "#CC79A7"},
    WAITING: {"facecolor": "#777777"},
    STALL: style.WRITE,
    STEP: {"facecolor": "#BFE6DA"},
    IDLE: {"facecolor": "#E4E4E4"},
}


def plot(found: Shown) -> Plot:
    """Returns the plot. In each time bin of a row, the height of a colour is the fraction of the
    bin that the process spent in this activity."""
    names = [*found.labels, *([SAVES] if found.saves else [])]
    lanes = found.lanes
    edges = np.minimum(np.arange(lanes.bins + 1) * lanes.width, lanes.end)

    def draw(axes: Axes) -> None:
        for row, lane in enumerate(found.rows):
            under = np.zeros(lanes.bins)
            for state in found.states:
                over = np.minimum(under + lane.spent.get(state, 0.0) / lanes.width, 1.0)
                low = row + _FULL / 2
                axes.fill_between(
                    edges,
                    low - _FULL * np.append(under, under[-1:]),
                    low - _FULL * np.append(over, over[-1:]),
                    step="post",
                    linewidth=0,
                    label=WORDS[state] if row == 0 else None,
                    **_FILLS[state],
                )
                under = over
            for start, end in lane.spans:
                axes.hlines(row + _FULL / 2, start, end, color="#333333", linewidth=0.4)
        for start, end in found.saves:
            axes.barh(len(found.rows), max(end - start, lanes.end / 500), left=start,
                      height=_FULL, color="#000000")  # fmt: skip
        axes.set_yticks(range(len(names)), names, fontsize=style.SMALL, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(0, lanes.end)
        axes.set_xlabel("seconds since the start", labelpad=1)
        style.legend(axes, len(found.states), style.SMALL)

    return Plot(
        "Program and workers over time",
        draw,
        15 + _LANE * max(len(names), 2),
        left=style.left_margin(names) * style.SMALL / style.FONT + 3,
        top=7.0,
        wide=True,
        note=caption(found),
    )
