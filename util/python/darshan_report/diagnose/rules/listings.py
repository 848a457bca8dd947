"""Folders are listed again and again."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import count, seconds
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "listed-again"


def find(facts: Facts) -> Iterator[Finding]:
    """By the number of listings and their time, which is known for all folders together."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return
    lists, entries, time = (extra.sum(n) for n in ("DIR_OPENS", "DIR_ENTRIES", "F_LIST_TIME"))
    # Opening a folder is metadata; its part is not known, so take it by number.
    others = sum(
        extra.sum(n)
        for n in ("ACCESSES", "TRUNCATES", "UNLINKS", "RMDIRS", "LINKS", "MKDIRS", "SETATTRS")
    )
    time += extra.sum("F_META_TIME") * lists / max(1.0, lists + others)
    stake = facts.stake(time, "time in opening and reading folders")
    if lists < facts.limits["lists.again"] * facts.nprocs or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Folders are listed again and again",
        f"Folders were listed {count(lists)} times, {count(entries)} entries in all; that took "
        f"{seconds(time)}.",
        stake=stake,
        evidence=facts.sums(extra, "DIR_OPENS", "DIR_ENTRIES", "F_LIST_TIME", "F_META_TIME"),
        remedy=Remedy(
            "List a folder once and remember what is in it; keep a counter or an index instead of "
            "looking for the next free name; let one process list and tell the others.",
            "names = os.listdir(folder)  # outside of the loop;  MPI_Bcast",
        ),
        limits=("lists.again",),
    )
