"""Splits the metadata time of POSIX files into calls on mappings and all others."""

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
