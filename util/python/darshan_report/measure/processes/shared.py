"""The number of processes that a combined record represents, if these are not all processes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...log import Log
from ...records import Joined, Records
from .processes import Processes


@dataclass(frozen=True, eq=False)
class Shared:
    """The SHARED records of one module, in the order of ids: how many processes share a combined
    record, and the lowest and highest rank of them."""

    ids: npt.NDArray[np.uint64]
    ranks: npt.NDArray[np.int64]  # number of processes
    lowest: npt.NDArray[np.int64]
    highest: npt.NDArray[np.int64]

    def rows(self, ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Returns the index of each id; -1 for an id without a SHARED record."""
        at = np.searchsorted(self.ids, ids).clip(0, len(self.ids) - 1)
        return np.where(self.ids[at] == ids, at, -1)


def shared(log: Log) -> dict[int, Shared]:
    """Returns the SHARED records by module id; empty if the log has none, or if they are damaged,
    because reports also work without them."""
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
            some["SHARED_LOWEST_RANK"].clip(0, most),
            some["SHARED_HIGHEST_RANK"].clip(0, most),
        )
    return found


class Users:
    """Computes how many processes used a file, from its records and the SHARED records."""

    def __init__(
        self, everybody: int, known: dict[int, Shared], tree: Processes | None = None
    ) -> None:
        """everybody: the result for a record of all processes. known: the SHARED records by module
        id. tree: the processes of a run, in which a rank may represent many processes; None: each
        rank is one process."""
        self._everybody, self._known = everybody, known
        self._ranks = np.empty(0, "i8") if tree is None else tree.ranks
        self._more = np.empty(0, "i8") if tree is None else tree.counts - 1
        self._more_upto = np.concatenate(([0], np.cumsum(self._more)))

    def _of_ranks(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Returns the number of processes of each record, by its rank; 0 for a combined record."""
        found = (ranks >= 0).astype("i8")
        if len(self._ranks):
            at = np.searchsorted(self._ranks, ranks).clip(0, len(self._ranks) - 1)
            found += np.where(self._ranks[at] == ranks, self._more[at], 0)
        return found

    def _between(
        self, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Returns, for each row, how many more processes than ranks there are from rank `low` to
        rank `high`. All ranks in between are assumed to have taken part. So the result may be too
        large, but never too small: otherwise a process would be blamed for the work of others."""
        first, behind = np.searchsorted(self._ranks, low), np.searchsorted(self._ranks, high + 1)
        more: np.ndarray = self._more_upto[behind] - self._more_upto[first]
        return more.clip(0)

    def of(self, files: Joined, records: Records) -> npt.NDArray[np.int64]:
        """Returns the number of processes for each file of `files`, which are `records` joined by
        file."""
        single = files.added(self._of_ranks(records.ranks))
        found = np.where(files.merged, self._everybody, single)
        partly = self._known.get(records.module.id)
        if partly is not None and len(files):
            rows = partly.rows(files.ids)
            some = files.merged & (rows >= 0)
            more = self._between(partly.lowest, partly.highest)
            # A combined record represents some ranks; other ranks may have their own records.
            found[some] = ((partly.ranks + more)[rows] + single)[some]
        return found
