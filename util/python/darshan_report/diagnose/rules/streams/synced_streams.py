"""A C++ program reads `std::cin` through the C library, one character per call."""

from __future__ import annotations

from collections.abc import Iterator

from ....call_sites.measured import SHORT
from ....call_sites.told import name_of
from ....units import count, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...times.loops import loops_of

NAME = "synced-streams"
ROLE = CAUSE
_CALLED = ("getc", "ungetc", "getwc", "fflush")  # std::cin also flushes the tied std::cout
_LIBRARY = "libstdc++.so"


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if the C++ library called getc for each character of much input, which it
    does while its standard streams are synchronized with those of C; otherwise nothing."""
    known = loops_of(facts)
    if known is None:
        return
    calls, spent, pieces = 0.0, 0.0, facts.limits["pieces.seconds"]
    for loop in known.groups:
        for site in loop.sites:
            if site.stack.called not in _CALLED or site.user <= 0:
                continue
            if name_of(site.places[site.user - 1]).startswith((_LIBRARY, "std::")):
                calls += site.sums.calls
                # A call takes less time than the C++ library takes between two calls.
                between = min(site.sums.gaps[SHORT], site.sums.calls * pieces)
                spent += site.sums.seconds + between
    spent *= known.overlap
    stake = facts.stake(
        spent, "time in these calls and between them; a stream with a buffer of its own needs few"
    )
    table = facts.table("STDIO")
    if calls < facts.limits["stream.calls"] or table is None or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "std::cin is read character by character",
        f"The C++ library made {count(calls)} calls of getc, ungetc and fflush. In these calls "
        f"and between them lay up to {seconds(spent)}{facts.over_all}: it requests each "
        "character from the C library, because std::cin is synchronized with stdin.",
        stake=stake,
        evidence=facts.sums(table, "READS", "BYTES_READ", "F_READ_TIME"),
        remedy=Remedy(
            "Switch the synchronization off before the first input or output: std::cin then has a "
            "buffer of its own. The program must then not use scanf or printf on the same "
            "streams.",
            "C++: std::ios::sync_with_stdio(false);  std::cin.tie(nullptr);  // first in main",
        ),
        limits=("stream.calls", "pieces.seconds"),
    )
