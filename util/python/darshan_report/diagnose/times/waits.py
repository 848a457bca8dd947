"""Computes how much time the ranks of an MPI job lose while they wait for the I/O of one rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...measure.mpi.waiting import During, Waiting, during_io, traffic_of, waiting_of
from ...measure.processes.ranks import sums_by_rank
from ...records import among
from ...units import seconds
from ..accesses import collective
from ..facts import Facts, once
from ..finding import Evidence
from ..table import Table

_TIMES = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")

Floats = npt.NDArray[np.float64]


@once
def waiting(facts: Facts) -> Waiting | None:
    """Returns how long the ranks of an MPI job waited for other ranks; None for a process tree or
    one process, and if the log has no records of waits or damaged ones. Adds damaged ones to
    facts.damaged."""
    if facts.tree is not None or facts.nprocs < 2:
        return None
    try:
        return waiting_of(facts.log)
    except LogError as error:
        facts.damaged.append(("MPIWAIT", str(error)))
        return None


def seconds_of(table: Table) -> Floats:
    """Returns the seconds in reads, writes and metadata operations, for each record of a table."""
    found: Floats = sum((table.seconds_or_bytes(name) for name in _TIMES), np.zeros(1))
    return found


@once
def aggregated(facts: Facts) -> npt.NDArray[np.uint64]:
    """Returns the ids of the files that several ranks access mostly by collective MPI-IO calls;
    none if the log has no MPI-IO. Below these calls, a few ranks do the I/O of all ranks, as
    intended."""
    above = facts.table("MPI-IO")
    if above is None:
        return np.empty(0, "u8")
    whole = above["BYTES_READ"] + above["BYTES_WRITTEN"]
    mostly = (collective.calls(above) > 0) & (2 * collective.moved(above) >= whole)
    found: npt.NDArray[np.uint64] = above.ids[mostly & (above.processes > 1)]
    return found


def _io_seconds(facts: Facts, ranks: npt.NDArray[np.int64], moved: Floats) -> Floats:
    """Returns, for each of these ranks, the seconds in I/O on files that it does not access
    collectively. For a file of several ranks, the log has the time of the slowest rank and the sum
    over the others. This sum is divided among them in proportion to their bytes in all files.
    moved: bytes of each rank."""
    found, rest = np.zeros(len(ranks)), 0.0
    order = np.argsort(ranks)
    for layer, table in facts.layers:
        if not layer.base:
            continue
        of, spent = table.records.ranks.copy(), seconds_of(table)
        spent = np.where(among(table.records.ids, aggregated(facts)), 0.0, spent)
        if table.records.module.has(f"{table.prefix}_SLOWEST_RANK"):
            shared = of < 0
            slowest = np.minimum(table.seconds_or_bytes("F_SLOWEST_RANK_TIME"), spent)
            rest += float((spent - slowest)[shared].sum())
            of[shared] = table.records[f"{table.prefix}_SLOWEST_RANK"][shared]
            spent = np.where(shared, slowest, spent)
        there, (sums,) = sums_by_rank(of, spent)
        at = np.searchsorted(ranks, there, sorter=order).clip(0, len(ranks) - 1)
        known = ranks[order[at]] == there
        found[order[at[known]]] += sums[known]
    whole = float(moved.sum())
    return found + rest * moved / whole if whole > 0 else found


@once
def during(facts: Facts) -> During | None:
    """Returns the time in which one rank was in I/O while nearly all others waited
    (measure/mpi/waiting.py); None if unknown."""
    known = waiting(facts)
    if known is None:
        return None
    try:
        traffic = traffic_of(facts.log, known)
    except LogError:
        return None  # the section on traffic reports it
    return during_io(known, traffic, _io_seconds(facts, known.ranks, traffic.of_ranks))


@dataclass(frozen=True)
class Waited:
    """How long the ranks of an MPI job waited for other ranks. least, most: number of the rank that
    waited least or most, and its seconds."""

    ranks: int
    seconds: float  # summed over all ranks
    collective: float  # part of `seconds` in collective calls and MPI_Finalize
    least: tuple[int, float]
    most: tuple[int, float]
    during: During | None


@once
def waited(facts: Facts) -> Waited | None:
    """Returns how long the ranks waited for other ranks, as sums; None if `waiting` returns
    None."""
    known = waiting(facts)
    if known is None:
        return None
    return Waited(
        len(known.ranks),
        known.seconds,
        known.collective,
        known.least,
        known.most,
        during(facts),
    )


def others(facts: Facts, rank: int) -> str:
    """Returns text on how long all ranks except `rank` waited; "" unless at least two ranks have
    records of waits."""
    known = waiting(facts)
    if known is None or len(known.ranks) < 2:
        return ""
    mean = float(known.by_rank[known.ranks != rank].mean())
    who = "The other rank" if facts.nprocs == 2 else f"The other {facts.nprocs - 1:,} ranks"
    each = "" if facts.nprocs == 2 else " each on average"
    return f"{who} waited {seconds(mean)} of {seconds(facts.run_time)}{each} in MPI for other ranks"


@dataclass(frozen=True)
class Busiest:
    """The file on which a rank spent most time in I/O calls."""

    name: str
    id: int  # record id
    evidence: tuple[Evidence, ...]


def busiest_of(facts: Facts, rank: int) -> Busiest | None:
    """Returns the file of the lowest layers on which a rank spent most time; None if it used no
    file."""
    best: tuple[float, Table, int] | None = None
    for layer, table in facts.layers:
        own = table.records.ranks == rank
        if table.records.module.has(f"{table.prefix}_SLOWEST_RANK"):
            shared = table.records.ranks < 0
            own = own | (shared & (table.records[f"{table.prefix}_SLOWEST_RANK"] == rank))
        if not layer.base or not own.any():
            continue
        spent = np.where(own, seconds_of(table), -1.0)
        at = int(spent.argmax())
        if best is None or spent[at] > best[0]:
            best = (float(spent[at]), table, int(table.records.ids[at]))
    if best is None:
        return None
    _, table, number = best
    place = table.place(number) or 0
    names = ("OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN", *_TIMES)
    return Busiest(facts.name(number), number, facts.rows(table, place, *names))
