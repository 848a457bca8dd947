"""Chooses the transfers of a trace that are shown individually: all if they fit. Otherwise the
transfers of the ranks and files with the most time, those in the time intervals with the most time,
and the longest of all others. The rest is shown only as sums over time (lane_bins.py). A trace may
be far larger than the memory, so its records are read one by one, without copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...log import Log
from ...variable import traces_in_place

MODULES = ("DXT_POSIX", "DXT_MPIIO")
KINDS = 2 * len(MODULES)  # kinds of transfers: 2 * index of the module, plus 1 for a read
ROOM = 100_000  # largest number of transfers
LONGEST = 2_000  # number of these that are the longest transfers of all
INTERVALS = 1024
_CHUNK = 1 << 18  # segments that are read at once
_LATEST = 1e9  # seconds; a later time is damage


@dataclass(frozen=True, eq=False)
class Part:
    """Some transfers of one rank with one file. Impossible values of damaged logs are replaced."""

    file: int  # record id
    rank: int
    kind: int  # 2 * index of the module; plus 1 for reads
    start: npt.NDArray[np.float64]  # seconds after the start of the run
    end: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]  # in the file, in bytes
    length: npt.NDArray[np.float64]  # bytes
    thread: npt.NDArray[np.uint64]  # 0: unknown


def parts(log: Log) -> Iterator[Part]:
    """Yields all traced transfers of both trace modules, in pieces of limited size."""
    for place, module in enumerate(MODULES):
        region = log.info.region(module)
        if region is None or region.length == 0:
            continue
        for trace in traces_in_place(log, module):
            for is_read, segments in enumerate((trace.writes, trace.reads)):
                for first in range(0, len(segments), _CHUNK):
                    some = segments[first : first + _CHUNK]
                    start = np.nan_to_num(some["start_time"], nan=0.0).clip(0, _LATEST)
                    end = np.nan_to_num(some["end_time"], nan=0.0).clip(0, _LATEST)
                    yield Part(
                        trace.id, trace.rank, 2 * place + is_read, start, np.maximum(start, end),
                        some["offset"].astype("f8"), np.maximum(some["length"], 0).astype("f8"),
                        some["pthread_id"].astype("u8"),
                    )  # fmt: skip


@dataclass(eq=False)
class _Sums:
    """The seconds and the number of transfers of one rank or file, over both trace modules."""

    time: float = 0.0
    count: int = 0

    def add(self, seconds: float, number: int) -> None:
        self.time += seconds
        self.count += number


@dataclass(eq=False)
class Survey:
    """Sums over all traced transfers, by rank, by file and by time interval."""

    end: float  # seconds from the start: end of the last transfer, or of the run
    segments: int = 0
    modules: set[int] = field(default_factory=set)  # indices of the modules with transfers
    ranks: dict[int, _Sums] = field(default_factory=dict)
    files: dict[int, _Sums] = field(default_factory=dict)
    threads: dict[tuple[int, int], float] = field(default_factory=dict)  # rank, thread: first start
    unknown: bool = False  # some transfers have no thread
    # By the interval in which a transfer starts: seconds and number of transfers.
    busy: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(INTERVALS))
    number: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(INTERVALS, "i8"))
    long: float = 0.0  # seconds from which on a transfer is one of the longest

    def add_threads(self, part: Part) -> None:
        """Stores when each thread began its first transfer, if the trace has threads."""
        self.unknown |= bool((part.thread == 0).any())
        for thread in np.unique(part.thread[part.thread != 0]).tolist():
            start = float(part.start[part.thread == thread].min())
            key = (part.rank, thread)
            self.threads[key] = min(start, self.threads.get(key, start))

    def interval(self, times: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Returns the index of the time interval that contains each time."""
        return np.clip(times * (INTERVALS / self.end), 0, INTERVALS - 1).astype("i8")


def survey(log: Log, run_time: float) -> Survey:
    """Returns the sums of all traced transfers. Reads the traces twice: first to find the end of
    the last transfer, then for the sums. run_time: seconds."""
    end = min(max(run_time, 0.0), _LATEST) if np.isfinite(run_time) else 0.0
    for part in parts(log):
        end = max(end, float(part.end.max(initial=0.0)))
    found = Survey(end or 1.0)
    longest = np.zeros(0)
    for part in parts(log):
        seconds = part.end - part.start
        whole, number = float(seconds.sum()), len(seconds)
        found.segments += number
        found.modules.add(part.kind // 2)
        found.ranks.setdefault(part.rank, _Sums()).add(whole, number)
        found.files.setdefault(part.file, _Sums()).add(whole, number)
        found.add_threads(part)
        place = found.interval(part.start)
        found.busy += np.bincount(place, weights=seconds, minlength=INTERVALS)
        found.number += np.bincount(place, minlength=INTERVALS)
        longest = np.concatenate((longest, seconds))
        if len(longest) > LONGEST:
            longest = np.partition(longest, len(longest) - LONGEST)[-LONGEST:]
    found.long = float(longest.min(initial=np.inf)) if len(longest) else 0.0
    return found


@dataclass(frozen=True, eq=False)
class Choice:
    """The ranks, files (record ids) and time intervals whose transfers are all shown. all: every
    transfer is shown. intervals: a mask of the survey's intervals."""

    all: bool
    ranks: frozenset[int]
    files: frozenset[int]
    intervals: npt.NDArray[np.bool_]


def _costliest(sums: dict[int, _Sums], room: int) -> tuple[frozenset[int], int]:
    """Returns the ranks or files with the most time whose transfers fit, and how many further
    transfers would fit. room: number of transfers that may be shown."""
    chosen = set()
    for key, one in sorted(sums.items(), key=lambda item: (-item[1].time, item[0])):
        if one.count <= room:
            chosen.add(key)
            room -= one.count
    return frozenset(chosen), room


def choose(found: Survey, room: int = ROOM) -> Choice:
    """Returns the ranks, files and time intervals whose transfers are shown individually; their
    number and that of the longest others are at most `room`. found: the sums of all transfers."""
    if found.segments <= room:
        everything = np.ones(INTERVALS, bool)
        return Choice(True, frozenset(found.ranks), frozenset(found.files), everything)
    room -= min(LONGEST, room // 4)
    ranks, left = _costliest(found.ranks, room // 3)
    files, left = _costliest(found.files, left + room // 3)
    left += room - 2 * (room // 3)
    intervals = np.zeros(INTERVALS, bool)
    # The intervals with the most time come first.
    order = np.argsort(-found.busy, kind="stable")
    for place in order:
        if 0 < found.number[place] <= left:
            intervals[place] = True
            left -= int(found.number[place])
    return Choice(False, ranks, files, intervals)


@dataclass(frozen=True, eq=False)
class Transfers:
    """The transfers that are shown individually, one element of each array per transfer, ordered by
    start. Units are those of Part; `seconds` is end minus start."""

    start: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]
    length: npt.NDArray[np.float64]
    rank: npt.NDArray[np.int64]
    file: npt.NDArray[np.uint64]
    kind: npt.NDArray[np.int64]
    thread: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.start)


def wanted(
    found: Survey, choice: Choice, part: Part
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Returns two masks of a part's transfers: those that are shown, and those of the others that
    may be among the longest, which are also shown."""
    if choice.all or part.rank in choice.ranks or part.file in choice.files:
        every = np.ones(len(part.start), bool)
        return every, ~every
    chosen = choice.intervals[found.interval(part.start)]
    return chosen, ~chosen & (part.end - part.start >= max(found.long, 1e-12))


class Collector:
    """Collects the transfers that are shown individually."""

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, ...]] = []
        self._long: list[tuple[np.ndarray, ...]] = []

    def add(self, part: Part, chosen: np.ndarray, long: np.ndarray) -> None:
        """Adds transfers of a part. chosen, long: the masks of wanted()."""
        for parts_of, which in ((self._parts, chosen), (self._long, long)):
            if which.any():
                parts_of.append(_columns(part, which))

    def transfers(self) -> Transfers:
        """Returns all chosen transfers, and the LONGEST longest of the candidates."""
        columns = _joined(self._parts)
        long = _joined(self._long)
        kept = np.argsort(-long[1], kind="stable")[:LONGEST]
        columns = [np.concatenate((a, b[kept])) for a, b in zip(columns, long)]
        order = np.argsort(columns[0], kind="stable")
        return Transfers(*(column[order] for column in columns))


def _columns(part: Part, which: np.ndarray) -> tuple[np.ndarray, ...]:
    """Returns the masked transfers of a part as columns, in the order of the fields of
    Transfers."""
    number = int(which.sum())
    own = (part.start, part.end - part.start, part.offset, part.length)
    return (
        *(column[which] for column in own),
        np.full(number, part.rank),
        np.full(number, part.file, "u8"),
        np.full(number, part.kind),
        part.thread[which],
    )


def _joined(parts_of: list[tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    if not parts_of:
        return [np.zeros(0, kind) for kind in ("f8", "f8", "f8", "f8", "i8", "u8", "i8", "u8")]
    return [np.concatenate(column) for column in zip(*parts_of)]
