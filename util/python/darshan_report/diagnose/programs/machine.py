"""The machine that a job ran on, from the job's metadata, and time in Python's bindings."""

from __future__ import annotations

import numpy as np

from ..facts import Facts

_DIGITS = 9  # a longer number is invalid


def _number(facts: Facts, name: str) -> int:
    said = dict(facts.info.metadata).get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS else 0


def processors(facts: Facts) -> int:
    """Returns how many processors the ranks may use on all nodes; 0 if the log does not say."""
    return _number(facts, "processors")


def nodes(facts: Facts) -> int:
    """Returns the number of nodes; 0 if the log does not say."""
    return _number(facts, "nodes")


def outnumbered(facts: Facts) -> bool:
    """Returns whether ranks share processors."""
    return facts.together and 0 < processors(facts) < facts.nprocs


def binding(facts: Facts, calls: np.ndarray) -> np.ndarray:
    """Returns the seconds that Python's bindings need around these accesses to the contents of a
    file. No library below sees this time, in which an index becomes a selection and a name an
    object."""
    if "python" not in facts.info.exe.partition(" ")[0]:
        return np.zeros(len(calls))
    return calls * facts.limits["python.seconds"]
