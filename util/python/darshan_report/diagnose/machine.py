"""What a job says of the machine that it ran on."""

from __future__ import annotations

import numpy as np

from .facts import Facts

_DIGITS = 9  # of a number that can be meant


def _number(facts: Facts, name: str) -> int:
    said = dict(facts.info.metadata).get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS else 0


def processors(facts: Facts) -> int:
    """Those that the ranks may use, on all nodes together; 0: the log does not say."""
    return _number(facts, "processors")


def nodes(facts: Facts) -> int:
    """How many; 0: the log does not say."""
    return _number(facts, "nodes")


def outnumbered(facts: Facts) -> bool:
    """Whether ranks share processors."""
    return facts.together and 0 < processors(facts) < facts.nprocs


def binding(facts: Facts, calls: np.ndarray) -> np.ndarray:
    """Seconds that Python's bindings take around so many accesses to what a file holds, of which
    no library below sees anything: an index becomes a selection, a name an object."""
    if "python" not in facts.info.exe.partition(" ")[0]:
        return np.zeros(len(calls))
    return calls * facts.limits["python.seconds"]
