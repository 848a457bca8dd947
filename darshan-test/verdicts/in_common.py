"""Rows about files that several processes use at the same time. Advice to keep such a file open, or
its contents in memory, would lose data."""

from __future__ import annotations

from dataclasses import replace

from row import FAR, HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)
# Remedies that lose data which other processes write at the same time, and statements that are not
# true of such files.
_LOSES = (
    "[Oo]pen once and keep",
    r"keep the (descriptor|data|file) in memory",
    "keep new data in memory",
    "in memory and write them once",
    "changes in memory",
    "Keep the data in memory",
    "keep what was read in memory",
    "by each process that used it",
    "same bytes again",
    "buffering=1 << 20",
)
_ALONE = ("at the same time", "O_APPEND", "Several processes", "Processes use this file")
_LOCKS = "waits-for-locks-of-nobody waits-for-locks"


def _workers() -> list[Row]:
    def common(case: str, finding: str, remedy: str, *says: str, tree: int = 4) -> Row:
        row = Row("in_common.py", case, finding, remedy, says, _LOSES, HERE, settings=_SITES)
        return replace(row, tree=tree)

    read_and_written = "is opened, read and written"
    tickets = common("tickets", _LOCKS, "a block", "many items", read_and_written, tree=2)
    return [
        common("board", _LOCKS, "messages", read_and_written),
        common("numbers", _LOCKS, "many items with each lock", read_and_written),
        common("lock-beside", _LOCKS, "many items with each lock"),
        common("table-of-all", _LOCKS, "many items with each lock"),
        replace(
            common("lines-of-all", "opened-again", "O_APPEND", r"8,00[01] times by [45] proc"),
            place=FAR,
        ),
        replace(common("state-for-others", "opened-again", "messages", tree=3), place=FAR),
        replace(
            common("grown-and-read", "same-bytes-again-read", "as messages", tree=2), place=FAR
        ),
        replace(tickets, program="in_common.pl", never=(*_LOSES, "offsets are random")),
    ]


def _alike() -> list[Row]:
    """Returns rows whose processes do not disturb each other, so the usual advice is right."""

    def own(case: str, finding: str = "", remedy: str = "", tree: int = 4) -> Row:
        return Row("in_common.py", case, finding, remedy, never=_ALONE, settings=_SITES, tree=tree)

    return [
        own("state-of-each", "opened-again", "keep new data in memory"),
        replace(
            own("stock-of-one", "read-write-alternation", "Hold the lock for many changes", tree=0),
            place=HERE,
            never=("Processes use this file",),
        ),
        own("one-after-another", "opened-again", "Open once", tree=1),
        own("read-by-workers", "opened-again same-bytes-again-read", "memory"),
        replace(own("records-appended"), place=HERE),
        replace(own("blocks-of-numbers"), place=HERE),
    ]


def _jobs(mpi: str) -> list[Row]:
    def job(case: str, finding: str = "", remedy: str = "", **texts: tuple[str, ...]) -> Row:
        return Row("in_common_jobs.c", case, finding, remedy, mpi=mpi, settings=_SITES, **texts)

    return [
        *(
            job(case, "written-in-turns", "offset", says=("in turns",), never=_LOSES)
            for case in ("token-passed", "turn-by-barriers")
        ),
        *(
            replace(job(case, never=("in turns",)), place=HERE)
            for case in ("places-of-each", "file-of-each")
        ),
    ]


def rows() -> list[Row]:
    """Returns all cases of this file."""
    return [*_workers(), *_alike(), *(row for mpi in ("openmpi", "mpich") for row in _jobs(mpi))]
