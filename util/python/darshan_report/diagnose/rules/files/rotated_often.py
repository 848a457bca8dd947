"""A log is rotated after few lines each time: it and all of its older versions are renamed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.files.renamed import is_aside
from ....records import among
from ....units import amount, count, seconds
from ...accesses import rotations
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most
from ...table import Table

NAME = "rotated-often"
ROLE = CAUSE
_FEW = 10  # number of rotations that a remedy leaves
_PASSED_ON = 1.5  # fewest renames per rename of the log itself, as older versions are renamed, too


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the log files of a program that are rotated again and again, if this
    takes much time; otherwise nothing."""
    posix, ids = facts.table("POSIX"), rotations.ids(facts)
    if posix is None or not len(ids):
        return
    mine = np.flatnonzero(among(posix.ids, ids))
    base = [p for p in mine.tolist() if not is_aside(facts.own_name(int(posix.ids[p])))]
    if not base:
        return
    first = max(base, key=lambda p: int(posix["RENAME_SOURCES"][p]))
    rotated = float(posix["RENAME_SOURCES"][first])
    renames = float(posix["RENAME_SOURCES"][mine].sum())
    if renames < _PASSED_ON * rotated:
        return  # each version has a final name: only the newest one is renamed
    spent = float(posix["F_META_TIME"][mine].sum()) + _beside(facts, posix, mine)
    part = max(0.0, 1 - _FEW / rotated)
    stake = facts.stake(
        spent * part,
        "time in renaming, querying and opening the log and its older versions, without that of "
        f"{_FEW} rotations",
    )
    if not facts.worth(stake):
        return
    written = float(posix["BYTES_WRITTEN"][first])
    yield Finding(
        NAME,
        "A log is rotated again and again",
        f"{facts.name(int(posix.ids[first]))} was renamed {count(rotated)} times, each time after "
        f"{amount(written / rotated)} on average, and its older versions with it: "
        f"{count(renames)} renames in total. Querying, renaming and opening them took "
        f"{seconds(spent)}{facts.over_all}.",
        stake=stake,
        evidence=facts.rows(
            posix, first, "OPENS", "STATS", "RENAME_SOURCES", "BYTES_WRITTEN", "F_META_TIME"
        ),
        remedy=Remedy(
            "Let the log grow larger before it is renamed, and keep fewer old versions: each "
            "rotation renames all of them.",
            "Python: RotatingFileHandler(path, maxBytes=10_000_000, backupCount=5)\n"
            "logrotate: size 10M and rotate 5",
        ),
        limits=("opens.again",),
        covers=frozenset(int(number) for number in ids),
    )


def _beside(facts: Facts, posix: Table, mine: np.ndarray) -> float:
    """Returns the seconds of other calls on the names of these log files, and of failed look-ups of
    older versions in their folders; 0 without POSIX_EXT. mine: rows of the files."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return 0.0
    own = among(extra.ids, posix.ids[mine])
    missed = rotations.missed(facts, extra)
    return float(extra["F_META_TIME"][own].sum() + extra["F_MISS_TIME"][missed].sum())
