"""Compares the bytes that the kernel counted for processes (module USAGE) with those in recorded
calls."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...log import Log
from ...records import Records

Floats = npt.NDArray[np.float64]
_MOST = 1e18  # bytes; only a damaged log has more

# Upper bounds of the cost of page faults and metadata reads, from a slow disk.
SECONDS_OF_A_FAULT = 10e-3
BYTES_PER_SECOND = 100e6
PAGE = 4096  # the kernel writes at least this many bytes


@dataclass(frozen=True)
class Seen:
    """The sums of recorded calls (bytes, calls, seconds), to be compared with the kernel's counts.
    Each array has an element for each process that the log distinguishes."""

    read: Floats  # bytes
    written: Floats
    writes: Floats  # calls
    seconds: Floats  # in calls
    beside: Floats  # bytes that the file system may have written for metadata of files and names


class Usage:
    """The records of module USAGE, ordered by rank: the kernel's counts for each process. Each
    counter is an array with one element per record."""

    def __init__(self, records: Records) -> None:
        order = np.argsort(records.ranks, kind="stable")
        self._array = records.array[order]
        self.ranks: npt.NDArray[np.int64] = records.ranks[order]

    def __len__(self) -> int:
        return len(self.ranks)

    def __getitem__(self, name: str) -> Floats:
        """Returns a counter by its name without the prefix; unknown values are 0."""
        column = self._array[f"USAGE_{name}"].astype("f8")
        finite: Floats = np.nan_to_num(column, nan=0.0, posinf=_MOST)
        return finite.clip(0.0, _MOST)

    def knows(self, name: str) -> npt.NDArray[np.bool_]:
        """Returns a mask of the records in which a counter is known, by its name without the
        prefix."""
        return np.asarray(self._array[f"USAGE_{name}"] >= 0)

    @property
    def after_sleep(self) -> Floats:
        """The seconds in which each process waited for a processor after a sleep. They are part of
        the cost of a call that sleeps. The kernel has only the sum of all waits for a processor, so
        waits after a sleep and after a loss of the processor are assumed to be equally long."""
        slept, lost = self["WAITS"], self["PREEMPTIONS"]
        return np.asarray(self["F_RUNNABLE_TIME"] * slept / np.maximum(slept + lost, 1))

    @property
    def preempted(self) -> Floats:
        """The seconds in which each process waited for a processor that another process had
        taken."""
        return self["F_RUNNABLE_TIME"] - self.after_sleep

    @property
    def from_storage(self) -> float:
        """The bytes that all processes read from storage, including programs and their
        libraries."""
        return float((self["STORAGE_READ"] + self["STORAGE_START"]).sum())

    @property
    def starting(self) -> Floats:
        """An upper bound of the bytes that each process read from storage for starts and
        imports."""
        return self["LOADED"] + self["EXCLUDED_READ"]

    def unexplained(self, seen: Seen) -> tuple[Floats, Floats]:
        """Returns the bytes that each process read from storage, and those that it wrote, as far as
        neither recorded calls nor starts of programs explain them. seen: the recorded calls, in the
        order of the records."""
        read = self["STORAGE_READ"] - self.starting - seen.read
        written = self["STORAGE_WRITTEN"] - self["EXCLUDED_WRITTEN"]
        written -= seen.written + PAGE * seen.writes + seen.beside
        return np.maximum(read, 0.0), np.maximum(written, 0.0)

    def seconds(self, seen: Seen, least: float) -> Floats:
        """Returns an upper bound of the seconds that each process waited for unexplained bytes: the
        smaller of two times. One is what its main thread slept outside of recorded calls, the other
        what a slow disk would need. Fewer than `least` bytes are not counted. seen: the recorded
        calls."""
        read, written = self.unexplained(seen)
        read, written = (np.where(bytes_ >= least, bytes_, 0.0) for bytes_ in (read, written))
        longest = (read + written) / BYTES_PER_SECOND
        longest += np.where(read > 0, self["MAJOR_FAULTS"] * SECONDS_OF_A_FAULT, 0.0)
        asleep = np.maximum(self["F_BLOCKED_TIME"] - seen.seconds, 0.0)
        return np.where(self.knows("F_BLOCKED_TIME"), np.minimum(longest, asleep), longest)


def usage_of(log: Log) -> Usage | None:
    """Returns the USAGE records of a log; None if there are none, or if they are damaged."""
    region = log.info.region("USAGE")
    if region is None or region.length == 0:
        return None
    try:
        records = log.records("USAGE")
    except LogError:
        return None
    return Usage(records) if len(records) else None
