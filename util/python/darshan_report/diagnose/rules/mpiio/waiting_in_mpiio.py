"""MPI-IO calls that spend their time waiting for other processes, not for the file system."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds, share
from ...accesses import collective
from ...facts import PARALLEL, Facts, leading
from ...finding import CAUSE, Evidence, Finding, Remedy
from ...programs.machine import nodes, outnumbered
from ...reached import WAITS, at_most, needs
from ...table import Table
from ...times.cpu_wait import runnable
from . import tiny_collective

NAME = "waiting-in-mpi-io"
ROLE = CAUSE
_MOST = 64  # largest number of files that are examined individually


class Waits:
    """The seconds that each MPI-IO file took in reads and writes, split into POSIX calls and the
    rest. The split is known only for the few collectively used files with the most seconds; the
    seconds in POSIX calls are 0 for the others."""

    def __init__(self, facts: Facts, upper: Table, lower: Table) -> None:
        """Computes the times of each file. upper, lower: the tables of MPI-IO and of POSIX."""
        self.facts, self.upper, self.lower = facts, upper, lower
        self.time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]  # another rule reports opens
        self.ranks = np.maximum(upper.processes, 1)
        self.mean = facts.time(upper) / self.ranks
        self.posix = np.zeros(len(upper))  # seconds in the POSIX calls below
        self.busiest = np.zeros(len(upper))  # seconds in the POSIX calls of the busiest process
        self.moved = np.zeros(len(upper))  # bytes of the busiest process
        self.whole = np.zeros(len(upper))  # bytes of all processes
        self.collective = collective.calls(upper)
        for place in leading((self.collective > 0) & (self.time > 0), self.time, _MOST):
            at = lower.place(int(upper.ids[place]))
            if at is not None:
                self._below(place, at, float(lower["F_READ_TIME"][at] + lower["F_WRITE_TIME"][at]))

    def _below(self, place: int, at: int, posix: float) -> None:
        """Sets the parts of a file's time below MPI-IO. place, at: its rows in the tables of MPI-IO
        and of POSIX. posix: seconds."""
        lower = self.lower
        moved = float(lower["BYTES_READ"][at] + lower["BYTES_WRITTEN"][at])
        alone = int(lower.processes[at]) == 1
        self.posix[place], self.whole[place] = posix, moved
        self.busiest[place] = posix if alone else lower["F_SLOWEST_RANK_TIME"][at]
        self.moved[place] = moved if alone else lower["SLOWEST_RANK_BYTES"][at]

    @property
    def needed(self) -> np.ndarray:
        """The shortest possible seconds in MPI-IO calls per file, summed over the processes: all
        processes wait until the process with the most POSIX calls has moved its bytes. If other
        processes could move some of its bytes, its seconds are those of a good rate."""
        slow = np.where(self.funnelled, self.facts.lost(self.busiest, self.moved, 1), 0.0)
        return np.maximum(self.posix, (self.busiest - slow) * self.ranks)

    def _parallel(self) -> bool:
        """Returns whether the file with the most seconds is on a parallel file system."""
        most = int(np.argmax(self.time)) if len(self.time) else 0
        return self.facts.mount_type(int(self.upper.ids[most])) in PARALLEL

    @property
    def late(self) -> np.ndarray:
        """Mask of the files on which one process spends far less time in the calls than the others,
        because it arrives last and so does not wait. On a busy machine any process may arrive last
        by chance, after a wait for a processor; differences that such chance explains do not
        count."""
        fastest = np.where(self.ranks > 1, self.upper["F_FASTEST_RANK_TIME"], self.mean)
        gap = self.mean - fastest
        met = np.maximum(collective.met(self.upper), 1)
        chance = runnable(self.facts) / self.facts.nprocs / np.sqrt(met)
        limit = self.facts.limits["imbalance.share"] * self.mean
        found: np.ndarray = (fastest > 0) & (gap > limit) & (gap > chance)
        return found

    @property
    def funnelled(self) -> np.ndarray:
        """Mask of the files for which all processes wait while few processes do the POSIX I/O,
        although more processes could do it. All are False on one node without a parallel file
        system, where more processes would not help."""
        if nodes(self.facts) == 1 and not self._parallel():
            return np.zeros(len(self.upper), bool)
        limit = self.facts.limits["imbalance.share"]
        few = self.posix < self.busiest * self.ranks / 2
        return few & (self.busiest > limit * self.mean)


def waits(facts: Facts) -> Waits | None:
    """Returns the times in calls on MPI-IO files and their parts. Returns None if the log has no
    records of MPI-IO or POSIX, or its processes do not work together."""
    upper, lower = facts.table("MPI-IO"), facts.table("POSIX")
    if upper is None or lower is None or not facts.together:
        return None
    return Waits(facts, upper, lower)


def exchanging(facts: Facts) -> tuple[float, float]:
    """Returns two sums over the collectively used files on which no process arrives late: the
    seconds in MPI-IO that are neither POSIX calls nor waits for the process that makes them, and
    all seconds in MPI-IO. Both are 0 if waits() is None."""
    found = waits(facts)
    if found is None:
        return 0.0, 0.0
    mask = (found.collective > 0) & ~found.late
    rest = found.time - np.maximum(found.posix, found.busiest * found.ranks)
    return float(np.maximum(rest, 0)[mask].sum()), float(found.time[mask].sum())


@needs("MPI-IO")
@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for each reason why most MPI-IO time of collectively used files is not time
    in POSIX calls: a process arrives late, few processes do the POSIX I/O, or neither. Yields
    nothing if there is no such time."""
    found = waits(facts)
    if found is None or not (found.collective > 0).any():
        return
    lost = np.maximum(0.0, found.time - found.needed)
    mask = (found.collective > 0) & (lost > facts.limits["waiting.mpiio"] * found.time)
    mask &= ~tiny_collective.tiny(facts, found.upper)
    late, funnelled = found.late, found.funnelled & ~found.late
    yield from _of(found, np.where(mask & late, lost, 0.0))
    yield from _of(found, np.where(mask & funnelled, lost, 0.0))
    if not outnumbered(facts):  # else all processes wait equally, for a processor
        # All processes also wait equally if other programs use the processors; the kernel's counts
        # show this.
        whole = max(float(found.time.sum()), 1e-9)
        lost = np.maximum(0.0, lost - runnable(facts) * found.time / whole)
        mask &= lost > facts.limits["waiting.mpiio"] * found.time
        yield from _of(found, np.where(mask & ~late & ~funnelled, lost, 0.0))


def _of(found: Waits, lost: np.ndarray) -> Iterator[Finding]:
    """Yields one finding on the files that lose time for one reason; nothing if the loss is too
    small. lost: lost seconds per file, 0 for other files."""
    facts, mask = found.facts, lost > 0
    stake = facts.stake(
        float(lost.sum()),
        "time in MPI-IO calls beyond what the process with most POSIX calls below would take for "
        "its bytes",
    )
    if not mask.any() or not facts.worth(stake):
        return
    (first,) = leading(mask, lost, 1)
    yield Finding(
        NAME,
        _title(found, first),
        _sentence(found, first),
        stake=stake,
        evidence=_rows(found, first),
        remedy=_remedy(found, first),
        limits=("waiting.mpiio", "imbalance.share"),
        covers=frozenset(int(i) for i in found.upper.ids[mask]),
    )


def _title(found: Waits, first: int) -> str:
    """Returns the title of the finding, by the reason of the waits. first: row of the file."""
    if found.late[first]:
        return "MPI-IO calls wait for a process that comes late"
    if found.funnelled[first]:
        return "Few processes do the POSIX I/O of collective calls"
    return "MPI-IO calls wait for other processes"


def _sentence(found: Waits, first: int) -> str:
    """Returns the sentences of the finding. first: row of the file."""
    facts, upper = found.facts, found.upper
    time, posix = float(found.time[first]), float(found.posix[first])
    said = (
        f"Of {seconds(time)} that {plural(int(found.ranks[first]), 'process')} spent in MPI-IO "
        f"calls on {facts.name(upper.ids[first])}, {seconds(posix)} ({share(posix, time)}) went "
        "into POSIX calls below"
    )
    if found.late[first]:
        rank, least = int(upper["FASTEST_RANK"][first]), float(upper["F_FASTEST_RANK_TIME"][first])
        return (
            f"{said}. Rank {rank} was in them for {seconds(least)}, all for "
            f"{seconds(float(found.mean[first]))} on average: the others wait for it."
        )
    if found.funnelled[first]:
        return f"{said}; {_busiest(found, first)}, while all others wait."
    return f"{said}; the rest went into waiting for other processes and into exchanging data."


def _busiest(found: Waits, first: int) -> str:
    """Returns a clause on the process that made the POSIX calls. first: row of the file."""
    at = found.lower.place(int(found.upper.ids[first]))
    alone = at is None or int(found.lower.processes[at]) == 1
    who = "one process" if alone else f"rank {int(found.lower['SLOWEST_RANK'][at])}"
    return (
        f"{who} made those of {amount(float(found.moved[first]))} of "
        f"{amount(float(found.whole[first]))}, in {seconds(float(found.busiest[first]))}"
    )


def _rows(found: Waits, first: int) -> tuple[Evidence, ...]:
    """Returns the times of a file in MPI-IO and in POSIX as evidence. first: row of the file."""
    times = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
    rows = found.facts.rows(
        found.upper, first, "COLL_READS", "COLL_WRITES", *times, "F_FASTEST_RANK_TIME"
    )
    at = found.lower.place(int(found.upper.ids[first]))
    if at is None:
        return rows
    slowest = ("SLOWEST_RANK", "SLOWEST_RANK_BYTES", "F_SLOWEST_RANK_TIME")
    return rows + found.facts.rows(found.lower, at, *times, *slowest)


def _stripes(found: Waits, first: int) -> str:
    """Returns the number of stripes of a file as text in parentheses; `""` if it is unknown or not
    below the number of ranks. first: row of the file."""
    stripes = found.facts.stripes
    number = len(stripes.of(int(found.upper.ids[first]))) if stripes else 0
    return f" (it has {number})" if 0 < number < found.ranks[first] else ""


def _remedy(found: Waits, first: int) -> Remedy:
    """Returns the remedy for a file: to let the processes arrive together if one is late, more
    aggregators if all wait for few processes, otherwise larger or fewer calls. first: row of the
    file."""
    if found.late[first]:
        return Remedy(
            "Let all processes reach the call at the same time: give each the same share of "
            "work, or use "
            "non-blocking calls, so that the others compute meanwhile.",
            "MPI_File_iwrite_at_all and MPI_Wait after the next step;  move uneven work elsewhere",
        )
    if found.funnelled[first]:
        return Remedy(
            "Let more processes do the POSIX I/O: use more aggregators (at least one per node), "
            "and "
            f"store the file on as many storage targets{_stripes(found, first)}.",
            'MPI_Info_set(info, "cb_nodes", "16"), or "cb_config_list", "*:1";  "striping_factor"\n'
            "lfs setstripe -c -1 folder, before the file is made",
        )
    calls = float(collective.met(found.upper)[first])
    each = float(collective.moved(found.upper)[first]) / max(1, int(found.collective[first]))
    return Remedy(
        f"Make fewer, larger calls (each process moved {amount(each)} in {count(calls)}) "
        "that all processes reach at the same time; otherwise use non-blocking calls.",
        "MPI_File_set_view and one MPI_File_write_all;  MPI_File_iwrite_at_all",
    )
