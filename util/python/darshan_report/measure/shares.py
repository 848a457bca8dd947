"""How much of the time of a log was I/O: two sums, under the same names in every report.

File I/O: calls of the lowest layers (POSIX, STDIO, DFS) on files.  I/O of all layers: the same
and what the libraries above (HDF5, MPI-IO, PnetCDF) did themselves.  Both are parts of the time
in which the processes could work: their lives without what they waited for their children.
"""

from __future__ import annotations

from dataclasses import dataclass

_ROUNDING = 0.005


@dataclass(frozen=True)
class Shares:
    """Seconds, added up over all processes."""

    files: float  # in file I/O
    all: float  # in I/O of all layers; as much as files where none is above
    work: float  # in which the processes could work
    waited: bool = False  # whether that is another time than that of the run, or of all its ranks

    @property
    def part(self) -> float:
        """I/O of all layers as a part of the time, 0 to 1."""
        return min(1.0, self.all / self.work) if self.work > 0 else 0.0

    @property
    def overlapping(self) -> bool:
        """Whether calls lasted longer than their processes lived: several at a time did."""
        return 0 < self.work < self.all * (1 - _ROUNDING)

    @property
    def above(self) -> bool:
        """Whether libraries above took time that the lowest layers do not show."""
        return self.all > self.files
