"""The lanes of a training (the activities of each process over time), chosen and labelled for the
page, the PDF and the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...classes import dataclass
from ...diagnose.training.loading import verdicts
from ...measure.training_time import (
    COMPUTING,
    FILES,
    IDLE,
    READY,
    STALL,
    STEP,
    WAITING,
    Lane,
    Lanes,
)
from ...units import plural
from ..context import Context
from .checkpoints import shown as shown_checkpoints

_MOST = 40  # lanes in a diagram
_LISTED = 1024  # lanes in the JSON
_SAVES = 2_000

SAVES = "saves"  # the name of the lane of checkpoints

# In the order from bottom to top of a lane.
WORDS = {
    FILES: "calls on files",
    COMPUTING: "computing",
    READY: "ready without a processor",
    WAITING: "other waiting",
    STALL: "waiting for data",
    STEP: "the program's own work",
    IDLE: "idle",
}


WORKING = {FILES, COMPUTING, READY, WAITING}  # states in which a batch is made


@dataclass(frozen=True, eq=False)
class Shown:
    """The lanes that a diagram shows (`rows`), with their labels in the same order, out of all
    `lanes`."""

    lanes: Lanes
    rows: tuple[Lane, ...]
    labels: tuple[str, ...]
    states: tuple[str, ...]  # states that at least one lane has
    saves: tuple[tuple[float, float], ...]  # checkpoints: begin and end, seconds after the start
    left_out: int  # lanes


def _families(lanes: Lanes) -> list[list[Lane]]:
    """Returns the lanes in groups: each process that iterates over a loader, with its workers."""
    found: dict[int, list[Lane]] = {}
    for lane in lanes.lanes:
        found.setdefault(lane.parent, []).append(lane)
    return list(found.values())


def _chosen(lanes: Lanes) -> list[Lane]:
    """Returns the lanes that a diagram shows. If there are too many, returns the processes that
    waited longest, each with its workers. Workers are left out only if one process alone has too
    many."""
    families = _families(lanes)
    if len(lanes.lanes) > _MOST:
        families.sort(key=lambda some: -sum(lane.sums.get(STALL, 0.0) for lane in some))
    found: list[Lane] = []
    for some in families:
        if not found or len(found) + len(some) <= _MOST:
            found += some[:_MOST]
    return found


def _label(lane: Lane, several: bool, lines: dict[int, str]) -> str:
    """Returns the label of a lane. several: whether several processes iterate over loaders. lines:
    line of code by loader id, if several loaders have workers."""
    if lane.worker is not None:
        return f"{lines.get(lane.loader, '')} worker {lane.worker:,}".lstrip()
    if lane.rank is not None:
        return f"rank {lane.rank:,}"
    return f"process {lane.process:,}" if several else "program"


def _saves(context: Context) -> tuple[tuple[float, float], ...]:
    """Returns begin and end of the saves of checkpoints, in seconds since the start of the run.
    Leaves out checkpoints of which the times of single saves are unknown."""
    every = [span for row in shown_checkpoints(context) for span in row.times]
    return tuple(sorted(every)[:_SAVES])


def _lines(context: Context, rows: Sequence[Lane]) -> dict[int, str]:
    """Returns the line of code ("train.py:31") by loader id, if several loaders have workers;
    otherwise {}."""
    known = {lane.loader for lane in rows} - {0}
    if len(known) < 2:
        return {}
    return {verdict.loader.id: verdict.loader.line for verdict in verdicts(context.facts)}


def shown(context: Context) -> Shown | None:
    """Returns the lanes of the diagram, at most 40; None if the log has no TRAINING_TIME records,
    or if these have no time."""
    lanes = context.training_lanes
    if lanes is None or not lanes.lanes:
        return None
    rows = _chosen(lanes)
    several = sum(lane.worker is None for lane in rows) > 1
    states = tuple(state for state in WORDS if any(state in lane.sums for lane in rows))
    if not states:
        return None
    lines = _lines(context, rows)
    labels = tuple(_label(lane, several, lines) for lane in rows)
    return Shown(lanes, tuple(rows), labels, states, _saves(context), len(lanes.lanes) - len(rows))


def caption(found: Shown) -> str:
    """Returns the text below the diagram, which explains its colours and its resolution."""
    width = f"{found.lanes.width:g} s"
    workers = any(lane.worker is not None for lane in found.rows)
    alone = any(lane.worker is None and WORKING & lane.sums.keys() for lane in found.rows)
    said = [
        f"Each colour is the part of {width} that a process spent so; a line below is its life. "
        f"The log has sums for each {width} and no times of single batches: the parts of a batch "
        f"are spread over the time in which it was made, and may be up to {width} off."
    ]
    if workers:
        said.append(
            "A worker is idle while it makes no batch: the program has enough of them, or the "
            "worker starts or ends."
        )
    if any(len(lane.spans) > 1 for lane in found.rows):
        said.append(
            "Processes with one number as a worker share a lane if they followed each other."
        )
    if alone:
        said.append(
            "Without workers the program makes batches itself, and this is its wait for data: "
            "calls on files, computing and what is above them."
        )
    said.append("Outside of epochs, nothing is measured in the lane of the program.")
    if found.saves:
        said.append(f"The last lane has {plural(len(found.saves), 'save')} of checkpoints.")
    if found.left_out:
        said.append(
            f"{plural(found.left_out, 'more lane')}, of processes that waited less for data, "
            f"{'is' if found.left_out == 1 else 'are'} left out."
        )
    return " ".join(said)


def _numbers(bins: np.ndarray) -> list[float]:
    return [round(value, 3) for value in bins.tolist()]


def _content(lane: Lane, loops: dict[int, int]) -> dict[str, Any]:
    return {
        "process": lane.process,
        "worker": lane.worker,
        "of_process": lane.parent if lane.parent >= 0 else None,
        "rank": lane.rank,
        "loop": loops.get(lane.loader),
        "lives": [[round(start, 6), round(end, 6)] for start, end in lane.spans],
        "seconds": {state: _numbers(lane.spent[state]) for state in lane.sums},
    }


def data(context: Context) -> dict[str, Any] | None:
    """Returns all lanes as a dictionary for JSON; None if the log has no TRAINING_TIME records."""
    lanes = context.training_lanes
    if lanes is None:
        return None
    loops = {verdict.loader.id: place for place, verdict in enumerate(verdicts(context.facts))}
    return {
        "bin_seconds": lanes.width,
        "lanes": [_content(lane, loops) for lane in lanes.lanes[:_LISTED]],
    }
