"""The machine that a job ran on, from the job's metadata, and the cost of Python's bindings."""

from __future__ import annotations

import numpy as np

from ..facts import Facts

_DIGITS = 9  # a longer number is invalid


def _number(facts: Facts, name: str) -> int:
    said = dict(facts.info.metadata).get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS else 0


def processors(facts: Facts) -> int:
    """Returns how many processors all ranks together may use; 0 if the log's metadata lack it."""
    return _number(facts, "processors")


def nodes(facts: Facts) -> int:
    """Returns the number of nodes; 0 if the log's metadata lack it."""
    return _number(facts, "nodes")


def outnumbered(facts: Facts) -> bool:
    """Returns whether the job has more ranks than processors."""
    return facts.together and 0 < processors(facts) < facts.nprocs


def binding(facts: Facts, calls: np.ndarray) -> np.ndarray:
    """Returns the seconds that Python's bindings (h5py and the like) take for calls on a file's
    contents; zeros if the command does not name Python. In this time they convert an index to a
    selection, or a name to an object. calls: their numbers."""
    if "python" not in facts.info.exe.partition(" ")[0]:
        return np.zeros(len(calls))
    return calls * facts.limits["python.seconds"]
