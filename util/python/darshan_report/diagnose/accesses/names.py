"""Estimates how long a program works on the names in a folder that it lists repeatedly."""

from __future__ import annotations

from ...call_sites.measured import MEDIUM, OPEN
from ..facts import Facts, once
from ..times.loops import loops_of

_ALIKE = 2.0  # largest ratio of opens to listings, and of listings to opens


@once
def work(facts: Facts) -> float:
    """Returns an estimate of the seconds in which the program matched, sorted or counted names
    after it listed a folder again. This is the time between a call of glob, which returns a list of
    names, and the open that follows; at most a fixed time per name (threshold loop.item). Returns 0
    if folders are not listed repeatedly, or if the log has no call sites."""
    extra, known = facts.table("POSIX_EXT"), loops_of(facts)
    if extra is None or known is None:
        return 0.0
    lists, entries, again = (extra.sum(n) for n in ("DIR_OPENS", "DIR_ENTRIES", "DIR_REOPENS"))
    if again < facts.limits["lists.again"] * facts.nprocs:
        return 0.0
    most = entries * again / max(1.0, lists) * facts.limits["loop.item"]
    before = 0.0  # seconds before the opens of loops that open about one file per listing
    for loop in known.groups:
        opens = loop.sums.calls_of[OPEN]
        if again <= _ALIKE * opens and opens <= _ALIKE * again:
            before += sum(site.sums.gaps[MEDIUM] for site in loop.sites if site.sums.calls_of[OPEN])
    return float(min(most, before * known.overlap))
