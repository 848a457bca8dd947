"""One process does all the I/O of a parallel job."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import amount, plural, share
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "one-process-does-all"
_LEAST = 4  # processes; fewer gain little


def find(facts: Facts) -> Iterator[Finding]:
    """By the bytes of the records of single processes in the lowest layers."""
    if facts.nprocs < _LEAST:
        return
    moved, time = np.zeros(facts.nprocs), np.zeros(facts.nprocs)
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
        moved += np.bincount(records.ranks[own], weights=both[own], minlength=facts.nprocs)
        seconds = sum(
            np.maximum(np.nan_to_num(records[f"{table.prefix}_{n}"]), 0)
            for n in ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")
        )
        time += np.bincount(records.ranks[own], weights=seconds[own], minlength=facts.nprocs)
        evidence += facts.sums(table, "BYTES_READ", "BYTES_WRITTEN")
    whole = float(moved.sum()) + merged
    rank = int(np.argmax(moved))
    if whole <= 0 or moved[rank] < facts.limits["oneprocess.share"] * whole:
        return
    waiting = float(time[rank]) * (facts.nprocs - 1)
    stake = facts.stake(waiting, "the other processes' time while this one does I/O, if they wait")
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "One process does all the I/O",
        f"Rank {rank} moved {amount(float(moved[rank]))} of {amount(whole)} "
        f"({share(float(moved[rank]), whole)}) for {plural(facts.nprocs, 'process')}.",
        stake=stake,
        evidence=evidence,
        remedy=Remedy(
            "Let all processes take part: a parallel library on one file, or a writer per node.",
            "H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info) and collective H5Dwrite;  "
            "nc_create_par;  MPI_File_write_at_all",
        ),
        limits=("oneprocess.share",),
    )
