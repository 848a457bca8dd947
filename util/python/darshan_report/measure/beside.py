"""What POSIX_EXT counts of operations on names that the POSIX records do not hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..records import Records

_LONGEST = 1e18  # seconds; what a damaged log says beyond that means nothing


@dataclass(frozen=True)
class Beside:
    """Seconds, summed over processes."""

    metadata: float = 0.0  # operations on names and folders, look-ups that found nothing
    syncs: float = 0.0  # msync, sync and syncfs, which write no file of a record


def _column(records: Records, name: str) -> npt.NDArray[np.float64]:
    full = f"POSIX_EXT_{name}"
    if not records.module.has(full):
        return np.zeros(len(records))
    return np.clip(np.nan_to_num(records[full].astype("f8"), posinf=0.0), 0.0, _LONGEST)


def beside(extra: Records, posix: npt.NDArray[np.uint64]) -> Beside:
    """posix: ids of the files that have a record of POSIX, which then has these times, too."""
    elsewhere = ~np.isin(extra.ids, posix)
    metadata = _column(extra, "F_META_TIME")[elsewhere].sum()
    metadata += _column(extra, "F_LIST_TIME").sum()
    # Of accesses that found nothing the time is in F_META_TIME; which of the others' is not
    # known one by one.
    misses, accesses = _column(extra, "MISSES").sum(), _column(extra, "ACCESSES").sum()
    if misses > accesses:
        metadata += _column(extra, "F_MISS_TIME").sum() * (1 - accesses / misses)
    syncs = _column(extra, "F_SYNC_TIME")
    return Beside(float(metadata), float(syncs[elsewhere].sum()))
