"""Finds lines of code that wait for a file by polling: a look-up (stat, access, open) finds
nothing, the program sleeps, and the next look-up follows."""

from __future__ import annotations

from collections.abc import Sequence

from ..classes import dataclass
from .lines import Site
from .measured import LONG, LOOKUP, MEDIUM, OTHER, SYNC

_MOSTLY = 0.5  # least part of the pauses that follow a look-up in vain, and of a line's calls


@dataclass(frozen=True)
class Looks:
    """The look-ups of a line of code that polls, and the pauses between them."""

    calls: int
    found: int  # look-ups that found a file, at least
    pauses: int  # of 10 milliseconds and more, in which the thread made no recorded call
    seconds: float  # of the pauses

    @property
    def late(self) -> float:
        """Upper bound of the seconds that the program waited although the file already existed: for
        each file that was found, the mean pause."""
        return min(self.seconds, self.found * self.seconds / self.pauses)


def asked(sites: Sequence[Site]) -> tuple[int, int] | None:
    """Returns the number of look-ups that the call sites of one line made, and a lower bound of
    those that found a file. Returns None if most calls of the line are other calls, or if the
    number of files is unknown. A shell's flush of its output and its fork of `sleep` are not
    treated as other calls."""
    looking = [site.sums for site in sites if site.sums.calls_of[LOOKUP]]
    looks = int(sum(sums.calls_of[LOOKUP] for sums in looking))
    beside = sum(site.sums.calls_of[SYNC] + site.sums.calls_of[OTHER] for site in sites)
    if not looks or looks < _MOSTLY * (sum(site.sums.calls for site in sites) - beside):
        return None
    found = 0
    for sums in looking:
        names = sums.files.number()
        if names is None:
            return None
        found += max(names, sum(sums.files.calls.values()))
    return looks, min(found, looks)


def looks_of(sites: Sequence[Site], pauses: int = 0, length: float = 0.0) -> Looks | None:
    """Returns the look-ups of the call sites of one line. pauses, length: number and total seconds
    of the pauses between them, by default those of the long gaps before calls of the line. Returns
    None if asked() does, or if the look-ups that found nothing are fewer than half of the pauses.
    Returns None, too, if most of its waiting was in gaps below 10 ms, because then long gaps are
    short sleeps on a busy machine."""
    known = asked(sites)
    if not pauses:
        pauses = sum(site.sums.pauses for site in sites)
        length = sum(site.sums.gaps[LONG] for site in sites)
        if sum(site.sums.gaps[MEDIUM] for site in sites) > length:
            return None
    if known is None or not pauses or known[0] - known[1] < _MOSTLY * pauses:
        return None
    return Looks(*known, pauses, length)
