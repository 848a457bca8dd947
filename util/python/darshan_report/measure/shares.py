"""The parts of a log's time that were I/O: two sums, under the same names in every report.

File I/O: calls of the lowest layers (POSIX, STDIO, DFS) on files. I/O of all layers: the same, and
the own time of the libraries above (HDF5, MPI-IO, PnetCDF). Both are parts of the time in which the
processes could work: their lifetimes without the waits for child processes.
"""

from __future__ import annotations

from ..classes import dataclass

_ROUNDING = 0.005


@dataclass(frozen=True)
class Shares:
    """The seconds in file I/O, in I/O of all layers, and in which the processes could work, each
    summed over all processes."""

    files: float  # in file I/O
    all: float  # in I/O of all layers; equal to files without layers above
    work: float  # in which the processes could work
    waited: bool = False  # work differs from the time of the run, or of all its ranks

    @property
    def part(self) -> float:
        """I/O of all layers as a part of the time, 0 to 1."""
        return min(1.0, self.all / self.work) if self.work > 0 else 0.0

    @property
    def overlapping(self) -> bool:
        """Whether calls lasted longer than their processes lived, because several ran at a time."""
        return 0 < self.work < self.all * (1 - _ROUNDING)

    @property
    def above(self) -> bool:
        """Whether libraries above took time that the lowest layers do not show."""
        return self.all > self.files
