"""The processes that make the batches of a training: workers of a DataLoader, or the process that
iterates, if it has none."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..classes import dataclass

_LONGEST = 1e9  # seconds; a larger value is damage
_MOST = 1 << 40  # batches or files; more is damage
_MOST_BYTES = 1 << 60


@dataclass(frozen=True)
class Fetches:
    """Batches that one process made, or several: numbers and seconds, added up."""

    worker: int | None  # number of the worker; None: the process itself, or several
    rank: int | None  # of a launcher such as torchrun; None: not known, or several
    processes: int
    batches: int
    opens: int  # of files
    read: int  # bytes
    faults: int  # pages that came from storage through mapped files, or from swap
    start: float  # seconds after the start of the run
    end: float
    whole: float  # seconds in which batches were made
    longest: float  # seconds of the longest one
    processor: float  # processor time of the thread meanwhile
    no_processor: float | None  # seconds in which it was ready to run without one; None: unknown
    opening: float  # seconds in calls that open or close files, or look names up
    reading: float
    writing: float
    collating: float  # in collate_fn
    transforming: float  # in functions that are known to transform samples
    idle: float  # seconds between batches; 0 of a process without workers

    @property
    def files(self) -> float:
        """Seconds in calls on files."""
        return min(self.whole, self.opening + self.reading + self.writing)

    @property
    def computing(self) -> float:
        """Processor time outside of calls on files, at most. The processor time in these calls is
        not known, so the part of it that fits nowhere else is taken to be there."""
        return min(self.processor, self.whole - self.files)

    @property
    def ready(self) -> float:
        """Seconds outside of calls on files in which the thread was ready to run but had no
        processor, at most; 0 if that is unknown."""
        return min(self.no_processor or 0.0, self.whole - self.files - self.computing)

    @property
    def other(self) -> float:
        """Seconds of the rest: the thread waited for a page of a mapped file, another thread, a
        network, or slept; or for a processor, if that is unknown."""
        return max(0.0, self.whole - self.files - self.computing - self.ready)


def _seconds(value: float) -> float:
    return min(max(float(value), 0.0), _LONGEST) if math.isfinite(value) else 0.0


def fetches(rows: np.ndarray, worker: int | None = None, rank: int | None = None) -> Fetches | None:
    """Returns the sum of some records of TRAINING; None if they have no fetches, as in older logs.
    worker, rank: whose records these are."""

    def count(name: str, most: int = _MOST) -> int:
        return sum(min(max(int(v), 0), most) for v in rows[f"TRAINING_{name}"].tolist())

    def times(name: str) -> list[float]:
        return [_seconds(value) for value in rows[f"TRAINING_F_{name}"].tolist()]

    if not len(rows):
        return None
    rows = rows[rows["TRAINING_F_FETCH_TIME"] > 0]
    whole, ready = sum(times("FETCH_TIME")), rows["TRAINING_F_FETCH_READY_TIME"]
    if whole <= 0:
        return None
    return Fetches(
        worker=worker,
        rank=rank,
        processes=count("PROCESSES"),
        batches=count("FETCHES"),
        opens=count("FETCH_OPENS"),
        read=count("FETCH_BYTES_READ", _MOST_BYTES),
        faults=count("FETCH_FAULTS"),
        start=min(times("START_TIMESTAMP")),
        end=max(times("END_TIMESTAMP")),
        whole=whole,
        longest=max(times("FETCH_LONGEST")),
        processor=sum(times("FETCH_PROCESSOR_TIME")),
        no_processor=None if (ready < 0).any() else sum(times("FETCH_READY_TIME")),
        opening=sum(times("FETCH_OPEN_TIME")),
        reading=sum(times("FETCH_READ_TIME")),
        writing=sum(times("FETCH_WRITE_TIME")),
        collating=sum(times("COLLATE_TIME")),
        transforming=sum(times("TRANSFORM_TIME")),
        idle=sum(times("IDLE_TIME")),
    )


def of_workers(rows: np.ndarray) -> tuple[Fetches, ...]:
    """Returns the workers of some records, in order of ranks and numbers. Processes that were the
    same worker in several epochs are added up."""
    numbers = rows["TRAINING_WORKER"], rows["TRAINING_RANK"]
    pairs: Iterable[tuple[int, int]] = set(zip(*(part.tolist() for part in numbers)))
    found = []
    for worker, rank in sorted(pairs, key=lambda pair: pair[::-1]):
        these = rows[(numbers[0] == worker) & (numbers[1] == rank)]
        one = fetches(these, worker, rank if rank >= 0 else None)
        if one is not None:
            found.append(one)
    return tuple(found)
