"""One process does all the I/O of a parallel job."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...measure.ranks import sums_by_rank
from ...summary.units import amount, plural, share
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "one-process-does-all"
_LEAST = 4  # processes; fewer gain little


def find(facts: Facts) -> Iterator[Finding]:
    """By the bytes of the records of single processes in the lowest layers."""
    if not facts.together or facts.nprocs < _LEAST:
        return
    ranks, moves, times = [], [], []
    merged = 0.0
    evidence = ()
    for layer, table in facts.layers:
        if not layer.base:
            continue
        records = table.records
        counted = [
            np.maximum(records[f"{table.prefix}_{n}"], 0).astype("f8")
            for n in ("BYTES_READ", "BYTES_WRITTEN")
        ]
        both = counted[0] + counted[1]
        own = (records.ranks >= 0) & (records.ranks < facts.nprocs)
        merged += float(both[~own].sum())
        seconds = sum(
            np.maximum(np.nan_to_num(records[f"{table.prefix}_{n}"]), 0)
            for n in ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")
        )
        ranks.append(records.ranks[own])
        moves.append(both[own])
        times.append(seconds[own])
        evidence += facts.sums(table, "BYTES_READ", "BYTES_WRITTEN")
    if not ranks or not sum(map(len, ranks)):
        return
    there, (moved, time) = sums_by_rank(
        np.concatenate(ranks), np.concatenate(moves), np.concatenate(times)
    )
    whole, most = float(moved.sum()) + merged, int(np.argmax(moved))
    if whole <= 0 or moved[most] < facts.limits["oneprocess.share"] * whole:
        return
    waiting = float(time[most]) * (facts.nprocs - 1)
    stake = facts.stake(waiting, "the other processes' time while this one does I/O, if they wait")
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "One process does all the I/O",
        f"Rank {there[most]} moved {amount(float(moved[most]))} of {amount(whole)} "
        f"({share(float(moved[most]), whole)}) for {plural(facts.nprocs, 'process')}.",
        stake=stake,
        evidence=evidence,
        remedy=Remedy(
            "Let all processes take part: a parallel library on one file, or a writer per node.",
            "H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info) and collective H5Dwrite;  "
            "nc_create_par;  MPI_File_write_at_all",
        ),
        limits=("oneprocess.share",),
    )
