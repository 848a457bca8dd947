"""Two sums of I/O time, which have the same names in every report.

File I/O is the time in calls of the lowest layers (POSIX, STDIO, DFS) on files. I/O of all layers
also contains the own time of the libraries above (HDF5, MPI-IO, PnetCDF). Both are reported as
percentages of the time in which the processes could work: their lifetimes without the waits for
child processes."""

from __future__ import annotations

from ..classes import dataclass

_ROUNDING = 0.005


@dataclass(frozen=True)
class Shares:
    """Seconds in file I/O, in I/O of all layers, and of the time in which processes could work
    (their lifetimes without the waits for child processes), each summed over all processes."""

    files: float  # in file I/O
    all: float  # in I/O of all layers; equal to files without layers above
    work: float  # in which the processes could work
    waited: bool = False  # `work` differs from the run time, or from run time times ranks

    @property
    def part(self) -> float:
        """The time in I/O of all layers as a fraction of the possible work, 0 to 1."""
        return min(1.0, self.all / self.work) if self.work > 0 else 0.0

    @property
    def overlapping(self) -> bool:
        """Whether the time in calls exceeds the lifetimes of the processes, because calls of
        several threads overlapped."""
        return 0 < self.work < self.all * (1 - _ROUNDING)

    @property
    def above(self) -> bool:
        """Whether upper libraries took time that is not part of the lowest layers' time."""
        return self.all > self.files
