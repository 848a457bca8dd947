"""The lifetimes of the programs of a run over time: one lane per program, with all its
processes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ..traces.timelines import BINS, seconds_before
from .processes import Processes
from .programs import Program

_LONGEST = 1e9  # seconds; a later time is damage


@dataclass(frozen=True, eq=False)
class Lane:
    """A row of the picture of a process tree: the processes of one program, or of all programs that
    do not have their own lane (program: None). `part` has how many of them lived, over time."""

    program: Program | None
    programs: int  # number of programs in this lane
    number: int  # processes
    most: int  # largest number of processes at the same time
    # For each of BINS equal parts of the time, how many of its processes lived on average, as a
    # fraction of the largest number that lived at the same time, 0 to 1.
    part: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lanes:
    """The lanes, ordered by the start of their programs, and the lane of each process."""

    end: float  # seconds from the run's start: where the last bin ends
    lanes: list[Lane]
    most: int  # processes at once, of any program
    place_of: npt.NDArray[np.int64]  # index of each process's lane


def _together(processes: Processes) -> npt.NDArray[np.int64]:
    """Returns, for each rank, how many of the processes that it represents lived at the same time.
    Ranks of an MPI job do. Other processes that share a rank are assumed to run one after
    another."""
    return np.where(processes.own, 1, processes.counts)


def _at_once(
    numbers: npt.NDArray[np.int64], start: npt.NDArray[np.float64], end: npt.NDArray[np.float64]
) -> int:
    """Returns the largest number of processes that lived at the same time, at least 1. numbers:
    number of processes of each row, all of which lived from `start` to `end`."""
    times, change = np.concatenate((start, end)), np.concatenate((numbers, -numbers))
    # A process that ends at the moment when another begins does not overlap with it.
    order = np.lexsort((change, times))
    return max(1, int(np.cumsum(change[order]).max()))


def _lane(processes: Processes, some: list[int], end: float, programs: list[Program]) -> Lane:
    """Returns the lane of some processes. some: their indices. end: of the picture, in seconds.
    programs: theirs, without repetition."""
    places, width = np.array(some), end / BINS
    start, stop = processes.start[places], processes.end[places]
    there = np.diff(seconds_before(start, width) - seconds_before(stop, width), prepend=0.0)
    full = width * _at_once(np.ones(len(some), "i8"), start, stop)
    return Lane(
        programs[0] if len(programs) == 1 else None,
        len(programs),
        int(processes.counts[places].sum()),
        _at_once(_together(processes)[places], start, stop),
        (there / full).clip(0, 1),
    )


def lanes(processes: Processes, run_time: float, most: int) -> Lanes:
    """Returns the programs' lifetimes in at most `most` lanes. If there are more programs, those
    with the shortest lifetimes share the last lane. run_time: seconds."""
    members: dict[Program, list[int]] = {}
    for place, program in enumerate(processes.programs):
        members.setdefault(program, []).append(place)
    order = sorted(members, key=lambda p: (-processes.lives[members[p]].sum(), p.name))
    kept = order if len(order) <= most else order[: most - 1]
    others = order[len(kept) :]
    kept.sort(key=lambda p: (processes.start[members[p]].min(), members[p][0]))
    end = max(min(run_time, _LONGEST), float(processes.end.max())) or 1.0
    place_of = np.zeros(len(processes), "i8")
    found: list[Lane] = []
    for programs in [[p] for p in kept] + ([others] if others else []):
        some = [place for program in programs for place in members[program]]
        place_of[some] = len(found)
        found.append(_lane(processes, some, end, programs))
    most_of_all = _at_once(_together(processes), processes.start, processes.end)
    return Lanes(end, found, most_of_all, place_of)
