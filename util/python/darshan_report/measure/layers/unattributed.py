"""Times of operations on names (stat, rename, listing) that only POSIX_EXT has and no POSIX record
contains."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...records import Records, among

_LONGEST = 1e18  # seconds; only a damaged log has more


@dataclass(frozen=True)
class Beside:
    """Seconds in operations that no file record contains, summed over processes."""

    metadata: float = 0.0  # operations on names and folders, failed lookups
    syncs: float = 0.0  # msync, sync and syncfs, which do not belong to one file


def _column(records: Records, name: str) -> npt.NDArray[np.float64]:
    full = f"POSIX_EXT_{name}"
    if not records.module.has(full):
        return np.zeros(len(records))
    column: np.ndarray = np.nan_to_num(records[full].astype("f8"), posinf=0.0)
    return column.clip(0.0, _LONGEST)


def beside(extra: Records, posix: npt.NDArray[np.uint64]) -> Beside:
    """Returns the times that no POSIX record contains. extra: the records of POSIX_EXT. posix: ids
    of the files that have a POSIX record, which contains their times."""
    elsewhere = ~among(extra.ids, posix)
    metadata = _column(extra, "F_META_TIME")[elsewhere].sum()
    metadata += _column(extra, "F_LIST_TIME").sum()
    # F_META_TIME contains the time of failed calls of access. Their share of F_MISS_TIME is
    # estimated from their number.
    misses, accesses = _column(extra, "MISSES").sum(), _column(extra, "ACCESSES").sum()
    if misses > accesses:
        metadata += _column(extra, "F_MISS_TIME").sum() * (1 - accesses / misses)
    syncs = _column(extra, "F_SYNC_TIME")
    return Beside(float(metadata), float(syncs[elsewhere].sum()))
