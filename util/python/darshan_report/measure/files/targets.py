"""The bytes and seconds of each storage target (OST) of Lustre."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...log import Log
from ...variable import layouts
from ..processes.ranks import summed


@dataclass(frozen=True, eq=False)
class Stripes:
    """The targets that store each file: one row for each pair of a file and a target."""

    files: npt.NDArray[np.uint64]  # record ids
    targets: npt.NDArray[np.int64]  # numbers of OSTs
    shares: npt.NDArray[np.float64]  # part of the file: 1 / number of its targets

    def of(self, file: int) -> npt.NDArray[np.int64]:
        """Returns the targets of a file without repetition, by its record id; empty if unknown."""
        return np.unique(self.targets[self.files == np.uint64(file)])


def stripes(log: Log) -> Stripes | None:
    """Returns the stripes in the LUSTRE records; None if there are none, or if they are damaged."""
    region = log.info.region("LUSTRE")
    if region is None or region.length == 0:
        return None
    files: list[npt.NDArray[np.uint64]] = []
    targets: list[npt.NDArray[np.int64]] = []
    shares: list[npt.NDArray[np.float64]] = []
    try:
        for layout in layouts(log):
            there = np.unique(layout.osts[layout.osts >= 0])
            if len(there):
                files.append(np.full(len(there), layout.id, "u8"))
                targets.append(there.astype("i8"))
                shares.append(np.full(len(there), 1 / len(there)))
    except LogError:
        return None
    if not files:
        return None
    return Stripes(np.concatenate(files), np.concatenate(targets), np.concatenate(shares))


@dataclass(frozen=True, eq=False)
class Targets:
    """The transfers of each target, one element per target. A file's bytes and seconds are divided
    evenly among its targets, because the log does not have the stripe of a transfer."""

    numbers: npt.NDArray[np.int64]  # of the targets (OSTs)
    files: npt.NDArray[np.int64]  # how many files have bytes on each
    bytes: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]

    @property
    def slowness(self) -> npt.NDArray[np.float64]:
        """The seconds per byte of each target."""
        return self.seconds / np.maximum(self.bytes, 1)


def by_target(
    found: Stripes,
    ids: npt.NDArray[np.uint64],
    moved: npt.NDArray[np.float64],
    seconds: npt.NDArray[np.float64],
) -> Targets:
    """Returns the sums of bytes and seconds of files by target. ids: of the files, ascending.
    moved, seconds: bytes, and seconds in transfers, of each of these files."""
    at = np.searchsorted(ids, found.files).clip(0, max(0, len(ids) - 1))
    known = ids[at] == found.files if len(ids) else np.zeros(len(found.files), bool)
    at, part = at[known], found.shares[known]
    numbers, place = np.unique(found.targets[known], return_inverse=True)
    return Targets(
        numbers,
        np.bincount(place, minlength=len(numbers)),
        summed(place, moved[at] * part, len(numbers)),
        summed(place, seconds[at] * part, len(numbers)),
    )
