"""Machine-learning trainings in PyTorch, from the records of the module TRAINING: epochs, how long
the program waited for data, and what the loading processes did meanwhile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from ..call_sites.lines import Place, user_line
from ..call_sites.stack import Python, stack_of
from ..classes import dataclass
from ..library import LogError
from ..log import Log
from .fetches import Fetches, fetches, of_workers
from .processes.processes import Processes
from .processes.usage import usage_of

MODULE = "TRAINING"
_LOADER, _EPOCH, _RANK, WORKER, _WORKERS_EPOCH = 0, 1, 2, 3, 4  # kinds of records
MOST_RANKS = 1 << 20  # ranks from a launcher; more is damage
_LONGEST = 1e9  # seconds; a larger value is damage
_MOST = 1 << 40  # batches; more is damage


@dataclass(frozen=True)
class Span:
    """One epoch, or the sum of several epochs of a data loader or of a rank: its batches and its
    time in seconds. Parts of this time are in calls that begin the iteration or get a batch."""

    number: int  # number of the epoch or the rank; 0 for a loader
    epochs: int
    complete: int  # epochs that ended because the loader had no more batches
    steps: int  # batches
    start: float  # seconds after the start of the run
    end: float
    whole: float  # seconds of the epochs, added up
    iter: float  # part of `whole` in the call that begins the iteration and starts workers
    next: float  # part of `whole` in calls for a batch
    first: float  # part of `next` in the first call of each epoch
    processor: float  # processor time of the calling thread in calls for a batch
    longest: float  # seconds of the longest call for a batch, except first calls

    @property
    def wait(self) -> float:
        """The seconds in which the program waited for data, or loaded the data itself."""
        return min(self.whole, self.iter + self.next)

    @property
    def begin(self) -> float:
        """The seconds of the wait until the first batch of each epoch."""
        return min(self.wait, self.iter + self.first)

    @property
    def later(self) -> float:
        """The seconds of the wait after the first batch of each epoch."""
        return self.wait - self.begin

    @property
    def share(self) -> float:
        """The wait as a fraction of the time of the epochs, 0 to 1."""
        return self.wait / self.whole if self.whole > 0 else 0.0

    @property
    def own(self) -> float:
        """The seconds of the program's own work between its calls for a batch."""
        return max(0.0, self.whole - self.wait)


@dataclass(frozen=True)
class Workers:
    """Sums over the worker processes of a data loader: their number and, in seconds, their
    lifetimes, file I/O, processor time and waits for a processor."""

    number: int  # processes
    lives: float  # lifetimes in seconds
    io: float  # seconds in file I/O
    processor: float  # seconds of processor time
    ready: float  # seconds in which they were ready to run but had no processor

    @property
    def other(self) -> float:
        """The seconds of the workers' lifetimes in which they waited for something other than file
        I/O."""
        return max(0.0, self.lives - self.io - self.processor - self.ready)

    def part(self, seconds: float) -> float:
        """Returns `seconds` as a fraction of the workers' lifetimes, 0 to 1."""
        return min(1.0, seconds / self.lives) if self.lives > 0 else 0.0


@dataclass(frozen=True)
class Options:
    """Options of a DataLoader; each is None if unknown."""

    workers: int | None  # num_workers
    prefetch: int | None  # prefetch_factor; None also without workers
    persistent: bool | None  # persistent_workers
    batch_size: int | None  # samples


@dataclass(frozen=True)
class Loader:
    """A line of the program that iterates over a DataLoader, with the sums of its epochs."""

    id: int
    name: str  # name of its record
    place: Place | None  # the user's line
    processes: int  # processes that iterated over it
    workers: int | None  # num_workers; None: unknown
    prefetch: int | None  # prefetch_factor; None: unknown, or no workers
    # persistent_workers of all DataLoaders that this line iterates over; None: unknown.
    persistent: bool | None
    batch_size: int | None  # samples; None: unknown
    # The numbers of the epochs with the same options. A line may iterate over several DataLoaders,
    # such as those of a training and its validation.
    options: Mapping[Options, tuple[int, ...]]
    samples: int | None  # in the batches that the program got; None: unknown
    is_spawned: bool  # whether its workers are processes that were not forked
    processors: int  # number of processors on which each process may run; 0: unknown
    sums: Span
    epochs: tuple[Span, ...]  # epochs that have their own records, in order
    ranks: tuple[Span, ...]  # ranks from a launcher such as torchrun, in order; empty if unknown
    did: Workers | None  # None: no workers, or unknown
    io: float | None  # seconds in file I/O of the processes that iterate; None: unknown
    made: Fetches | None  # how its batches were made, with or without workers; None: unknown
    by_worker: tuple[Fetches, ...]  # how each worker made its batches
    by_epoch: Mapping[int, Fetches]  # how the batches of an epoch were made, by its number

    @property
    def line(self) -> str:
        """The user's line as text, "train.py:31"; "" if the log has no line of the user."""
        if self.place is None or not self.place.file:
            return ""
        return f"{self.place.file.rpartition('/')[2]}:{self.place.line}"

    @property
    def slowest(self) -> Span | None:
        """The rank that waited longest for its data; None if there are fewer than two ranks."""
        return max(self.ranks, key=lambda rank: rank.wait) if len(self.ranks) > 1 else None

    @property
    def part_of_run(self) -> float:
        """The factor (0 to 1) by which a saving that is summed over processes is multiplied to get
        the saving of the run. The ranks of one launch wait for each other after each step, so the
        run saves what the rank that waits longest saves."""
        slowest, whole = self.slowest, sum(rank.wait for rank in self.ranks)
        even = 1 / max(1, self.processes)
        return max(even, slowest.wait / whole) if slowest is not None and whole > 0 else even


def _seconds(value: float) -> float:
    return min(max(float(value), 0.0), _LONGEST) if math.isfinite(value) else 0.0


def _count(value: int) -> int:
    return min(max(int(value), 0), _MOST)


def _setting(value: int) -> int | None:
    return int(value) if 0 <= value <= _MOST else None


def _span(rows: np.ndarray, number: int) -> Span:
    """Returns the sum of some records of an epoch or a rank. number: of the epoch or rank."""

    def total(name: str) -> float:
        return sum(_seconds(value) for value in rows[f"{MODULE}_F_{name}"].tolist())

    def number_of(name: str) -> int:
        return sum(_count(value) for value in rows[f"{MODULE}_{name}"].tolist())

    starts = [_seconds(value) for value in rows[f"{MODULE}_F_START_TIMESTAMP"].tolist()]
    return Span(
        number=number,
        epochs=number_of("EPOCHS"),
        complete=number_of("COMPLETE"),
        steps=number_of("STEPS"),
        start=min(starts),
        end=max(_seconds(value) for value in rows[f"{MODULE}_F_END_TIMESTAMP"].tolist()),
        whole=total("EPOCH_TIME"),
        iter=total("ITER_TIME"),
        next=total("NEXT_TIME"),
        first=total("FIRST_TIME"),
        processor=total("NEXT_PROCESSOR_TIME"),
        longest=max(_seconds(value) for value in rows[f"{MODULE}_F_LONGEST_TIME"].tolist()),
    )


def _place(name: str) -> Place | None:
    """Returns the user's line that the name of a loader contains; None if it has none."""
    frames = [frame for frame in stack_of(name).frames if isinstance(frame, Python)]
    places = tuple(Place(frame.function, frame.path, frame.line) for frame in frames)
    user = user_line(places)
    return places[user] if user >= 0 else None


def _workers(
    log: Log, tree: Processes | None, ranks: Iterable[int], spans: Iterable[Span]
) -> Workers | None:
    """Returns the sums over the child processes that these ranks started at the begin of an epoch;
    None if there are none."""
    if tree is None:
        return None
    parents = np.flatnonzero(np.isin(tree.ranks, np.array(sorted(ranks), "i8")))
    begun = np.zeros(len(tree), bool)
    for span in spans:
        until = span.start + span.iter + span.first
        begun |= (tree.start >= span.start) & (tree.start <= until)
    places = np.flatnonzero(np.isin(tree.parents, parents) & begun)
    if not len(places):
        return None
    these, lives = tree.ranks[places], float(tree.lives[places].sum())
    io, ready = float(tree.time[places].sum()), _used(log, these, "F_RUNNABLE_TIME")
    processor = _used(log, these, "F_USER_TIME", "F_SYSTEM_TIME")
    # Calls may contain waits for a processor. Time that is in both values is subtracted from both,
    # in proportion to their sizes.
    if (twice := io + processor + ready - lives) > 0 and io + ready > 0:
        part = max(0.0, 1 - twice / (io + ready))
        io, ready = io * part, ready * part
    return Workers(int(tree.counts[places].sum()), lives, io, processor, ready)


def _used(log: Log, ranks: Iterable[int], *names: str) -> float:
    """Returns the seconds that the kernel counted for the processes of these ranks, summed. Ranks
    without a USAGE record count as 0. names: counters of USAGE, which are added."""
    known = usage_of(log)
    if known is None:
        return 0.0
    there = np.isin(known.ranks, np.array(sorted(ranks), "i8"))
    return sum(_seconds(value) for name in names for value in known[name][there].tolist())


def _io_of(tree: Processes | None, ranks: Iterable[int]) -> float | None:
    if tree is None:
        return None
    places = np.isin(tree.ranks, np.array(sorted(ranks), "i8"))
    return float(tree.time[places].sum()) if places.any() else None


def _spans(rows: np.ndarray, counter: str) -> tuple[Span, ...]:
    """Returns one sum of records for each value of a counter, ordered by value."""
    values = rows[f"{MODULE}_{counter}"]
    numbers = sorted({int(value) for value in values.tolist()})
    return tuple(_span(rows[values == number], number) for number in numbers)


def _by_epoch(rows: np.ndarray) -> dict[int, Fetches]:
    """Returns how the batches of each epoch were made, by the number of the epoch. Leaves out
    epochs whose batches are unknown. rows: records of epochs, of the processes that iterate
    over a loader and of their workers."""
    numbers = rows[f"{MODULE}_EPOCH"]
    known = {int(n): fetches(rows[numbers == n]) for n in np.unique(numbers)}
    return {number: made for number, made in known.items() if made is not None}


def _options(row: np.void) -> Options:
    """Returns the options of a DataLoader from a record."""

    def setting(counter: str) -> int | None:
        return _setting(int(row[f"{MODULE}_{counter}"]))

    workers, persistent = setting("WORKERS"), setting("PERSISTENT")
    return Options(
        workers,
        setting("PREFETCH") if workers else None,
        None if persistent is None else bool(persistent),
        setting("BATCH_SIZE"),
    )


def _by_options(rows: np.ndarray) -> dict[Options, tuple[int, ...]]:
    """Returns the numbers of the epochs by the options of their DataLoaders, in the order of their
    first epochs. rows: records of epochs."""
    found: dict[Options, list[int]] = {}
    for row in sorted(rows, key=lambda row: int(row[f"{MODULE}_EPOCH"])):
        numbers = found.setdefault(_options(row), [])
        if (number := int(row[f"{MODULE}_EPOCH"])) not in numbers:
            numbers.append(number)
    return {options: tuple(numbers) for options, numbers in found.items()}


def _samples(rows: np.ndarray, epochs: np.ndarray) -> int | None:
    """Returns the number of samples in the batches that a program got; None if unknown. rows: the
    records of a loader. epochs: those of its epochs, which may lack the later ones."""

    def number(some: np.ndarray, counter: str) -> list[int]:
        return [_count(value) for value in some[f"{MODULE}_{counter}"].tolist()]

    if sum(number(epochs, "STEPS")) < sum(number(rows, "STEPS")):
        epochs = rows
    sizes = number(epochs, "BATCH_SIZE")
    found = sum(steps * size for steps, size in zip(number(epochs, "STEPS"), sizes))
    return found if found and all(sizes) else None


def _loader(
    log: Log, tree: Processes | None, rows: np.ndarray, parts: np.ndarray, workers_of: np.ndarray
) -> Loader:
    """Returns one loader. rows: its own records, which have one id. parts: records of its epochs
    and ranks. workers_of: records of its workers. tree: the processes of the run, which all have
    the loader if they share its record; None: unknown."""
    name = log.name(int(rows["id"][0])) or ""
    kinds, numbers = parts[f"{MODULE}_KIND"], parts[f"{MODULE}_RANK"]
    spans = _spans(parts[kinds == _EPOCH], "EPOCH")
    known = (kinds == _RANK) & (numbers >= 0) & (numbers < MOST_RANKS)
    ranks = {int(value) for value in rows["rank"].tolist()}
    if -1 in ranks and tree is not None:  # all processes that iterate share a record
        ranks = {int(value) for value in tree.ranks.tolist()}

    def largest(counter: str) -> int | None:
        return _setting(int(rows[f"{MODULE}_{counter}"].max()))

    workers, epochs = largest("WORKERS"), parts[kinds == _EPOCH]
    options = _by_options(epochs) or {_options(row): () for row in rows}
    persistent = {one.persistent for one in options if one.workers != 0}
    return Loader(
        id=int(rows["id"][0]),
        name=name,
        place=_place(name),
        processes=sum(_count(value) for value in rows[f"{MODULE}_PROCESSES"].tolist()),
        workers=workers,
        prefetch=largest("PREFETCH") if workers else None,
        persistent=None if None in persistent else all(persistent) and bool(persistent),
        batch_size=largest("BATCH_SIZE"),
        options=options,
        samples=_samples(rows, epochs),
        is_spawned=len(workers_of) > 0 and not workers_of[f"{MODULE}_LOADER"].any(),
        processors=largest("PROCESSORS") or 0,
        sums=_span(rows, 0),
        epochs=spans,
        ranks=_spans(parts[known], "RANK"),
        did=_workers(log, tree, ranks, spans) if workers else None,
        io=_io_of(tree, ranks),
        # One line may iterate over loaders with workers and over loaders without.
        made=fetches(np.concatenate((rows, workers_of))),
        by_worker=of_workers(workers_of),
        by_epoch=_by_epoch(parts[(kinds == _EPOCH) | (kinds == _WORKERS_EPOCH)]),
    )


def _workers_of(loader: int, parts: np.ndarray, is_alone: bool) -> np.ndarray:
    """Returns the records of a loader's workers. Workers that were not forked (start methods spawn
    and forkserver) do not know their loader; they count if this is the only loader with workers.
    loader: record id. is_alone: whether it is the only one."""
    kinds, loaders = parts[f"{MODULE}_KIND"], parts[f"{MODULE}_LOADER"]
    mask = loaders == loader
    if is_alone:
        mask |= loaders == 0
    found: np.ndarray = parts[(kinds == WORKER) & mask]
    return found


def training(log: Log, tree: Processes | None) -> tuple[Loader, ...]:
    """Returns the data loaders of a log, the loader with the longest epochs first; none if the log
    has no records of loaders, or if they are damaged. tree: the processes of the log, if it has
    them."""
    region = log.info.region(MODULE)
    if region is None or region.length == 0:
        return ()
    try:
        array = log.records(MODULE).array
    except LogError:
        return ()  # the report names damaged modules
    loaders = array[array[f"{MODULE}_KIND"] == _LOADER]
    parts = array[array[f"{MODULE}_KIND"] != _LOADER]
    with_workers = np.unique(loaders["id"][loaders[f"{MODULE}_WORKERS"] > 0])
    found = [
        _loader(
            log,
            tree,
            loaders[loaders["id"] == number],
            parts[parts[f"{MODULE}_LOADER"] == number],
            _workers_of(number, parts, with_workers.tolist() == [number]),
        )
        for number in np.unique(loaders["id"])
    ]
    return tuple(sorted(found, key=lambda loader: -loader.sums.whole))
