"""Folders are listed again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import count, seconds
from ...accesses import names
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...table import Table
from ...times.loops import Between, between

NAME = "listed-again"
ROLE = CAUSE
_PROBED = 0.5  # names per listing that were tried or made


@needs("POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if folders are listed again and again; otherwise nothing. The number and
    the time of the listings are known only for all folders together."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return
    lists, entries, time = (extra.sum(n) for n in ("DIR_OPENS", "DIR_ENTRIES", "F_LIST_TIME"))
    # Opening a folder is a metadata operation. Its share of the metadata time is estimated from the
    # number of calls.
    others = sum(
        extra.sum(n)
        for n in ("ACCESSES", "TRUNCATES", "UNLINKS", "RMDIRS", "LINKS", "MKDIRS", "SETATTRS")
    )
    time += extra.sum("F_META_TIME") * lists / max(1.0, lists + others)
    known = bool(np.all(extra.records["POSIX_EXT_DIR_REOPENS"] >= 0))
    # Older logs do not show whether a tree of folders was walked once or several times.
    again = extra.sum("DIR_REOPENS") if known else lists
    lost = time * again / max(1.0, lists)
    more = Between(between(facts, NAME, lost).seconds + names.work(facts))
    stake = facts.stake(
        lost,
        f"time in opening and reading folders listed before{more.basis}",
        between=more.seconds,
    )
    few = again < facts.limits["lists.again"] * facts.nprocs
    # A few listings of large folders are enough for a finding. An older log does not show which
    # folders were listed again.
    short = not known or entries * again < facts.limits["lists.entries"] * facts.nprocs * lists
    if (few and short) or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Folders are listed again and again",
        f"Folders were listed {count(lists)} times"
        + (f", with {count(entries)} entries in total" if entries else "")
        + f"; that took {seconds(time)}{facts.over_all}."
        + (
            f" {count(again)} of these listings repeated an earlier one of the same folder."
            if known
            else ""
        )
        + more.sentence,
        stake=stake,
        evidence=facts.sums(
            extra, "DIR_OPENS", "DIR_REOPENS", "DIR_ENTRIES", "F_LIST_TIME", "F_META_TIME"
        ),
        remedy=Remedy(
            (
                "List a folder once and remember its entries; keep a counter instead of searching "
                "for the next free name"
                if _probed(facts, extra) >= _PROBED * lists
                else "List a folder once and look names up in a set of its entries, or ask for a "
                "single name by stat"
            )
            + (
                "; let one process list the folder and send the result to the others."
                if facts.together
                else "."
            ),
            "C: number = scandir(folder, &entries, NULL, alphasort);  // before the loop\n"
            "Python: names = set(os.listdir(folder))  # before the loop;  name in names\n"
            "Python: os.path.exists(path)  # for a single name\n"
            "Python: entries = list(os.scandir(folder))  # names with their kinds, kept\n"
            'Perl: my @names = glob("$folder/*");  # before the loop\n'
            "shell: names=(folder/*)  # before the loop\n"
            "MPI_Bcast of the names",
        ),
        limits=("lists.again", "lists.entries"),
    )


def _probed(facts: Facts, extra: Table) -> float:
    """Returns how many missing names the program looked up, and how many files it wrote, added up.
    A program that looks for the next free name does one or the other for each listing."""
    posix = facts.table("POSIX")
    written = 0.0
    if posix is not None:
        own = (posix["BYTES_WRITTEN"] > 0) & ~facts.programs(posix)
        written = float(facts.files(posix)[own].sum())
    return float(extra.sum("MISSES")) + written
