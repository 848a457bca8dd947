"""Where files lie on Lustre: bytes and seconds of each storage target (OST)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..library import LogError
from ..log import Log
from ..variable import layouts


@dataclass(frozen=True, eq=False)
class Stripes:
    """A row for each pair of a file and a target that it lies on."""

    files: npt.NDArray[np.uint64]
    targets: npt.NDArray[np.int64]
    shares: npt.NDArray[np.float64]  # of the file: one over how many targets it has

    def of(self, file: int) -> npt.NDArray[np.int64]:
        """The targets of a file, each once; none where that is not known."""
        return np.unique(self.targets[self.files == np.uint64(file)])


def stripes(log: Log) -> Stripes | None:
    """From the LUSTRE records; None without any, or where they are damaged."""
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
    """What went to each target.  A file's bytes and seconds are shared out evenly: which stripe
    a transfer met is not recorded."""

    numbers: npt.NDArray[np.int64]
    files: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]

    @property
    def slowness(self) -> npt.NDArray[np.float64]:
        """Seconds for a byte."""
        return self.seconds / np.maximum(self.bytes, 1)


def by_target(
    found: Stripes,
    ids: npt.NDArray[np.uint64],
    moved: npt.NDArray[np.float64],
    seconds: npt.NDArray[np.float64],
) -> Targets:
    """From bytes and seconds of files, ids ascending."""
    at = np.searchsorted(ids, found.files).clip(0, max(0, len(ids) - 1))
    known = ids[at] == found.files if len(ids) else np.zeros(len(found.files), bool)
    at, part = at[known], found.shares[known]
    numbers, place = np.unique(found.targets[known], return_inverse=True)
    return Targets(
        numbers,
        np.bincount(place, minlength=len(numbers)),
        np.bincount(place, weights=moved[at] * part, minlength=len(numbers)),
        np.bincount(place, weights=seconds[at] * part, minlength=len(numbers)),
    )
