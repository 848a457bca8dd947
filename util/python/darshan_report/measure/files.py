"""Records of one layer joined by file: a file may have a record per rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..records import Records
from .layers import Layer


@dataclass(frozen=True, eq=False)
class Files:
    """A row per file (dataset, object ...) of a layer."""

    ids: npt.NDArray[np.uint64]
    processes: npt.NDArray[np.int64]  # that have a record; -1: all
    read: npt.NDArray[np.int64]  # bytes; -1: unknown
    written: npt.NDArray[np.int64]  # bytes; -1: unknown
    time: npt.NDArray[np.float64]  # seconds in calls, summed over processes; -1: unknown

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def shared(self) -> int:
        """Files with records of more than one process, or of all."""
        return int(np.count_nonzero(self.processes != 1))

    def slowest(self, count: int) -> npt.NDArray[np.int64]:
        """Places of the files with the most time, then bytes; the first is the worst."""
        moved = self.read.astype("f8") + self.written
        # The id settles ties, so that two runs give the same report.
        order = np.lexsort((self.ids, -moved, -self.time))
        return order[:count]


TIMES = ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME", "F_WAIT_TIME")


def times_of(records: Records, layer: Layer) -> list[str]:
    """The cumulative timers that a layer has, full names."""
    return [n for n in map(layer.counter, TIMES) if records.module.has(n)]


def _joined(
    column: np.ndarray, order: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
) -> np.ndarray:
    sums = np.add.reduceat(column[order], starts)
    unknown = np.logical_or.reduceat((column == -1)[order], starts)
    sums[unknown] = -1
    return sums


def files_of(records: Records, layer: Layer, nprocs: int) -> Files:
    """Joins the records of a layer by id."""
    count = len(records)
    if count == 0:
        none = np.empty(0, "i8")
        return Files(np.empty(0, "u8"), none, none, none, np.empty(0))
    order = np.argsort(records.ids, kind="stable")
    ids = records.ids[order]
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    processes = np.diff(np.concatenate((starts, [count])))
    # In a job of one process "all processes" is that one.
    everyone = -1 if nprocs > 1 else 1
    processes[np.logical_or.reduceat((records.ranks < 0)[order], starts)] = everyone

    def bytes_of(name: str) -> npt.NDArray[np.int64]:
        full = layer.counter(name)
        if not records.module.has(full):
            return np.full(len(starts), -1)
        return _joined(records[full], order, starts)

    time = np.zeros(len(starts))
    with np.errstate(over="ignore", invalid="ignore"):
        for name in times_of(records, layer):
            part = _joined(records[name], order, starts)
            time = np.where((time == -1) | (part == -1), -1, time + part)
    time[~np.isfinite(time)] = -1
    return Files(ids[starts], processes, bytes_of("BYTES_READ"), bytes_of("BYTES_WRITTEN"), time)
