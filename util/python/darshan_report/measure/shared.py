"""How many processes a combined record stands for, where it is not all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..library import LogError
from ..log import Log
from ..records import Joined
from ..tables import Module


@dataclass(frozen=True, eq=False)
class Shared:
    """The SHARED rows of one module, in the order of ids."""

    ids: npt.NDArray[np.uint64]
    ranks: npt.NDArray[np.int64]  # how many
    lowest: npt.NDArray[np.int64]
    highest: npt.NDArray[np.int64]

    def rows(self, ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """The row of each id, -1 without one."""
        at = np.searchsorted(self.ids, ids).clip(0, len(self.ids) - 1)
        return np.where(self.ids[at] == ids, at, -1)


def shared(log: Log) -> dict[int, Shared]:
    """By the id of the module; empty too where the rows are damaged, for they only add."""
    region = log.info.region("SHARED")
    if region is None or region.length == 0:
        return {}
    try:
        records = log.records("SHARED")
    except LogError:
        return {}
    most = max(1, log.info.nprocs)
    found = {}
    for module in np.unique(records["SHARED_MODULE"]):
        some = records.array[records["SHARED_MODULE"] == module]
        some = some[np.argsort(some["id"], kind="stable")]
        found[int(module)] = Shared(
            some["id"],
            some["SHARED_RANKS"].clip(1, most),
            some["SHARED_LOWEST_RANK"],
            some["SHARED_HIGHEST_RANK"],
        )
    return found


def processes_of(
    files: Joined, module: Module, everybody: int, known: dict[int, Shared]
) -> npt.NDArray[np.int64]:
    """Of how many processes each file has records; everybody: what to say of all."""
    found = np.where(files.merged, everybody, files.records)
    partly = known.get(module.id)
    if partly is not None and len(files):
        rows = partly.rows(files.ids)
        some = files.merged & (rows >= 0)
        # A record for some ranks, and perhaps those of single ones beside it.
        found[some] = (partly.ranks[rows] + files.records - 1)[some]
    return found
