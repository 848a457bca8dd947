"""Computes how long the processes of a tree waited for a processor outside of their calls on files.

The kernel's waits of a killed process are unknown: a pool of workers is mostly killed at the end of
the run. Their waits are then estimated from those of the run's other processes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...measure.processes.processes import KILLED, RUNNING, Processes
from ...measure.processes.usage import Usage

Floats = npt.NDArray[np.float64]


def _of_ranks(tree: Processes, known: Usage, each: Floats) -> Floats:
    """Returns a value of each rank of the tree, for each record of USAGE; 0 if it has no such
    rank. each: the values of the ranks."""
    at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
    return np.asarray(np.where(tree.ranks[at] == known.ranks, each[at], 0.0))


def queued(tree: Processes, known: Usage) -> Floats:
    """Returns the seconds in which the processes waited for a processor, for each record of USAGE.
    If those of a killed process are unknown, they are taken to be as many for each second of
    processor time as those of the other processes, and at most the rest of its lifetime."""
    waited, ran = known["F_RUNNABLE_TIME"], known["F_USER_TIME"] + known["F_SYSTEM_TIME"]
    cut = np.isin(tree["ENDED"], (KILLED, RUNNING)).astype("f8")
    told = known.knows("F_RUNNABLE_TIME") | (_of_ranks(tree, known, cut) == 0)
    worked = float(ran[told].sum())
    if told.all() or worked <= 0:
        return waited
    most = np.maximum(0.0, _of_ranks(tree, known, tree.lives) - ran)
    each = float(waited[told].sum()) / worked
    return np.asarray(np.where(told, waited, np.minimum(ran * each, most)))


def outside_of_calls(tree: Processes, known: Usage) -> float:
    """Returns the seconds in which the processes waited for a processor outside of calls on files,
    summed. If the calls of a process took longer than the kernel worked for it, it slept, and it
    waited after its sleeps, the savings leave out its other waits (times/cpu_wait.py). Otherwise
    the calls may contain all of its waits, and the savings, too."""
    waited, after = queued(tree, known), known.after_sleep
    in_calls = _of_ranks(tree, known, tree.time)
    explained = known["F_SYSTEM_TIME"] + known["F_BLOCKED_TIME"] + after
    kept = np.minimum(np.where(explained < in_calls, after, waited), in_calls)
    return float(np.maximum(0.0, waited - kept).sum())
