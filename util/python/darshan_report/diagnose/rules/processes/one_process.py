"""One process does all the I/O of a parallel job, or all the writing, or all the reading."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....measure.mpi.waiting import During
from ....measure.processes.ranks import sums_by_rank
from ....records import among
from ....units import amount, plural, seconds, share
from ...accesses import collective
from ...facts import Facts, once
from ...finding import CAUSE, Evidence, Finding, Remedy, Stake
from ...reached import WAITS, at_most
from ...remedies.language import READ_PARTS, WRITE_PARTS
from ...table import Table
from ...times import waits

NAME = "one-process-does-all"
ROLE = CAUSE
_LEAST = 4  # fewest processes; fewer would gain little
_LEAST_KNOWN = 2  # fewest processes, if the log has how long the others waited
_KINDS = (("BYTES_WRITTEN", "F_WRITE_TIME", "wrote"), ("BYTES_READ", "F_READ_TIME", "read"))

Numbers = npt.NDArray[np.float64]


@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if, by the bytes in the lowest layers, one process of a job does all the
    I/O, all the writing or all the reading; otherwise nothing."""
    known = waits.during(facts)
    if not facts.together or facts.nprocs < (_LEAST if known is None else _LEAST_KNOWN):
        return
    found = [one for kind in _KINDS for one in _alone(facts, *kind)]
    # It is good practice that one process reads the data that all need, and sends it to the others.
    limit = "oneprocess.read" if known is None else "oneprocess.waited"
    enough = facts.limits["oneprocess.read"] if known is None else facts.limits["oneprocess.waited"]
    found = [one for one in found if one.word != "read" or one.whole > enough]
    stake = _stake(facts, found, known)
    if not found or not facts.worth(stake):
        return
    each = plural(facts.nprocs, "process")
    said = (
        f"Rank {one.rank} {one.word} {amount(one.moved)} of {amount(one.whole)} "
        f"({share(one.moved, one.whole)}) in {seconds(one.time)}"
        for one in sorted(found, key=lambda one: -one.time)
    )
    file = waits.busiest_of(facts, found[0].rank)
    named = f", most of the time in {file.name}" if file else ""
    yield Finding(
        NAME,
        _title(found),
        f"{'; '.join(said)}{named}, in a job of {each}.{_waited(facts, found[0].rank, known)}",
        stake=stake,
        evidence=(*(file.evidence if file else ()), *_evidence(facts)),
        remedy=_remedy(found),
        limits=("oneprocess.share", limit),
    )


def _stake(facts: Facts, found: list[_Alone], known: During | None) -> Stake:
    """Returns the potential saving: if all processes took part, each would save the time of the one
    process minus its own share of the I/O. found: the reads or writes that this process makes
    alone; known: the time of the other processes meanwhile, None if unknown."""
    if known is None:
        return facts.stake(
            sum(one.time for one in found) * (facts.nprocs - 1),
            "the other processes' time while this one does I/O, if they wait",
        )
    parts = {"read": known.reading, "wrote": 1 - known.reading}
    waited = sum(known.others * parts[one.word] for one in found if one.rank == known.rank)
    return facts.stake(
        waited,
        "time in which the other processes waited in MPI while this one was in I/O, by the bins of "
        "the heat maps",
    )


def _waited(facts: Facts, rank: int, known: During | None) -> str:
    """Returns a sentence on how long the other processes waited; `""` if unknown. rank: the process
    that does the I/O; known: the time of the other processes meanwhile, None if unknown."""
    if known is None:
        return ""
    during = ""
    if rank == known.rank:
        mean = seconds(known.others / (facts.nprocs - 1))
        during = f", {mean} of that while this rank did I/O"
    return f" {waits.others(facts, rank)}{during}."


def _remedy(found: list[_Alone]) -> Remedy:
    """Returns the remedy, by whether the process reads, writes, or both."""
    words = [one.word for one in found]
    reads = (
        "Let all processes take part: each reads its own part of the file, or one process of each "
        "node reads. If all processes need the whole file, read it in large pieces and send it "
        "with one MPI_Bcast."
    )
    writes = (
        "Let all processes take part: use a parallel library on one file, or a writer per node."
    )
    if words == ["read"]:
        return Remedy(reads, READ_PARTS)
    return Remedy(writes, WRITE_PARTS if words == ["wrote"] else f"{READ_PARTS}\n{WRITE_PARTS}")


def _title(found: list[_Alone]) -> str:
    """Returns the title of the finding, by whether the process reads, writes, or both."""
    if len(found) > 1:
        return "One process does all the I/O"
    return f"One process does all the {'writing' if found[0].word == 'wrote' else 'reading'}"


def _evidence(facts: Facts) -> tuple[Evidence, ...]:
    """Returns the bytes in the lowest layers as evidence."""
    base = (table for layer, table in facts.layers if layer.base)
    return tuple(e for t in base for e in facts.sums(t, "BYTES_READ", "BYTES_WRITTEN"))


class _Alone:
    """The reads, or the writes, of a process that moves nearly all bytes of a job. word: the kind;
    rank: of the process; moved: its bytes; whole: the bytes of all processes; time: its seconds."""

    def __init__(self, word: str, rank: int, moved: float, whole: float, time: float) -> None:
        """Stores the values. word: "read" or "wrote". moved, whole: bytes of the process and of all
        processes. time: seconds of the process."""
        self.word, self.rank, self.moved, self.whole, self.time = word, rank, moved, whole, time


def _column(table: Table, name: str) -> Numbers:
    """Returns a counter, or a time in seconds, of all records; unknown values are 0."""
    return table.seconds_or_bytes(name)


@once
def collective_files(facts: Facts, table: Table) -> npt.NDArray[np.uint64]:
    """Returns the ids of the files that MPI-IO accesses collectively; none if the log has no
    MPI-IO. Also returns none if `table` is MPI-IO's own, because rules leave out these files only
    in the layers below."""
    above = facts.table("MPI-IO")
    if above is None or above is table:
        return np.empty(0, "u8")
    return above.ids[collective.calls(above) > 0]


@once
def _is_own(facts: Facts, table: Table) -> npt.NDArray[np.bool_]:
    """Returns a mask of the records of single ranks, in files in which each process moves its own
    data. table: one of a lowest layer."""
    own = (table.records.ranks >= 0) & (table.records.ranks < facts.nprocs)
    return own & ~among(table.records.ids, collective_files(facts, table))


def _alone(facts: Facts, bytes_of: str, time_of: str, word: str) -> Iterator[_Alone]:
    """Yields the process that moves most of all bytes, if there is one. bytes_of, time_of: the
    counters. word: "read" or "wrote"."""
    ranks, moves, times, others = [], [], [], 0.0
    for layer, table in facts.layers:
        if not layer.base:
            continue
        own, moved = _is_own(facts, table), _column(table, bytes_of)
        others += float(moved[~own].sum())
        ranks.append(table.records.ranks[own])
        moves.append(moved[own])
        times.append(_column(table, time_of)[own])
    if not ranks or not sum(map(len, ranks)):
        return
    there, (moved, time) = sums_by_rank(
        np.concatenate(ranks), np.concatenate(moves), np.concatenate(times)
    )
    whole, most = float(moved.sum()) + others, int(np.argmax(moved))
    if whole > 0 and moved[most] >= facts.limits["oneprocess.share"] * whole:
        yield _Alone(word, int(there[most]), float(moved[most]), whole, float(time[most]))
