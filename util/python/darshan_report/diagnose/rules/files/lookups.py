"""The program looks up names that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import count, plural, seconds
from ...accesses import rotations
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...programs.sqlite import IN_A_TRANSACTION, databases
from ...reached import needs
from ...table import Table
from ...times.loops import loops_of
from . import polled

NAME = "failed-lookups"
ROLE = CAUSE
# Only call sites show that a loop waits.
_MAY_WAIT = " A program that waits for a file should sleep between two look-ups, or use inotify."
_FOLDERS = 3  # largest number of folders that are named


@needs("POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding, over all names, if many opens, stats and accesses fail because the name
    does not exist, and this takes time; otherwise nothing."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return
    if facts.found(polled.find):
        return
    others = ~rotations.missed(facts, extra)
    misses = float(extra["MISSES"][others].sum())
    time = float(extra["F_MISS_TIME"][others].sum())
    stake = facts.stake(time, "time in failed lookups")
    if misses < facts.limits["operations"] or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Many lookups fail",
        f"{count(misses)} opens, stats and accesses found no file with this name; that took "
        f"{seconds(time)}{facts.over_all}. {where(facts)}".rstrip(),
        stake=stake,
        evidence=facts.sums(extra, "MISSES", "ACCESSES", "F_MISS_TIME"),
        remedy=IN_A_TRANSACTION
        if _by_sqlite(facts, extra, misses)
        else Remedy(
            "Look each name up once and remember missing files; list a folder once instead of "
            "testing each name; shorten the search path, and put the folder with most hits first."
            + ("" if loops_of(facts) else _MAY_WAIT),
            "Python: names = set(os.listdir(folder));  name in names\n"
            "one folder in PYTHONPATH, LD_LIBRARY_PATH or the program's own search path",
        ),
        limits=("operations",),
    )


def _by_sqlite(facts: Facts, extra: Table, misses: float) -> bool:
    """Returns whether SQLite made most of the failed look-ups. In each transaction it looks up its
    journals and sets a few locks, so its databases then have at least as many locks as look-ups
    failed. misses: number of failed look-ups."""
    names = databases(facts)
    if not names:
        return False
    own = np.array([facts.name(int(number)) in names for number in extra.ids])
    return bool(float(extra["LOCKS"][own].sum()) >= misses)


def where(facts: Facts) -> str:
    """Returns a sentence on how many look-ups failed in which folders; "" if the log does not name
    the folders."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return ""
    named = (extra["MISSES"] > 0) & ~_elsewhere(facts, extra)
    if not named.any():
        return ""
    misses = extra["MISSES"].astype("f8")
    first = leading(named, misses, _FOLDERS)
    told = ", ".join(
        f"{count(float(misses[place]))} in {facts.name(int(extra.ids[place]))}" for place in first
    )
    folders = int(named.sum()) - len(first)
    rest = float(misses[named].sum() - misses[first].sum())
    more = f", {count(rest)} in {plural(folders, 'more folder')}" if folders else ""
    elsewhere = float(misses[~named].sum())
    others = f", {count(elsewhere)} elsewhere" if elsewhere else ""
    return f"Failed lookups: {told}{more}{others}."


def _elsewhere(facts: Facts, extra: Table) -> np.ndarray:
    """Returns a mask of the POSIX_EXT records that are not of a folder but collect several."""
    names = (facts.name(int(number)) for number in extra.ids)
    return np.array([not name.startswith("/") for name in names])
