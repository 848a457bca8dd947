"""The activities over time of each process of a training that iterates over a DataLoader, and of
each worker: its lane.

The lanes come from the records of TRAINING_TIME, which have sums in time bins, not the times of
single batches. Within the time of a batch, its parts are spread evenly."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..classes import dataclass
from ..library import LogError
from ..log import Log
from ..variable import HeatMap, heat_maps
from .processes.processes import Processes
from .traces.heat import MAX_BINS
from .training import MODULE as TRAINING
from .training import WORKER

MODULE = "TRAINING_TIME"
_EPOCHS, _BATCHES, _PROCESSORS = "epochs", "batches", "processors"
_NAME = re.compile(r"heatmap:(epochs|batches|processors)(?::(\d{1,9}))?")
_MILLISECOND = 1e-3
_LATEST = 1e9  # seconds; a later bin is damage

# States of a process. The first four are the parts of making a batch, as in the table of workers.
# FILES is opening and reading together.
FILES, COMPUTING, READY, WAITING, IDLE = "files", "computing", "ready", "waiting", "idle"
# STALL: the process that iterates waits for a batch. STEP: it works between two batches.
STALL, STEP = "stall", "step"
STATES = (FILES, COMPUTING, READY, WAITING, IDLE, STALL, STEP)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lane:
    """The activities of one process over time: of one that iterates over a DataLoader, or of a
    worker. If several processes were one after another the worker with this number, they share a
    lane."""

    process: int  # number of the (first) process in the log
    worker: int | None  # number of the worker; None: the process iterates
    parent: int  # number of the process that iterates
    rank: int | None  # rank from a launcher such as torchrun, of the process that iterates
    loader: int  # id of a worker's loader; 0: unknown, or the process iterates
    spans: tuple[tuple[float, float], ...]  # lifetimes of its processes, in seconds after the start
    spent: dict[str, Floats]  # for each state, the seconds in each bin

    @functools.cached_property
    def sums(self) -> dict[str, float]:
        """The seconds of each state (what the process did) that has any."""
        return {state: float(bins.sum()) for state, bins in self.spent.items() if bins.any()}


@dataclass(frozen=True, eq=False)
class Lanes:
    """The lanes of a training: each process that iterates over a DataLoader, followed by its
    workers."""

    width: float  # seconds of a bin
    bins: int
    end: float  # seconds: the end of the run
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, eq=False)
class _Process:
    """The records of one process. worker: its number among the workers of a DataLoader; None if it
    is no worker. times: for each kind of time (epochs, batches, processors), the whole and a part
    of it, in seconds per time bin. start, end: of the process, in seconds after the start of the
    run."""

    rank: int
    worker: int | None
    times: dict[str, tuple[Floats, Floats]]
    start: float
    end: float
    is_one: bool  # one process; of several, the log does not have the single lifetimes

    def of(self, kind: str, bins: int) -> tuple[Floats, Floats]:
        """Returns the whole and the part of a kind of time, in seconds per bin; zeros if the
        process has none."""
        return self.times.get(kind, (np.zeros(bins), np.zeros(bins)))


def _usable(record: HeatMap) -> bool:
    width = record.bin_width
    return (
        record.rank >= 0
        and 0 < len(record.read) <= MAX_BINS
        and bool(np.isfinite(width))
        and 0 < width * len(record.read) < _LATEST
    )


def _bins(values: npt.NDArray[np.int64], bins: int, width: float) -> Floats:
    """Returns the seconds in each of `bins` bins. values: milliseconds per bin. width: seconds of a
    bin. A result is at most the width, which rounding to whole milliseconds may exceed."""
    found = np.zeros(bins)
    known = np.maximum(values[:bins], 0) * _MILLISECOND
    found[: len(known)] = known
    return np.minimum(found, width)


def _lived(bins: int, width: float, spans: Iterable[tuple[float, float]]) -> Floats:
    """Returns how many seconds of each time bin are within the spans, which must not overlap.
    width: seconds of a bin."""
    edges = np.arange(bins + 1) * width
    found = np.zeros(bins)
    for start, end in spans:
        found += np.diff(edges.clip(start, end))
    return np.minimum(found, width)


def _batches(one: _Process, bins: int) -> dict[str, Floats]:
    """Returns what a process did while it made batches: seconds per time bin, by state. If the
    processor time of a batch does not fit beside its calls on files, the excess is taken to be
    inside these calls."""
    whole, files = one.of(_BATCHES, bins)
    running, without = one.of(_PROCESSORS, bins)
    files = np.minimum(files, whole)
    computing = np.minimum(np.maximum(running - without, 0.0), whole - files)
    ready = np.minimum(without, whole - files - computing)
    waiting = np.maximum(whole - files - computing - ready, 0.0)
    return {FILES: files, COMPUTING: computing, READY: ready, WAITING: waiting}


def _iterating(one: _Process, bins: int) -> dict[str, Floats]:
    """Returns what a process that iterates over a DataLoader did: its wait, the batches that it
    made itself (which are not in the wait), and its own work between batches. Seconds per time bin,
    by state."""
    whole, wait = one.of(_EPOCHS, bins)
    spent = _batches(one, bins)
    made = sum(spent.values(), np.zeros(bins))
    return {
        **spent,
        STALL: np.maximum(wait - made, 0.0),
        STEP: np.maximum(whole - np.maximum(wait, made), 0.0),
    }


def _worker(several: Sequence[_Process], bins: int, width: float) -> dict[str, Floats]:
    """Returns what a worker did: seconds per time bin, by state. If its lifetime is known, it is
    idle while it lives and makes no batch. several: the processes that were this worker."""
    spent: dict[str, Floats] = {}
    for one in several:
        for state, seconds in _batches(one, bins).items():
            spent[state] = spent.get(state, 0.0) + seconds
    made = sum(spent.values(), np.zeros(bins))
    lived = _lived(bins, width, ((one.start, one.end) for one in several if one.is_one))
    return {**spent, IDLE: np.maximum(lived - made, 0.0)}


def _life(tree: Processes | None, rank: int, run_time: float) -> tuple[float, float, bool]:
    """Returns begin and end of a process, in seconds since the start of the run, and whether it is
    a single process (in a run of very many processes, a rank represents several). If the times are
    unknown, returns the whole run."""
    if tree is not None and len(place := tree.places(np.array([rank]))):
        at = place[0]
        return float(tree.start[at]), float(tree.end[at]), bool(tree.counts[at] == 1)
    return 0.0, run_time, True


def _processes(log: Log, tree: Processes | None) -> tuple[list[_Process], int, float]:
    """Returns the processes that have records, the number of time bins, and their width in seconds;
    an empty list, 0 and 0 if there are no records. tree: tells when the processes lived; None:
    unknown."""
    # By rank and number of the worker (-1: not a worker).
    found: dict[tuple[int, int], dict[str, HeatMap]] = {}
    for record in heat_maps(log, MODULE):
        if (name := _NAME.fullmatch(log.name(record.id) or "")) and _usable(record):
            found.setdefault((record.rank, int(name[2] or -1)), {})[name[1]] = record
    every = [record for kinds in found.values() for record in kinds.values()]
    width = max((record.bin_width for record in every), default=0.0)
    run_time = log.info.run_time
    bins = max((len(record.read) for record in every), default=0)
    if width > 0 and 0 < run_time < _LATEST:
        bins = min(bins, int(np.ceil(run_time / width - 1e-6)))
    processes = []
    for (rank, worker), kinds in sorted(found.items()):
        times = {
            kind: (_bins(record.write, bins, width), _bins(record.read, bins, width))
            for kind, record in kinds.items()
            if record.bin_width == width
        }
        life = _life(tree, rank, bins * width)
        processes.append(_Process(rank, worker if worker >= 0 else None, times, *life))
    return processes, bins, width


def _parent(tree: Processes | None, rank: int) -> int:
    """Returns the rank of a process's parent; -1 without a process tree, and for a process that
    is not in the tree or is its root."""
    if tree is None or not len(place := tree.places(np.array([rank]))):
        return -1
    above = int(tree.parents[place[0]])
    return int(tree.ranks[above]) if above >= 0 else -1


def _launched(tree: Processes | None, rank: int) -> int | None:
    """Returns the rank that a launcher such as torchrun gave a process; None without a launcher."""
    if tree is None or not len(place := tree.places(np.array([rank]))):
        return None
    number = int(tree["WORLD_RANK"][place[0]])
    return number if number >= 0 else None


def _loaders(log: Log) -> dict[int, int]:
    """Returns the record id of the loader of each worker, by the worker's rank; empty if the
    TRAINING records are missing or damaged. Workers that are started again in each epoch have one
    record for all of their processes."""
    region = log.info.region(TRAINING)
    if region is None or region.length == 0:
        return {}
    try:
        array = log.records(TRAINING).array
    except LogError:
        return {}  # the report names damaged modules
    rows = array[array[f"{TRAINING}_KIND"] == WORKER]
    return dict(zip(rows["rank"].tolist(), rows[f"{TRAINING}_LOADER"].tolist()))


def _successive(some: list[_Process]) -> list[list[_Process]]:
    """Groups the processes that were the same worker in successive epochs: in a group, each process
    began after the previous one had ended. There may be several groups, because two loaders may
    have workers with the same number at the same time. Returns the groups."""
    groups: list[list[_Process]] = []
    for one in sorted(some, key=lambda process: process.start):
        home = next((group for group in groups if group[-1].end <= one.start), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    return groups


def lanes(log: Log, tree: Processes | None) -> Lanes | None:
    """Returns the lanes of a training; None if the log has no TRAINING_TIME records. Raises
    LogError if they are damaged."""
    region = log.info.region(MODULE)
    if region is None or region.length == 0:
        return None
    processes, bins, width = _processes(log, tree)
    if not bins:
        return None
    workers: dict[tuple[int, int, int], list[_Process]] = {}
    programs, loaders = [], _loaders(log)
    for one in processes:
        if one.worker is None:
            programs.append(one)
        else:
            key = (_parent(tree, one.rank), loaders.get(one.rank, 0), one.worker)
            workers.setdefault(key, []).append(one)
    found = [
        Lane(one.rank, None, one.rank, _launched(tree, one.rank), 0, ((one.start, one.end),),
             _iterating(one, bins))
        for one in programs
    ]  # fmt: skip
    for (parent, loader, number), some in workers.items():
        for group in _successive(some):
            spans = tuple((one.start, one.end) for one in group)
            spent = _worker(group, bins, width)
            rank = _launched(tree, group[0].rank)
            found.append(Lane(group[0].rank, number, parent, rank, loader, spans, spent))
    first = {lane.loader: lane.process for lane in reversed(found)}  # of each loader
    found.sort(key=lambda lane: (lane.parent, lane.worker is not None, first[lane.loader],
                                 lane.worker or 0, lane.process))  # fmt: skip
    end = log.info.run_time if 0 < log.info.run_time < _LATEST else bins * width
    return Lanes(width, bins, min(end, bins * width) or bins * width, tuple(found))
