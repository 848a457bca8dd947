"""The bytes and seconds of each host, if traces name the hosts of the ranks."""

from __future__ import annotations

from dataclasses import field

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...log import Log
from ...variable import traces_in_place

_MOST = 32 << 20  # largest number of bytes of traces that is read; more would take seconds


@dataclass
class Host:
    """One host: transfers, bytes and seconds of the traced POSIX transfers of its ranks, summed.
    ranks: bytes and seconds of each rank."""

    transfers: int = 0
    bytes: float = 0.0
    seconds: float = 0.0
    ranks: dict[int, tuple[float, float]] = field(default_factory=dict)  # bytes, seconds

    def add(self, rank: int, segments: npt.NDArray[np.void]) -> None:
        """Adds the traced transfers of one rank with one file. segments: an array with a row per
        transfer."""
        moved = float(np.maximum(segments["length"], 0).sum(dtype="f8"))
        lasted = np.maximum(segments["end_time"] - segments["start_time"], 0)
        seconds = float(lasted[np.isfinite(lasted)].sum())
        before = self.ranks.get(rank, (0.0, 0.0))
        self.ranks[rank] = (before[0] + moved, before[1] + seconds)
        self.transfers += len(segments)
        self.bytes += moved
        self.seconds += seconds


def hosts(log: Log) -> dict[str, Host]:
    """Returns the hosts by name; empty if the log has no traces, or if they are damaged or too
    large."""
    region = log.info.region("DXT_POSIX")
    found: dict[str, Host] = {}
    if region is None or not 0 < region.length <= _MOST:
        return found
    try:
        for trace in traces_in_place(log, "DXT_POSIX"):
            host = found.setdefault(trace.hostname, Host())
            host.add(trace.rank, trace.writes)
            host.add(trace.rank, trace.reads)
    except LogError:
        return {}
    return found
