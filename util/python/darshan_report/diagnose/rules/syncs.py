"""Flushing to the device takes the time."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import count, seconds, share
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "syncs"


def find(facts: Facts) -> Iterator[Finding]:
    """fsync, fdatasync, msync, sync_file_range and sync together."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    calls = posix.sum("FSYNCS") + posix.sum("FDSYNCS") if posix is not None else 0.0
    if extra is None or posix is None:
        return
    calls += sum(extra.sum(n) for n in ("MSYNCS", "RANGE_SYNCS", "SYNCS"))
    time = extra.sum("F_SYNC_TIME")
    stake = facts.stake(time, "time in fsync, fdatasync, msync and sync")
    few = calls < facts.limits["sync.calls"]
    if few or time < facts.limits["sync.share"] * facts.io_time or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Waiting for the device takes the time",
        f"{count(calls)} calls of fsync and the like took {seconds(time)}, "
        f"{share(time, facts.io_time)} of the I/O time.",
        stake=stake,
        evidence=facts.sums(posix, "FSYNCS", "FDSYNCS")
        + facts.sums(extra, "MSYNCS", "RANGE_SYNCS", "SYNCS", "F_SYNC_TIME"),
        remedy=Remedy(
            "Sync where a crash would cost something, not after every record: group changes into "
            "transactions, sync at checkpoints.",
            "BEGIN; ... COMMIT; around many inserts;  PRAGMA synchronous = NORMAL;  "
            "one fsync per checkpoint",
        ),
        limits=("sync.share", "sync.calls"),
    )
