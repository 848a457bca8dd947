"""Flushing to the device takes the time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import amount, count, seconds, share
from ..facts import Facts, Table
from ..finding import Finding, Remedy

NAME = "syncs"


def find(facts: Facts) -> Iterator[Finding]:
    """fsync and the like, and writes that sync because their file was opened so."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if extra is None or posix is None:
        return
    through = _through(posix, extra)
    asked = posix.sum("FSYNCS") + posix.sum("FDSYNCS")
    asked += sum(extra.sum(n) for n in ("MSYNCS", "RANGE_SYNCS", "SYNCS"))
    writes = float(posix["WRITES"][through].sum())
    time = extra.sum("F_SYNC_TIME") + extra.sum("F_FSYNC_TIME")
    lost = facts.lost(facts.writing(posix), posix["BYTES_WRITTEN"], facts.movers(posix))
    time += float(lost[through].sum())
    stake = facts.stake(
        time,
        "time in fsync, fdatasync, msync and sync, and in writes to files opened with O_SYNC, "
        "beyond what their bytes would take at a good rate",
    )
    few = asked + writes < facts.limits["sync.calls"]
    if few or time < facts.limits["sync.share"] * facts.io_time or not facts.worth(stake):
        return
    synced = through | (posix["FSYNCS"] + posix["FDSYNCS"] > 0)
    moved = float(posix["BYTES_WRITTEN"][synced].sum())
    what = [f"{count(asked)} calls of fsync and the like"] if asked else []
    what += [f"{count(writes)} writes to files opened with O_SYNC or O_DSYNC"] if writes else []
    each = f": one for {amount(moved / (asked + writes))} written" if moved else ""
    yield Finding(
        NAME,
        "Waiting for the device takes the time",
        f"{' and '.join(what)} took {seconds(time)}, {share(time, facts.io_time)} of the I/O "
        f"time{each}.",
        stake=stake,
        evidence=facts.sums(posix, "FSYNCS", "FDSYNCS", *(("F_WRITE_TIME",) if writes else ()))
        + facts.sums(
            extra, "SYNC_OPENS", "MSYNCS", "RANGE_SYNCS", "SYNCS", "F_SYNC_TIME", "F_FSYNC_TIME"
        ),
        remedy=Remedy(
            "Sync where a crash would cost something, not after every record: group changes into "
            "a transaction, sync once per checkpoint, open without O_SYNC and O_DSYNC.",
            "BEGIN; ... COMMIT; around many inserts;  PRAGMA synchronous = NORMAL;  "
            "one fsync, or one MPI_File_sync, per checkpoint",
        ),
        limits=("sync.share", "sync.calls"),
        covers=frozenset(int(i) for i in posix.ids[synced]),
    )


def _through(posix: Table, extra: Table) -> np.ndarray:
    """Which POSIX files were opened so that each write waits for the device."""
    found = np.zeros(len(posix), bool)
    for record in extra.ids[extra["SYNC_OPENS"] > 0]:
        place = posix.place(int(record))
        if place is not None:
            found[place] = True
    return found
