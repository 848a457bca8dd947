"""The estimate that darshan-parser --perf prints: the rate at which a layer moved its bytes."""

from __future__ import annotations

import numpy as np

from ...classes import dataclass
from ...records import Records
from .layers import Layer

MIB = 1048576


@dataclass(frozen=True)
class Performance:
    """The values that darshan-parser --perf prints for one module. The time is that of the slowest
    rank on files that it uses alone, plus that of the slowest rank on each file that all ranks
    share."""

    total_bytes: int  # read and written
    slowest_rank: int  # 0 if no rank has a file alone
    unique_time: float  # seconds, of the slowest rank
    shared_time: float  # seconds

    @property
    def time(self) -> float:
        """The value agg_time_by_slowest, in seconds."""
        return self.unique_time + self.shared_time

    @property
    def rate(self) -> float:
        """The value agg_perf_by_slowest, in MiB/s; 0 if there is no time."""
        return self.total_bytes / MIB / self.time if self.time else 0.0


def over_all(records: Records, layer: Layer) -> Performance:
    """Returns the bytes of all records, and as unique_time the seconds in all calls of all
    processes. It is for programs that do not wait for their slowest process."""
    total = sum(int(records[layer.counter(n)].sum()) for n in ("BYTES_READ", "BYTES_WRITTEN"))
    with np.errstate(over="ignore", invalid="ignore"):
        seconds = sum(
            records[layer.counter(n)].sum() for n in ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")
        )
    return Performance(total, 0, max(0.0, float(np.nan_to_num(seconds))), 0.0)


def performance(records: Records, layer: Layer) -> Performance:
    """Returns the bytes of all records of a layer, and the time of its slowest rank."""
    total = sum(int(records[layer.counter(n)].sum()) for n in ("BYTES_READ", "BYTES_WRITTEN"))
    shared = records.ranks < 0
    shared_time = float(records[layer.counter("F_SLOWEST_RANK_TIME")][shared].sum())
    own = ~shared
    with np.errstate(over="ignore", invalid="ignore"):
        seconds = sum(
            records[layer.counter(n)][own] for n in ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")
        )
    rank, slowest = 0, 0.0
    if own.any():
        ranks, place = np.unique(records.ranks[own], return_inverse=True)
        sums = np.bincount(place, weights=seconds)
        first = int(np.argmax(sums))
        if sums[first] > 0:
            rank, slowest = int(ranks[first]), float(sums[first])
    return Performance(total, rank, slowest, shared_time)
