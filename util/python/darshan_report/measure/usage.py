"""What the kernel has accounted to the processes (USAGE), beside what calls were seen to move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..library import LogError
from ..log import Log
from ..records import Records

Floats = npt.NDArray[np.float64]
_MOST = 1e18  # bytes; a damaged log may say more

# What page faults and reads of metadata cost at most: a slow disk's.
SECONDS_OF_A_FAULT = 10e-3
BYTES_PER_SECOND = 100e6
PAGE = 4096  # the kernel writes no less


@dataclass(frozen=True)
class Seen:
    """What calls were seen to do: a value per process that is told apart."""

    read: Floats
    written: Floats
    writes: Floats
    seconds: Floats


class Usage:
    """A place per record of USAGE, in the order of ranks."""

    def __init__(self, records: Records) -> None:
        order = np.argsort(records.ranks, kind="stable")
        self._array = records.array[order]
        self.ranks: npt.NDArray[np.int64] = records.ranks[order]

    def __len__(self) -> int:
        return len(self.ranks)

    def __getitem__(self, name: str) -> Floats:
        """A column, its name without the prefix; what is not known is 0."""
        column = self._array[f"USAGE_{name}"].astype("f8")
        return np.clip(np.nan_to_num(column, nan=0.0, posinf=_MOST), 0.0, _MOST)

    def knows(self, name: str) -> npt.NDArray[np.bool_]:
        """Of which the kernel has told this."""
        return np.asarray(self._array[f"USAGE_{name}"] >= 0)

    @property
    def from_storage(self) -> float:
        """Bytes that came from storage, programs and their libraries included."""
        return float((self["STORAGE_READ"] + self["STORAGE_START"]).sum())

    @property
    def starting(self) -> Floats:
        """Bytes that starting and imports can have had from storage, at most."""
        return self["LOADED"] + self["EXCLUDED_READ"]

    def unexplained(self, seen: Seen) -> tuple[Floats, Floats]:
        """Bytes read from, and written to, storage that neither calls nor starting explain."""
        read = self["STORAGE_READ"] - self.starting - seen.read
        written = self["STORAGE_WRITTEN"] - self["EXCLUDED_WRITTEN"]
        written -= seen.written + PAGE * seen.writes
        return np.maximum(read, 0.0), np.maximum(written, 0.0)

    def seconds(self, seen: Seen, least: float) -> Floats:
        """How long the processes can have waited for those bytes: no longer than their first
        threads slept outside of calls that were seen, nor than a slow disk takes.  Bytes below
        `least` are not worth a word."""
        read, written = self.unexplained(seen)
        read, written = (np.where(bytes_ >= least, bytes_, 0.0) for bytes_ in (read, written))
        longest = (read + written) / BYTES_PER_SECOND
        longest += np.where(read > 0, self["MAJOR_FAULTS"] * SECONDS_OF_A_FAULT, 0.0)
        asleep = np.maximum(self["F_BLOCKED_TIME"] - seen.seconds, 0.0)
        return np.where(self.knows("F_BLOCKED_TIME"), np.minimum(longest, asleep), longest)


def usage_of(log: Log) -> Usage | None:
    """What the log has of this; None: nothing, or it is damaged there."""
    region = log.info.region("USAGE")
    if region is None or region.length == 0:
        return None
    try:
        records = log.records("USAGE")
    except LogError:
        return None
    return Usage(records) if len(records) else None
