"""Some processes do far more I/O than the others, or take longer for the same I/O."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ....classes import dataclass
from ....measure.processes.ranks import sums_by_rank
from ....records import among
from ....units import amount, plural, seconds
from ...accesses.streams import Floats, Mask
from ...facts import Facts
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import WAITS, at_most
from ...table import Table, added
from ..files import slow_targets
from . import one_process, slow_hosts

NAME = "imbalance"
ROLE = SYMPTOM
_TIMES = ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")
_BYTES = ("BYTES_READ", "BYTES_WRITTEN")
_MANY = 10  # times the mean; a larger factor is printed without decimals
# Rules that replace this one if they report a finding.
_CAUSES = (one_process, slow_targets, slow_hosts)
_WAITING = "time that the other processes wait for the slowest one, if they wait"


@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if one process takes much longer for its own files than the others, summed
    over all layers, and another on the shared file that loses the most time by its slowest process.
    Yields nothing if another rule already tells the cause."""
    if not facts.together or any(f for rule in _CAUSES for f in facts.found(rule.find)):
        return
    tables = [(table, _mask(facts, table)) for table in map(facts.table, _MODULES) if table]
    yield from _own(facts, tables)
    shared = [f for table, mask in tables for f in _shared(facts, table, mask)]
    yield from sorted(shared, key=lambda f: f.rank)[:1]


_MODULES = ("MPI-IO", "POSIX", "STDIO")


def _mask(facts: Facts, table: Table) -> Mask:
    """Returns a mask of the records in a table, without those of files that MPI-IO accesses
    collectively: there a few processes do the POSIX I/O for all, as intended."""
    return ~among(table.records.ids, one_process.collective_files(facts, table))


def _sum(table: Table, rows: Mask, names: tuple[str, ...]) -> Floats:
    """Returns, for each record that the mask `rows` selects, the sum of the counters with these
    names; unknown values are 0."""
    return added([table.seconds_or_bytes(n)[rows] for n in names])


@dataclass(frozen=True)
class _Slow:
    """The process that takes longest for some files: its rank, seconds and bytes, with the mean
    seconds and bytes of all processes to compare with."""

    rank: int
    longest: float  # seconds
    mean: float
    moved: float  # bytes of the slowest process
    each: float  # mean bytes of all processes

    def works_more(self, facts: Facts) -> bool:
        """Returns whether the process also moves more bytes, and does not only take longer."""
        return self.moved - self.each > facts.limits["imbalance.share"] * self.each

    def by_chance(self, facts: Facts) -> bool:
        """Returns whether the process takes only a little longer than the mean and moves about as
        many bytes, so that the difference may be chance."""
        little = self.longest - self.mean < facts.limits["imbalance.chance"]
        return little and not self.works_more(facts)

    @property
    def spread(self) -> str:
        """How many times the mean the seconds of this process are, as text ("2.5 times the mean");
        other words if the mean is 0."""
        if self.mean <= 0:
            return "all there is"
        times = self.longest / self.mean
        return f"{times:,.{0 if times > _MANY else 1}f} times the mean"


def _own(facts: Facts, tables: list[tuple[Table, Mask]]) -> Iterator[Finding]:
    """Yields the finding on the process that takes longest for its own files. tables: each with a
    mask of its records."""
    parts: list[tuple[npt.NDArray[Any], ...]] = []
    summed: list[Table] = []
    for table, mask in tables:
        rows = mask & (table.records.ranks >= 0)
        if rows.any():
            ranks = table.records.ranks[rows]
            done = (_sum(table, rows, _TIMES), _sum(table, rows, _BYTES))
            parts.append((ranks, *done, table.records.ids[rows]))
            summed.append(table)
    if not parts:
        return
    ranks, time, moved, ids = (np.concatenate(column) for column in zip(*parts))
    if int(ranks.max()) >= facts.nprocs:
        return
    there, (times, amounts) = sums_by_rank(ranks, time, moved)
    at, number = int(np.argmax(times)), facts.nprocs
    slow = _Slow(
        int(there[at]), float(times[at]), float(times.sum()) / number, float(amounts[at]),
        float(amounts.sum()) / number,
    )  # fmt: skip
    gap = slow.longest - slow.mean
    stake = facts.stake(gap * number, _WAITING)
    if gap < facts.limits["imbalance.share"] * slow.mean or not facts.worth(stake):
        return
    if slow.by_chance(facts):
        return
    more = slow.works_more(facts)
    yield Finding(
        NAME,
        "I/O is unevenly distributed" if more else "One process takes longer for the same work",
        f"Rank {slow.rank} spent {seconds(slow.longest)} in I/O on files of its own and moved "
        f"{amount(slow.moved)}; the mean of all {plural(number, 'process')} is "
        f"{seconds(slow.mean)} and {amount(slow.each)}: its time is {slow.spread}.",
        stake=stake,
        evidence=tuple(e for t in summed for e in facts.sums(t, *_BYTES, *_TIMES)),
        remedy=_MORE if more else _LONGER,
        limits=("imbalance.share", "imbalance.chance"),
        # If all processes do the same work, a rule that explains why a file of this process is slow
        # explains this finding.
        covers=frozenset() if more else frozenset(ids[ranks == slow.rank].tolist()),
    )


_MORE = Remedy(
    "Give every process the same share of bytes and files; if one process collects for all, let "
    "several processes collect.",
    "MPI_File_write_at_all;  one writer per node",
)
_LONGER = Remedy(
    "All processes move the same bytes, so check where this process runs and where its files "
    "are: its node, its network, its file servers; run again and see if the same process is slow.",
    "lfs getstripe FILE;  the job's list of nodes",
)


def _shared(facts: Facts, table: Table, mask: Mask) -> Iterator[Finding]:
    """Yields a finding for each shared file whose slowest process takes much longer than the
    others. mask: of the records."""
    records = table.records
    rows = mask & (records.ranks < 0)
    if not rows.any() or not records.module.has(f"{table.prefix}_F_SLOWEST_RANK_TIME"):
        return
    slowest = _sum(table, rows, ("F_SLOWEST_RANK_TIME",))
    # The mean is over the processes that share the file, because a file per node does not concern
    # the other nodes.
    users = np.maximum(1, table.processes[np.searchsorted(table.ids, records.ids[rows])])
    mean = _sum(table, rows, _TIMES) / users
    uneven = slowest - mean > facts.limits["imbalance.share"] * mean
    lost = np.where(uneven, slowest - mean, 0.0)
    stake = facts.stake(float((lost * users).sum()), f"{_WAITING}, for each file")
    if not uneven.any() or not facts.worth(stake):
        return
    place = int(np.argmax(lost))
    at = np.flatnonzero(rows)[place]
    slow = _Slow(
        int(records[f"{table.prefix}_SLOWEST_RANK"][at]),
        float(slowest[place]), float(mean[place]),
        max(0.0, float(records[f"{table.prefix}_SLOWEST_RANK_BYTES"][at])),
        float(_sum(table, rows, _BYTES)[place]) / float(users[place]),
    )  # fmt: skip
    fastest = max(0.0, float(records[f"{table.prefix}_F_FASTEST_RANK_TIME"][at]))
    if slow.by_chance(facts):
        return
    more = slow.works_more(facts)
    yield Finding(
        f"{NAME}-shared",
        "One process does most of a shared file"
        if more
        else "One process is slow on a shared file",
        f"Rank {slow.rank} spent {seconds(slow.longest)} on {facts.name(int(records.ids[at]))} and "
        f"moved {amount(slow.moved)}; the fastest process spent {seconds(fastest)}. The slowest "
        f"time is {slow.spread} of {seconds(slow.mean)}; the mean size is {amount(slow.each)}.",
        stake=stake,
        evidence=facts.rows(
            table,
            table.place(int(records.ids[at])) or 0,
            "SLOWEST_RANK",
            "F_SLOWEST_RANK_TIME",
            "FASTEST_RANK",
            "F_FASTEST_RANK_TIME",
            "SLOWEST_RANK_BYTES",
            "FASTEST_RANK_BYTES",
        ),
        remedy=_SPREAD if more else _LONGER,
        limits=("imbalance.share", "imbalance.chance"),
        covers=frozenset() if more else frozenset({int(records.ids[at])}),
    )


_SPREAD = Remedy(
    "Distribute the bytes evenly over the processes; check if this process opens files or writes "
    "headers for all.",
    "H5Pset_coll_metadata_write(fapl, 1);  collective transfers",
)
