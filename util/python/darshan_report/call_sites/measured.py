"""Sums of the records of call sites (module SITES) over processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field

import numpy as np

from ..classes import dataclass
from ..measure.layers.layers import SIZES
from ..records import Joined, Records
from .files import Files, files_of

SITE, OBJECT, FUNCTION = 0, 1, 2  # kinds of records
# Kinds of calls, in the order of the two next lists.
OPEN, CLOSE, READ, WRITE, LOOKUP, SEEK, SYNC, OTHER = KINDS = tuple(range(8))
_CALLS = ("OPENS", "CLOSES", "READS", "WRITES", "LOOKUPS", "SEEKS", "SYNCS", "OTHERS")
_SMALL = ("0_100", "100_1K", "1K_10K")  # size classes
# Gaps below 100 microseconds, below 10 milliseconds, and above.
_GAPS = ("SHORT", "MEDIUM", "LONG")
SHORT, MEDIUM, LONG = range(len(_GAPS))
# Seconds of each gap that the runtime itself takes: 95 to 150 ns before fgets and pread, in a loop
# in C that does nothing else. For longer gaps this hardly matters.
_OWN = 1e-7
_RANKED = 200_000  # largest number of records of which the seconds are kept by rank
_TIMES = ("OPEN", "CLOSE", "READ", "WRITE", "LOOKUP", "SEEK", "SYNC", "OTHER")


@dataclass(frozen=True)
class Extremes:
    """Seconds in calls of the fastest and of the slowest rank, and which rank is the slowest."""

    least: float
    most: float
    slowest: int


@dataclass
class Measured:
    """Sums of the calls of one or several call sites over processes and threads: seconds, gaps,
    calls, bytes, files. A gap is the time from the end of a thread's previous recorded call to the
    begin of its next one; it belongs to the next one."""

    seconds: float = 0.0  # in calls
    # Seconds in gaps, without the runtime's own work: SHORT, MEDIUM, LONG.
    gaps: list[float] = field(default_factory=lambda: [0.0] * len(_GAPS))
    calls: int = 0
    read: int = 0  # bytes
    written: int = 0
    # Number of calls, and seconds in them, by kind (OPEN, READ, ...).
    calls_of: list[float] = field(default_factory=lambda: [0.0] * len(KINDS))
    seconds_of: list[float] = field(default_factory=lambda: [0.0] * len(KINDS))
    # Numbers of POSIX reads, and of writes: those of up to 10 KiB, and all whose size is known.
    small: list[float] = field(default_factory=lambda: [0.0] * 2)
    sized: list[float] = field(default_factory=lambda: [0.0] * 2)
    files: Files = field(default_factory=Files)
    first: float = math.inf  # seconds after the start of the job: begin of the first call
    last: float = 0.0  # end of the last call
    processes: int = 0  # that used one of the sites, at least
    # Seconds in calls by rank; None: the records of the ranks were merged into one.
    ranks: dict[int, float] | None = field(default_factory=dict)
    extremes: Extremes | None = None  # of the ranks of a merged record
    pauses: int = 0  # gaps that are LONG
    breaks: int = 0  # gaps that are MEDIUM

    def add(self, other: Measured) -> None:
        """Adds `other` to these sums. `first` and `last` become the earliest and latest of both,
        and the number of processes the larger one. Seconds by rank become None if either has
        none."""
        self.seconds += other.seconds
        self.calls += other.calls
        self.read += other.read
        self.written += other.written
        self.files.add(other.files)
        self.first = min(self.first, other.first)
        self.last = max(self.last, other.last)
        self.processes = max(self.processes, other.processes)
        self.pauses += other.pauses
        self.breaks += other.breaks
        self._add_ranks(other)
        for ours, theirs in (
            (self.gaps, other.gaps),
            (self.calls_of, other.calls_of),
            (self.seconds_of, other.seconds_of),
            (self.small, other.small),
            (self.sized, other.sized),
        ):
            ours[:] = map(sum, zip(ours, theirs))

    def leave_out(self, own: float) -> None:
        """Subtracts time of the runtime from the seconds of short gaps. own: seconds per call."""
        self.gaps[SHORT] -= min(self.gaps[SHORT], own * self.calls)

    def _add_ranks(self, other: Measured) -> None:
        if self.ranks is None or other.ranks is None:
            self.ranks = None
            return
        for rank, spent in other.ranks.items():
            self.ranks[rank] = self.ranks.get(rank, 0.0) + spent

    @property
    def gap_seconds(self) -> float:
        """Seconds in gaps between calls that lasted less than 100 microseconds each."""
        return self.gaps[SHORT]

    @property
    def shown_gaps(self) -> float:
        """Seconds in gaps between calls that lasted less than 10 milliseconds each."""
        return self.gaps[SHORT] + self.gaps[MEDIUM]


@dataclass(frozen=True)
class Rows:
    """The sums of each call site, by record id, and the record ids of the programs and libraries of
    the log (objects)."""

    sites: dict[int, Measured]  # including sites of functions only
    objects: list[int]  # ids of the records that name programs and libraries


def _added(records: Records, joined: Joined, names: Sequence[str]) -> np.ndarray:
    """Returns, for each record id, the sum over its records of the counters `names`. Impossible
    values are treated as 0."""
    whole = np.zeros(len(joined))
    for name in names:
        column = records[f"SITES_{name}"].astype("f8")
        usable = np.isfinite(column) & (column > 0)
        whole += joined.added(np.where(usable, column, 0.0))
    return np.where(np.isfinite(whole), whole, 0.0)


def _each(records: Records, joined: Joined, names: Sequence[str]) -> np.ndarray:
    """Returns a row per id, with a column for the sum of each counter of `names`."""
    return np.stack([_added(records, joined, [name]) for name in names], axis=1)


def _sizes(records: Records, joined: Joined, ends: Sequence[str]) -> np.ndarray:
    """Returns a list for each record id: its numbers of reads, then its numbers of writes, in the
    size classes `ends`."""
    kinds = ("READ", "WRITE")
    return np.stack(
        [_added(records, joined, [f"SIZE_{kind}_{end}" for end in ends]) for kind in kinds], axis=1
    )


def _spans(records: Records, joined: Joined) -> list[tuple[float, float]]:
    """Returns, for each record id, when its first call began and its last call ended; infinity and
    0 if that is unknown."""
    start, end = (records[f"SITES_F_{name}_TIMESTAMP"] for name in ("START", "END"))
    known = np.isfinite(start) & np.isfinite(end) & (start > 0) & (end >= start)
    first = -joined.largest(np.where(known, -start, -np.inf))
    last = joined.largest(np.where(known, end, 0.0))
    return list(zip(first.tolist(), last.tolist()))


def _by_rank(records: Records) -> dict[int, dict[int, float]]:
    """Returns the seconds in calls by record id and rank. Leaves out ids of which a merged record
    exists. Returns nothing if there are too many records."""
    found: dict[int, dict[int, float]] = {}
    if len(records) > _RANKED:
        return found
    columns = [records[f"SITES_F_{name}_TIME"] for name in _TIMES]
    times = np.stack([np.where(np.isfinite(c) & (c > 0), c, 0.0) for c in columns]).sum(axis=0)
    merged = set(records.ids[records.ranks < 0].tolist())
    for number, rank, spent in zip(records.ids.tolist(), records.ranks.tolist(), times.tolist()):
        if number not in merged:
            ranks = found.setdefault(number, {})
            ranks[rank] = ranks.get(rank, 0.0) + spent
    return found


def _extremes(records: Records) -> dict[int, Extremes]:
    """Returns the seconds of the fastest and slowest rank for each merged record that has them, by
    record id; {} for a log of an earlier release."""
    if not records.module.has("SITES_SLOWEST_RANK"):
        return {}
    least, most = (records[f"SITES_F_{name}_RANK_TIME"] for name in ("FASTEST", "SLOWEST"))
    slowest = records["SITES_SLOWEST_RANK"]
    told = (records.ranks < 0) & (slowest >= 0) & (least >= 0) & (most >= least) & (most < np.inf)
    rows = (records.ids[told], least[told], most[told], slowest[told])
    return {number: Extremes(*row) for number, *row in zip(*(column.tolist() for column in rows))}


def summed(rows: np.ndarray) -> Measured:
    """Returns the total of several records as a Measured without files, ranks, long gaps and kinds
    of calls. rows: the sum of rows of each_record(), six values."""
    seconds, short, medium, calls, read, written = rows.tolist()
    return Measured(seconds, [short, medium, 0.0], int(calls), int(read), int(written))


def each_record(column: Callable[[str], np.ndarray]) -> np.ndarray:
    """Returns a row per record: seconds in calls, seconds in short and in medium gaps, calls, bytes
    read, bytes written. column: returns the values of the counter of this name. Impossible values
    are treated as 0."""

    def added(*names: str) -> np.ndarray:
        values = np.stack([column(f"SITES_{name}").astype("f8") for name in names])
        return np.asarray(np.where(np.isfinite(values) & (values > 0), values, 0.0).sum(axis=0))

    short = added("F_GAP_SHORT_TIME")
    short = short - np.minimum(short, _OWN * added("GAPS_SHORT"))
    seconds = added(*(f"F_{name}_TIME" for name in _TIMES))
    return np.stack(
        [seconds, short, added("F_GAP_MEDIUM_TIME"), added(*_CALLS), added("BYTES_READ"),
         added("BYTES_WRITTEN")],
        axis=1,
    )  # fmt: skip


def measured(records: Records) -> Rows:
    """Adds up the records of each id. Returns the sums of call sites, and the ids of the records
    that name programs and libraries."""
    joined = Joined(records)
    kinds = joined.largest(records["SITES_KIND"]).tolist()
    seconds = _each(records, joined, [f"F_{name}_TIME" for name in _TIMES])
    gaps = _each(records, joined, [f"F_GAP_{name}_TIME" for name in _GAPS])
    gaps[:, SHORT] -= np.minimum(gaps[:, SHORT], _OWN * _added(records, joined, ["GAPS_SHORT"]))
    calls = _each(records, joined, _CALLS)
    moved = _each(records, joined, ["BYTES_READ", "BYTES_WRITTEN"])
    small, sized = (_sizes(records, joined, ends) for ends in (_SMALL, [end for end, _ in SIZES]))
    files, spans = files_of(records), _spans(records, joined)
    processes, pauses, breaks = (
        _added(records, joined, [name]) for name in ("PROCESSES", "GAPS_LONG", "GAPS_MEDIUM")
    )
    ranks, extremes = _by_rank(records), _extremes(records)
    sites, objects = {}, []
    for place, number in enumerate(joined.ids.tolist()):
        number_of_calls = int(calls[place].sum())
        if kinds[place] == OBJECT:
            objects.append(number)
        elif kinds[place] in (SITE, FUNCTION) and number_of_calls > 0:
            sites[number] = Measured(
                float(seconds[place].sum()),
                gaps[place].tolist(),
                number_of_calls,
                int(moved[place][0]),
                int(moved[place][1]),
                calls[place].tolist(),
                seconds[place].tolist(),
                small[place].tolist(),
                sized[place].tolist(),
                files.get(number, Files()),
                *spans[place],
                int(processes[place]),
                ranks.get(number),
                extremes.get(number),
                int(pauses[place]),
                int(breaks[place]),
            )
    return Rows(sites, objects)
