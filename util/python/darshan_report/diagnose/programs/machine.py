"""The processors and nodes of a job, from the log's metadata, and the cost of Python's bindings."""

from __future__ import annotations

import math
import re

import numpy as np

from ...call_sites.lines import sites_of
from ...library import LogError
from ..facts import Facts, once

_LIBRARY = re.compile(r"H5|nc_")
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
    """Returns whether an MPI job has more ranks than processors; False if the log's metadata lack
    them."""
    return facts.together and 0 < processors(facts) < facts.nprocs


def binding(facts: Facts, calls: np.ndarray) -> np.ndarray:
    """Returns, for each number in `calls`, the seconds that Python's bindings (h5py and the like)
    take for so many calls on a file's contents; zeros if the command does not name Python. In this
    time they convert an index to a selection, or a name to an object. The sum is at most the time
    around calls of HDF5, where call sites tell it."""
    if "python" not in facts.info.exe.partition(" ")[0]:
        return np.zeros(len(calls))
    spent: np.ndarray = calls * facts.limits["python.seconds"]
    return spent * min(1.0, _around(facts) / max(float(spent.sum()), 1e-9))


@once
def _around(facts: Facts) -> float:
    """Returns the seconds in gaps below 10 ms before calls of HDF5 and netCDF, of all processes;
    without call sites all of their time, or infinity if that is unknown."""
    most = facts.process_time if facts.process_time > 0 else math.inf
    try:
        sites = sites_of(facts.log)
    except LogError:
        return most
    found = [site.sums.shown_gaps for site in sites if _LIBRARY.match(site.stack.called)]
    return min(sum(found), most) if found else most
