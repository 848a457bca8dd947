"""What the records of call sites counted, summed over processes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..records import Joined, Records

_SITE, _OBJECT, _FUNCTION = 0, 1, 2  # kinds of records
_CALLS = ("OPENS", "CLOSES", "READS", "WRITES", "LOOKUPS", "SEEKS", "SYNCS", "OTHERS")
_TIMES = ("OPEN", "CLOSE", "READ", "WRITE", "LOOKUP", "SEEK", "SYNC", "OTHER")


@dataclass
class Measured:
    """Sums over processes and threads."""

    seconds: float = 0.0  # in calls
    gap_seconds: float = 0.0  # gaps below 100 microseconds, between calls
    calls: int = 0
    read: int = 0  # bytes
    written: int = 0

    def add(self, other: Measured) -> None:
        """Adds another one to this one."""
        self.seconds += other.seconds
        self.gap_seconds += other.gap_seconds
        self.calls += other.calls
        self.read += other.read
        self.written += other.written


@dataclass(frozen=True)
class Rows:
    """The records by id."""

    sites: dict[int, Measured]  # with those of functions alone
    objects: list[int]


def _added(records: Records, joined: Joined, names: list[str]) -> np.ndarray:
    """Returns the sum of some counters per id; impossible values count as 0."""
    whole = np.zeros(len(joined))
    for name in names:
        column = records[f"SITES_{name}"].astype("f8")
        usable = np.isfinite(column) & (column > 0)
        whole += joined.added(np.where(usable, column, 0.0))
    return np.where(np.isfinite(whole), whole, 0.0)


def measured(records: Records) -> Rows:
    """Adds up the records of each id."""
    joined = Joined(records)
    kinds = joined.largest(records["SITES_KIND"])
    seconds = _added(records, joined, [f"F_{name}_TIME" for name in _TIMES])
    gaps = _added(records, joined, ["F_GAP_SHORT_TIME"])
    calls = _added(records, joined, list(_CALLS))
    read = _added(records, joined, ["BYTES_READ"])
    written = _added(records, joined, ["BYTES_WRITTEN"])
    columns = zip(*(c.tolist() for c in (joined.ids, kinds, seconds, gaps, calls, read, written)))
    sites, objects = {}, []
    for number, kind, in_calls, between, times, got, put in columns:
        if kind == _OBJECT:
            objects.append(number)
        elif kind in (_SITE, _FUNCTION) and times > 0:
            sites[number] = Measured(in_calls, between, int(times), int(got), int(put))
    return Rows(sites, objects)
