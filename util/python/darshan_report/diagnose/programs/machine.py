"""The machine that a job ran on, from the job's metadata, and time in Python's bindings."""

from __future__ import annotations

import numpy as np

from ..facts import Facts

_DIGITS = 9  # a longer number is invalid


def _number(facts: Facts, name: str) -> int:
    said = dict(facts.info.metadata).get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS else 0


def processors(facts: Facts) -> int:
    """Returns how many processors the ranks may use on all nodes; 0 if unknown."""
    return _number(facts, "processors")


def nodes(facts: Facts) -> int:
    """Returns the number of nodes; 0 if unknown."""
    return _number(facts, "nodes")


def outnumbered(facts: Facts) -> bool:
    """Returns whether there are more ranks than processors."""
    return facts.together and 0 < processors(facts) < facts.nprocs


def binding(facts: Facts, calls: np.ndarray) -> np.ndarray:
    """Returns the seconds that Python's bindings take for these accesses to the contents of a file.
    In this time they turn an index into a selection, or a name into an object; the libraries that
    they call do not see it."""
    if "python" not in facts.info.exe.partition(" ")[0]:
        return np.zeros(len(calls))
    return calls * facts.limits["python.seconds"]
