"""Waiting for data to reach the device takes much of the time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, seconds, share
from ...accesses.commits import grouped, written
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.sqlite import databases
from ...reached import needs
from ...table import Table

NAME = "syncs"
ROLE = CAUSE
_GROUPS = (
    "not after every write. If each write is a group of records that must survive a crash, the "
    "calls are needed: larger groups wait less often."
)


@needs("POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if waiting for the device takes much time: in fsync and the like, and in
    writes to files that were opened so that each write waits (O_SYNC); otherwise nothing. Files
    that are synchronized for a group of writes are left to the remark on the time
    (costly-syncs)."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if extra is None or posix is None:
        return
    through, some = _through(posix, extra)
    groups = grouped(facts, posix) & ~through
    syncs = np.where(groups, 0, posix["FSYNCS"] + posix["FDSYNCS"])
    asked = float(syncs.sum())
    asked += sum(extra.sum(n) for n in ("MSYNCS", "RANGE_SYNCS", "SYNCS"))
    writes = float(posix["WRITES"][through].sum())
    others = ~np.isin(extra.ids, posix.ids[groups])
    time = extra.sum("F_SYNC_TIME") + float(extra["F_FSYNC_TIME"][others].sum())
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
    synced = through | (syncs > 0)
    moved = float(written(facts, posix)[0][synced].sum())
    sure = float(posix["WRITES"][through & ~some].sum())
    what = [f"{count(asked)} calls of fsync and the like"] if asked else []
    if sure:
        what.append(f"{count(sure)} writes to files opened with O_SYNC or O_DSYNC")
    if writes > sure:
        what.append(
            f"some of {count(writes - sure)} writes (their files were opened both with O_SYNC or "
            "O_DSYNC and without)"
        )
    each = f": one for {amount(moved / (asked + writes))} written"
    each = each if moved and writes == sure else ""
    large = moved >= facts.limits["sync.large"] * (asked + writes)
    yield Finding(
        NAME,
        "The program waits for the storage device",
        f"{' and '.join(what)} took {seconds(time)}{facts.over_all}, "
        f"{share(time, facts.io_time)} of the I/O time{each}.",
        stake=stake,
        evidence=facts.sums(posix, "FSYNCS", "FDSYNCS", *(("F_WRITE_TIME",) if writes else ()))
        + facts.sums(
            extra, "SYNC_OPENS", "MSYNCS", "RANGE_SYNCS", "SYNCS", "F_SYNC_TIME", "F_FSYNC_TIME"
        ),
        remedy=Remedy(
            (
                "Open the file without O_SYNC and O_DSYNC, and call fsync at points to which a "
                "restart returns, such as a checkpoint."
                if through.any()
                else "Call fsync only at points to which a restart returns, such as a checkpoint, "
                + (_GROUPS if large else "not after every record.")
            )
            + (" Group changes into a transaction." if databases(facts) else ""),
            "SQL: BEGIN; many INSERTs; COMMIT;\n"
            "SQL: PRAGMA synchronous = NORMAL;\n"
            "Java: channel.force(false) once for each checkpoint, not for each record\n"
            "one fsync per checkpoint, or one msync of a mapping\none MPI_File_sync per checkpoint",
        ),
        limits=("sync.share", "sync.calls", "sync.group", "sync.writes"),
        covers=frozenset(int(i) for i in posix.ids[synced]),
    )


def _through(posix: Table, extra: Table) -> tuple[np.ndarray, np.ndarray]:
    """Returns two masks of the POSIX records: files that were opened so that each write waits for
    the device (O_SYNC), and those of them that were also opened without this flag. LMDB, for
    example, writes its pages through one descriptor and the references to them through the other;
    the log does not distinguish these writes."""
    found, some = np.zeros(len(posix), bool), np.zeros(len(posix), bool)
    opens = posix["OPENS"] - posix["DUPS"].clip(0)
    for record, number in zip(extra.ids, extra["SYNC_OPENS"]):
        place = posix.place(int(record)) if number > 0 else None
        if place is not None:
            found[place] = True
            some[place] = opens[place] > number
    return found, some
