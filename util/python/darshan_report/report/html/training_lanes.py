"""The page's data about a training: a row per process, with its activities over time."""

from __future__ import annotations

from typing import Any

from ..context import Context
from ..sections import training_lanes
from . import columns


def lanes(context: Context) -> dict[str, Any] | None:
    """Returns the lanes of a training as data for the page; None if the log does not have them."""
    found = training_lanes.shown(context)
    if found is None:
        return None
    return {
        "bin": found.lanes.width,
        "end": found.lanes.end,
        "states": [[state, training_lanes.WORDS[state]] for state in found.states],
        "caption": training_lanes.caption(found),
        "savesName": training_lanes.SAVES,
        "saves": [[round(start, 6), round(end, 6)] for start, end in found.saves],
        "rows": [
            {
                "name": label,
                "isWorker": lane.worker is not None,
                "spans": [[round(start, 6), round(end, 6)] for start, end in lane.spans],
                "spent": {state: columns.real(lane.spent[state]) for state in lane.sums},
            }
            for lane, label in zip(found.rows, found.labels)
        ],
    }
