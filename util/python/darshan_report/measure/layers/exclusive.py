"""The own time of libraries above the system calls: the time in their calls, without the calls that
they make."""

from __future__ import annotations

import math
from typing import Callable

from ...classes import dataclass
from .attribution import OPERATIONS, READ, WRITE, Attribution

_KINDS = ((READ,), (WRITE,), tuple(o for o in OPERATIONS if o not in (READ, WRITE)))
_LONGEST = 1e18  # seconds; only a damaged log has more


@dataclass(frozen=True)
class Own:
    """Seconds in one layer, without the layers below, by kind of call, summed over processes."""

    title: str
    read: float
    write: float
    metadata: float  # opens, flushes, closes and attributes

    @property
    def time(self) -> float:
        """The seconds in calls of all kinds."""
        return self.read + self.write + self.metadata


def own_times(attribution: Attribution) -> list[Own]:
    """Returns the own times of the layers above POSIX that took time (HDF5, MPI-IO, MPI
    communication), from the program downwards."""

    def split(title: str, seconds: Callable[[tuple[str, ...]], float]) -> Own:
        spent = (seconds(kind) for kind in _KINDS)
        return Own(title, *(min(s, _LONGEST) if s > 0 and math.isfinite(s) else 0.0 for s in spent))

    hdf5, libraries = attribution.everything, attribution.every_library
    found = (
        split("HDF5 itself", hdf5.own_time),
        split("MPI-IO itself", libraries.mpiio_time),
        split("MPI communication", libraries.communication_time),
    )
    return [own for own in found if own.time > 0]
