"""Names are looked up that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import count, seconds
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "failed-lookups"


def find(facts: Facts) -> Iterator[Finding]:
    """Opens, stats and accesses that found nothing, over all names."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return
    misses, time = extra.sum("MISSES"), extra.sum("F_MISS_TIME")
    stake = facts.stake(time, "time in look-ups that found nothing")
    if misses < facts.limits["operations"] or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Files are looked for that are not there",
        f"{count(misses)} opens, stats and accesses found no file of this name; that took "
        f"{seconds(time)}.",
        stake=stake,
        evidence=facts.sums(extra, "MISSES", "ACCESSES", "F_MISS_TIME"),
        remedy=Remedy(
            "Ask once and remember what is not there; list a folder once instead of asking for "
            "each name; shorten the search path, and put the folder that has most in front.",
            "names = set(os.listdir(folder));  name in names\n"
            "one folder in PYTHONPATH, LD_LIBRARY_PATH or the program's own search path",
        ),
        limits=("operations",),
    )
