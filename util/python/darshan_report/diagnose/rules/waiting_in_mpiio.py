"""MPI-IO calls that wait for other processes, not for the file system."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import plural, seconds, share
from ..facts import Facts, leading
from ..finding import Finding, Remedy

NAME = "waiting-in-mpi-io"


def find(facts: Facts) -> Iterator[Finding]:
    """Collective files whose MPI-IO time is mostly not POSIX time."""
    upper, lower = facts.table("MPI-IO"), facts.table("POSIX")
    if upper is None or lower is None or not facts.together:
        return
    together = upper["COLL_READS"] + upper["COLL_WRITES"] + upper["SPLIT_READS"]
    together = together + upper["SPLIT_WRITES"]
    time = facts.time(upper)
    below = facts.time(lower)
    lost = time * 0.0
    for place in leading((together > 0) & (time > 0), time, 64):
        at = lower.place(int(upper.ids[place]))
        lost[place] = time[place] - (below[at] if at is not None else 0.0)
    mask = lost > facts.limits["waiting.mpiio"] * time
    stake = facts.stake(
        float(lost[mask].sum()), "time in MPI-IO calls that is not in POSIX calls below"
    )
    if not mask.any() or not facts.worth(stake):
        return
    (first,) = leading(mask, lost, 1)
    at = lower.place(int(upper.ids[first]))
    posix = float(below[at]) if at is not None else 0.0
    yield Finding(
        NAME,
        "MPI-IO calls wait for other processes",
        f"Of {seconds(float(time[first]))} that {plural(int(upper.processes[first]), 'process')} "
        f"spent in MPI-IO calls on {facts.name(upper.ids[first])}, {seconds(posix)} "
        f"({share(posix, float(time[first]))}) are POSIX calls below; the rest is waiting for "
        "each other, and exchange.",
        stake=stake,
        evidence=facts.rows(
            upper, first, "COLL_READS", "COLL_WRITES", "F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"
        )
        + (
            facts.rows(
                lower,
                at,
                "F_READ_TIME",
                "F_WRITE_TIME",
                "F_META_TIME",
                "SLOWEST_RANK",
                "F_SLOWEST_RANK_TIME",
            )
            if at is not None
            else ()
        ),
        remedy=Remedy(
            "Few processes do the file-system part while all wait: more aggregators and stripes, "
            "an even share for every process, and calls that all reach at the same time.",
            "hints cb_nodes, cb_buffer_size, striping_factor;  lfs setstripe -c -1 folder\n"
            "MPI_File_iwrite_at_all where processes arrive at different times",
        ),
        limits=("waiting.mpiio",),
        covers=frozenset(int(i) for i in upper.ids[mask]),
    )
