"""How the batches of a training were made, and by which processes: by the workers of a DataLoader
or, without workers, by the process that iterates over it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..classes import dataclass

_LONGEST = 1e9  # seconds; a larger value is damage
_MOST = 1 << 40  # batches or files; more is damage
_MOST_BYTES = 1 << 60


@dataclass(frozen=True)
class Fetches:
    """The batches that one process, or several together, made: numbers, bytes, and seconds summed
    over these processes."""

    worker: int | None  # number of the worker; None: not a worker, or several workers
    rank: int | None  # rank from a launcher such as torchrun; None: unknown, or several
    processes: int
    batches: int
    opens: int  # opens of files
    read: int  # bytes
    faults: int  # page faults that read from storage, of mapped files or swapped memory
    stored: int | None  # bytes that the kernel read from storage for them; None: unknown
    start: float  # seconds after the start of the run
    end: float
    whole: float  # seconds in which batches were made
    longest: float  # seconds of the longest batch
    processor: float  # processor time of the thread while it made batches
    # Seconds in which the thread was ready to run but had no processor; None: unknown.
    no_processor: float | None
    opening: float  # seconds in calls that open or close files, look names up or list folders
    reading: float  # seconds
    writing: float
    collating: float  # in collate_fn
    transforming: float  # in functions that are known to transform samples
    idle: float  # seconds of workers between batches; 0 without workers
    # An upper bound of the part of `opening` in calls that list folders, if each batch lists some.
    listing: float = 0.0

    @property
    def opened(self) -> float:
        """The seconds of `opening` without those that list folders."""
        return min(self.opening, self.files) - self.listing

    @property
    def files(self) -> float:
        """The seconds in calls on files."""
        return min(self.whole, self.opening + self.reading + self.writing)

    @property
    def computing(self) -> float:
        """An upper bound of the processor time outside of calls on files, in seconds. The processor
        time within these calls is unknown, so as much as possible is taken to be outside."""
        return min(self.processor, self.whole - self.files)

    @property
    def ready(self) -> float:
        """An upper bound of the seconds outside of calls on files in which the thread was ready to
        run but had no processor; 0 if the kernel did not report it."""
        return min(self.no_processor or 0.0, self.whole - self.files - self.computing)

    @property
    def other(self) -> float:
        """The seconds that remain: the thread slept, or waited for a page of a mapped file, for
        another thread or for a network. If waits for a processor are unknown, they are here as
        well."""
        return max(0.0, self.whole - self.files - self.computing - self.ready)


def with_listing(made: Fetches, listings: float, spent: float) -> Fetches:
    """Returns the same with the part of `opening` that lists folders. listings, spent: the number
    of listed folders in the whole run, and the seconds in them. If there are fewer listings than
    batches, they may have been before the batches, and do not count."""
    if not 0 < made.batches <= listings:
        return made
    return replace(made, listing=min(_seconds(spent), made.opening, made.files))


def _seconds(value: float) -> float:
    return min(max(float(value), 0.0), _LONGEST) if math.isfinite(value) else 0.0


def fetches(rows: np.ndarray, worker: int | None = None, rank: int | None = None) -> Fetches | None:
    """Returns the sum of some records of TRAINING; None if they have no times of batches, as in
    older logs. rows: these records, one per process. worker, rank: stored in the result."""

    def count(name: str, most: int = _MOST) -> int:
        return sum(min(max(int(v), 0), most) for v in rows[f"TRAINING_{name}"].tolist())

    def times(name: str) -> list[float]:
        return [_seconds(value) for value in rows[f"TRAINING_F_{name}"].tolist()]

    if not len(rows):
        return None
    rows = rows[rows["TRAINING_F_FETCH_TIME"] > 0]
    whole, ready = sum(times("FETCH_TIME")), rows["TRAINING_F_FETCH_READY_TIME"]
    stored = rows["TRAINING_FETCH_STORAGE_READ"]
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
        stored=None if (stored < 0).any() else count("FETCH_STORAGE_READ", _MOST_BYTES),
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
    """Returns the sums of each worker of a DataLoader, ordered by rank and number. Processes that
    were the same worker in different epochs are added up. rows: the workers' records of
    TRAINING."""
    numbers = rows["TRAINING_WORKER"], rows["TRAINING_RANK"]
    pairs: Iterable[tuple[int, int]] = set(zip(*(part.tolist() for part in numbers)))
    found = []
    for worker, rank in sorted(pairs, key=lambda pair: pair[::-1]):
        these = rows[(numbers[0] == worker) & (numbers[1] == rank)]
        one = fetches(these, worker, rank if rank >= 0 else None)
        if one is not None:
            found.append(one)
    return tuple(found)
