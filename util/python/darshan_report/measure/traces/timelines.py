"""The times at which each file was read and written, from the traces of one module. A trace may be
far larger than the memory, so its records are read one by one, without copies. They are read twice:
first to find the files with the most time, then to add up their seconds in equal parts of the time
(bins)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...log import Log
from ...variable import traces_in_place
from ..processes.ranks import summed

BINS = 240  # as many as people can distinguish across a page
_CHUNK = 1 << 18  # segments that are read at once
_LONGEST = 1e9  # seconds; a later time is damage

Times = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


@dataclass(eq=False)
class Timeline:
    """The transfers of one file over time: numbers and bytes (index 0: writes, 1: reads), and
    seconds in transfers per time bin."""

    id: int  # record id
    processes: int = 0  # processes with a trace of the file
    segments: list[int] = field(default_factory=lambda: [0, 0])
    bytes: list[int] = field(default_factory=lambda: [0, 0])
    time: float = 0.0  # seconds in transfers, all processes
    busy: npt.NDArray[np.float64] | None = None  # 2 x BINS: seconds in transfers
    # 2 x BINS: whether the bin has a transfer, even one without duration.
    used: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Timelines:
    """The files of one traced module with the most time in transfers, the longest first, with the
    number of all traced files and of their transfers."""

    module: str  # DXT_POSIX or DXT_MPIIO
    end: float  # seconds from the start: where the last bin ends
    files: list[Timeline]
    traced: int  # number of files with a trace
    segments: int  # segments of all these files


def _times(segments: np.ndarray) -> Iterator[Times]:
    """Yields starts and ends of transfers in pieces of limited size. Impossible values of damaged
    logs are replaced."""
    for first in range(0, len(segments), _CHUNK):
        part = segments[first : first + _CHUNK]
        start = np.nan_to_num(part["start_time"], nan=0.0).clip(0, _LONGEST)
        end = np.nan_to_num(part["end_time"], nan=0.0).clip(0, _LONGEST)
        yield start, np.maximum(start, end)


def seconds_before(times: npt.NDArray[np.float64], width: float) -> npt.NDArray[np.float64]:
    """Returns, for each bin, the seconds that have passed until its end since each of `times`
    before it, summed. The difference of two such results, for starts and ends, is the time in
    transfers up to each bin's end. width: seconds of a bin."""
    place = np.minimum((times / width).astype(np.int64), BINS)
    edges = np.arange(1, BINS + 1, dtype=np.float64) * width
    count = np.cumsum(np.bincount(place, minlength=BINS + 1)[:BINS])
    total = np.cumsum(summed(place, times, BINS + 1)[:BINS])
    return edges * count - total


def _busy(segments: np.ndarray, width: float) -> npt.NDArray[np.float64]:
    """Returns the seconds in transfers for each time bin. A transfer over several bins counts in
    each with its seconds there. width: seconds of a bin."""
    upto = np.zeros(BINS)
    for start, end in _times(segments):
        upto += seconds_before(start, width) - seconds_before(end, width)
    return np.maximum(np.diff(upto, prepend=0.0), 0.0)


def _used(segments: np.ndarray, width: float) -> npt.NDArray[np.bool_]:
    """Returns a mask of the time bins in which a transfer was active. A transfer without duration
    counts in one bin. width: seconds of a bin."""
    change = np.zeros(BINS + 1, np.int64)
    for start, end in _times(segments):
        first, last = (np.minimum((t / width).astype(np.int64), BINS - 1) for t in (start, end))
        change += np.bincount(first, minlength=BINS + 1)
        change -= np.bincount(last + 1, minlength=BINS + 1)
    return np.cumsum(change)[:BINS] > 0


def _survey(log: Log, module: str) -> tuple[dict[int, Timeline], float]:
    """Returns the sums of each traced file by record id, and the latest end of a transfer in
    seconds."""
    files: dict[int, Timeline] = {}
    last = 0.0
    for trace in traces_in_place(log, module):
        file = files.setdefault(trace.id, Timeline(trace.id))
        file.processes += 1
        for kind, segments in enumerate((trace.writes, trace.reads)):
            file.segments[kind] += len(segments)
            file.bytes[kind] += int(segments["length"].sum())
            for start, end in _times(segments):
                file.time += float((end - start).sum())
                last = max(last, float(end.max()))
    return files, last


def timelines(log: Log, module: str, run_time: float, most: int) -> Timelines | None:
    """Returns the `most` files with the most time in transfers, with their time bins; None if the
    log has no traces. module: DXT_POSIX or DXT_MPIIO. run_time: seconds. Raises LogError if the
    traces are damaged."""
    region = log.info.region(module)
    if region is None or region.length == 0:
        return None
    files, last = _survey(log, module)
    if not files:
        return None
    end = max(min(run_time, _LONGEST), last) or 1.0
    chosen = sorted(files.values(), key=lambda f: (-f.time, f.id))[:most]
    wanted = {file.id: file for file in chosen}
    for trace in traces_in_place(log, module):
        file = wanted.get(trace.id)
        if file is None:
            continue
        if file.busy is None or file.used is None:
            file.busy, file.used = np.zeros((2, BINS)), np.zeros((2, BINS), bool)
        for kind, segments in enumerate((trace.writes, trace.reads)):
            file.busy[kind] += _busy(segments, end / BINS)
            file.used[kind] |= _used(segments, end / BINS)
    segments_of_all = sum(sum(file.segments) for file in files.values())
    return Timelines(module, end, chosen, len(files), segments_of_all)
