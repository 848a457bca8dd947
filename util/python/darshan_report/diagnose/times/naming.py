"""Splits the metadata time of POSIX files: calls on mappings, repeated questions about a file, and
all others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..facts import Facts, once
from ..table import Table

Floats = npt.NDArray[np.float64]


@once
def mapping_times(facts: Facts) -> Floats | None:
    """Returns, for each POSIX file, the seconds of calls on its mappings, which are part of its
    metadata time; None if the log does not have them."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if posix is None or extra is None or not extra.has("F_MAP_TIME"):
        return None
    times = extra["F_MAP_TIME"]
    if times.max() <= 0:
        return None
    spent = np.zeros(len(posix))
    _, here, there = np.intersect1d(posix.ids, extra.ids, return_indices=True)
    spent[here] = np.maximum(times[there], 0.0)
    return spent


def naming_times(facts: Facts, table: Table) -> Floats:
    """Returns, for each file of a table, the seconds of calls that open, close, position and query
    it: the metadata time without calls on mappings."""
    times: Floats = table["F_META_TIME"].astype("f8")
    mapped = mapping_times(facts) if table.prefix == "POSIX" else None
    if mapped is not None:
        times = np.where(mapped > 0, np.maximum(times - mapped, 0.0), times)
    return times


# A query of a file takes about a quarter of what opening and closing it takes, on a local disk and
# on a parallel file system. So many queries per open belong to the use of a file.
_QUERIES_PER_OPEN = 4
_USUAL_QUERIES = 2


def opening_times(facts: Facts, table: Table) -> Floats:
    """Returns, for each file of a table, an estimate of the seconds in opening and closing it. This
    is the metadata time; if the file was queried more often than it was opened, without the part of
    the further queries."""
    times: Floats = table["F_META_TIME"].astype("f8")
    if not table.has("STATS"):
        return times
    opens = np.maximum(facts.opens(table), facts.files(table)).astype("f8")
    further = np.maximum(table["STATS"] - _USUAL_QUERIES * opens, 0.0)
    opening = _QUERIES_PER_OPEN * opens
    spent: Floats = times * opening / np.maximum(opening + further, 1.0)
    return spent
