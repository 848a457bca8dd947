"""The lifetimes of programs: one lane per program over the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...measure.processes.lanes import Lane, Lanes
from ...measure.traces.timelines import BINS
from ...show.model import Plot
from ...show.text import shorten_all
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LANE = 5.0  # mm
_LABEL = 30  # characters
_FULL = 0.84  # share of a lane's height that the largest number of simultaneous processes fills


def labels(shown: Lanes) -> list[str]:
    """Returns the labels of the lanes ("train.py's 8 workers"), each shortened to _LABEL
    characters; all are different."""
    return shorten_all([_label(lane) for lane in shown.lanes], _LABEL)


def _label(lane: Lane) -> str:
    if lane.program is None:
        return f"{lane.programs:,} more programs"
    name = lane.program.times(lane.number)
    if lane.program.job_ranks:
        name = f"MPI: {name}"
    return name


def plot(lanes: Lanes) -> Plot:
    """Returns the plot of the programs' lifetimes. The height in a lane is the number of the
    program's processes that were alive, as a fraction of their largest number at one time."""
    rows, names = len(lanes.lanes), labels(lanes)
    edges = np.linspace(0, lanes.end, BINS + 1)

    def draw(axes: Axes) -> None:
        for row, lane in enumerate(lanes.lanes):
            height = lane.part * _FULL
            low = row + _FULL / 2
            kind = style.OTHER if lane.program is None else style.READ
            axes.fill_between(
                edges,
                low,
                low - np.append(height, height[-1:]),
                step="post",
                linewidth=0,
                **kind,
            )
            axes.annotate(
                f"{lane.most:,} at once" if lane.most > 1 else "",
                (1.0, row),
                xytext=(3, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=style.SMALL,
            )
        axes.hlines(
            np.arange(rows) + _FULL / 2, 0, lanes.end, color="#999999", linewidth=0.3, zorder=0
        )
        axes.set_yticks(range(rows), names, fontsize=style.SMALL, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_xlim(0, lanes.end)
        axes.set_xlabel("seconds since the start", labelpad=1)

    return Plot(
        "Which programs were there at the same time",
        draw,
        12 + _LANE * max(rows, 2),
        left=style.left_margin(names) * style.SMALL / style.FONT + 3,
        right=18,
        wide=True,
        note=(
            "A lane per program. It is full when the most of its processes ran at the same time."
        ),
    )
