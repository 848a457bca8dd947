"""Finds the files that a program used through a given library, from call sites."""

from __future__ import annotations

import re

from ...call_sites.told import name_of
from ..facts import Facts, once
from ..times.loops import loops_of


@once
def used_through(facts: Facts, library: str) -> frozenset[int]:
    """Returns the ids of the files that calls through a library used; empty without call sites.
    library: pattern for the start of the name of a library's function or shared object."""
    known = loops_of(facts)
    found: set[int] = set()
    for loop in known.groups if known is not None else ():
        for site in loop.sites:
            inside = site.places[: max(0, site.user)] if site.user >= 0 else site.places
            if any(re.match(library, name_of(place)) for place in inside):
                found |= {int(file) for file in site.sums.files.calls}
    return frozenset(found)
