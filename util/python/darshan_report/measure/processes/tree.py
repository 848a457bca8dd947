"""The process tree of a run as rows of a table. Equal siblings share a row, and the number of rows
is limited."""

from __future__ import annotations

import heapq
from dataclasses import field

import numpy as np

from ...classes import dataclass
from .processes import Processes
from .programs import Program

DEPTH = 8  # levels that are shown


@dataclass(eq=False)
class Sums:
    """Sums over some processes of a process tree."""

    number: int = 0  # processes
    start: float = float("inf")  # start of the first process, in seconds after the run's start
    end: float = 0.0  # end of the last process
    lives: float = 0.0  # lifetimes, summed, in seconds
    time: float = 0.0  # seconds in I/O
    read: int = 0  # bytes
    written: int = 0
    failed: int = 0
    faults: int = 0  # page faults
    elsewhere: int = 0  # number of processes whose I/O is in the log of an MPI job

    def add(self, other: Sums) -> None:
        """Adds the sums of other processes to these."""
        self.number += other.number
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.lives += other.lives
        self.time += other.time
        self.read += other.read
        self.written += other.written
        self.failed += other.failed
        self.faults += other.faults
        self.elsewhere += other.elsewhere


@dataclass(eq=False)
class Group:
    """Equal siblings in a process tree: processes of one program whose parents are equal siblings,
    or one and the same. Has their sums, alone and with all descendants, and the groups of their
    children."""

    program: Program
    places: list[int]  # indices in the columns of Processes
    parent: Group | None
    own: Sums = field(default_factory=Sums)  # of these processes alone
    below: Sums = field(default_factory=Sums)  # sums including all descendants
    children: list[Group] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Row:
    """A row of the table of a process tree: a group of equal processes or, if `group` is None, the
    sum of a group's children that do not fit into the table."""

    depth: int  # 0: without a parent
    group: Group | None
    sums: Sums  # sums of the group alone, or of all groups that do not fit
    programs: int = 0  # number of programs that do not fit; 0 for a group


def _own(processes: Processes, places: list[int]) -> Sums:
    """Returns the sums over the processes with these indices."""
    some = np.array(places)
    read, written = processes.moved
    counts = processes.counts[some]
    return Sums(
        number=int(counts.sum()),
        start=float(processes.start[some].min()),
        end=float(processes.end[some].max()),
        lives=float(processes.lives[some].sum()),
        time=float(processes.time[some].sum()),
        read=int(read[some].sum()),
        written=int(written[some].sum()),
        failed=int(processes.failed[some].sum()),
        faults=int(processes.faults[some].sum()),
        elsewhere=int(counts[~processes.own[some]].sum()),
    )


def _siblings(processes: Processes, places: list[int], parent: Group | None) -> list[Group]:
    groups: dict[Program, Group] = {}
    for place in places:
        program = processes.programs[place]
        groups.setdefault(program, Group(program, [], parent)).places.append(place)
    for group in groups.values():
        group.own = _own(processes, group.places)
    return sorted(groups.values(), key=lambda g: (g.own.start, g.places[0]))


def fold(processes: Processes) -> list[Group]:
    """Combines equal siblings into groups. Returns the groups without a parent, ordered by start
    time."""
    children: list[list[int]] = [[] for _ in range(len(processes))]
    top: list[int] = []
    for place, parent in enumerate(processes.parents):
        (children[parent] if parent >= 0 else top).append(place)
    groups = roots = _siblings(processes, top, None)
    every: list[Group] = []
    # Level by level, because a chain of processes may be as long as the number of ranks.
    while groups:
        every += groups
        for group in groups:
            below = [child for place in group.places for child in children[place]]
            group.children = _siblings(processes, below, group) if below else []
        groups = [child for group in groups for child in group.children]
    for group in reversed(every):
        group.below.add(group.own)
        if group.parent:
            group.parent.below.add(group.below)
    return roots


def _chosen(roots: list[Group], most: int) -> set[int]:
    """Returns the id() of each group to show: the groups with the most I/O time including their
    descendants, and never a group without its parent. Together with the rows for groups that do not
    fit, there are at most `most` rows."""
    chosen: set[int] = set()
    number, left = 0, {id(None): len(roots)}  # for each group, its children that are not shown

    def entry(group: Group, depth: int) -> tuple[float, float, int, int, int, Group]:
        nonlocal number
        number += 1
        below = group.below
        return (-below.time, -below.lives, -below.number, number, depth, group)

    heap = [entry(group, 0) for group in roots]
    heapq.heapify(heap)
    while heap:
        *_, depth, group = heapq.heappop(heap)
        above = id(group.parent)
        rows_then = len(chosen) + 1 + len(left) - (left[above] == 1) + bool(group.children)
        if rows_then > most:
            continue
        chosen.add(id(group))
        left[above] -= 1
        if not left[above]:
            del left[above]
        if group.children:
            left[id(group)] = len(group.children)
        if depth + 1 < DEPTH:
            for child in group.children:
                heapq.heappush(heap, entry(child, depth + 1))
    return chosen


def _programs(groups: list[Group]) -> int:
    """Returns the number of programs in these groups and their descendants."""
    found: set[Program] = set()
    while groups:
        found.update(group.program for group in groups)
        groups = [child for group in groups for child in group.children]
    return len(found)


def rows(roots: list[Group], most: int) -> list[Row]:
    """Returns at most `most` rows (`most` must be at least 2) of the groups that fold() returned.
    Children follow their parent, and after the children of each group comes the sum of those that
    do not fit."""
    chosen = _chosen(roots, most)
    found: list[Row] = []

    def level(groups: list[Group], depth: int) -> None:
        left = [group for group in groups if id(group) not in chosen]
        for group in groups:
            if id(group) in chosen:
                found.append(Row(depth, group, group.own))
                level(group.children, depth + 1)
        if left:
            sums = Sums()
            for group in left:
                sums.add(group.below)
            found.append(Row(depth, None, sums, _programs(left)))

    level(roots, 0)
    return found
