"""Some processes spend far more time in I/O than the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...measure.ranks import sums_by_rank
from ...summary.units import percent, plural, seconds
from ..facts import Facts, Table
from ..finding import Finding, Remedy
from . import one_process, slow_hosts, slow_targets

NAME = "imbalance"
_CAUSES = (one_process, slow_targets, slow_hosts)  # what they explain is not told again


def find(facts: Facts) -> Iterator[Finding]:
    """Files of single processes by rank, and shared files by their slowest process."""
    if not facts.together or any(f for rule in _CAUSES for f in rule.find(facts)):
        return
    for module in ("MPI-IO", "POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        yield from _own(facts, table)
        yield from _shared(facts, table)
        return  # below MPI-IO few processes do the POSIX part for all, as they should


def _own(facts: Facts, table: Table) -> Iterator[Finding]:
    records = table.records
    own = records.ranks >= 0
    if not own.any():
        return
    names = [f"{table.prefix}_{n}" for n in ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")]
    time = sum(np.maximum(np.nan_to_num(records[n][own]), 0) for n in names)
    ranks = records.ranks[own]
    if int(ranks.max()) >= facts.nprocs:
        return
    there, (per_rank,) = sums_by_rank(ranks, time)
    slowest, longest = int(there[np.argmax(per_rank)]), float(per_rank.max())
    mean = float(per_rank.sum()) / facts.nprocs
    gap = longest - mean
    # The others wait while the slowest goes on.
    stake = facts.stake(
        gap * facts.nprocs, "what the others wait for the slowest process, if they wait"
    )
    if gap < facts.limits["imbalance.share"] * longest or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "The work of I/O is uneven",
        f"Rank {slowest} spent {seconds(longest)} in I/O on files of its own, "
        f"the {plural(facts.nprocs, 'process')} {seconds(mean)} on average.",
        stake=stake,
        evidence=facts.sums(table, "F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"),
        remedy=Remedy(
            "Give every process the same share of bytes and files; if one process collects for "
            "all, let several do it.",
            "MPI_File_write_at_all;  one writer per node",
        ),
        limits=("imbalance.share",),
    )


def _shared(facts: Facts, table: Table) -> Iterator[Finding]:
    records = table.records
    merged = records.ranks < 0
    if not merged.any() or not records.module.has(f"{table.prefix}_F_SLOWEST_RANK_TIME"):
        return
    slow = np.maximum(records[f"{table.prefix}_F_SLOWEST_RANK_TIME"][merged], 0)
    fast = np.maximum(records[f"{table.prefix}_F_FASTEST_RANK_TIME"][merged], 0)
    names = [f"{table.prefix}_{n}" for n in ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")]
    mean = sum(np.maximum(np.nan_to_num(records[n][merged]), 0) for n in names) / facts.nprocs
    gap = np.where(np.isfinite(slow), slow - mean, 0)
    uneven = gap > facts.limits["imbalance.share"] * np.maximum(slow, 1e-9)
    lost = np.where(uneven, np.maximum(gap, 0), 0)
    stake = facts.stake(
        float(lost.sum()) * facts.nprocs,
        "what the others wait for the slowest process of each file, if they wait",
    )
    if not uneven.any() or not facts.worth(stake):
        return
    place = int(np.argmax(lost))
    at = np.flatnonzero(merged)[place]
    rank = int(records[f"{table.prefix}_SLOWEST_RANK"][at])
    spread = percent(float(gap[place]), float(mean[place]))
    yield Finding(
        f"{NAME}-shared",
        "One process is slow on a shared file",
        f"Rank {rank} spent {seconds(float(slow[place]))} on "
        f"{facts.name(int(records.ids[at]))}, the fastest process {seconds(float(fast[place]))}; "
        f"the slowest is {spread} above the mean of {seconds(float(mean[place]))}.",
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
        remedy=Remedy(
            "Spread the bytes evenly; look whether that process opens or writes headers for all; "
            "if all move the same, look at its node.",
            "H5Pset_coll_metadata_write(fapl, 1);  collective transfers",
        ),
        limits=("imbalance.share",),
    )
