"""Measures the time that processes of a Python program spend on imports, from call sites. A process
that a script starts for a small task may do little except imports."""

from __future__ import annotations

import os

from ...call_sites.lines import Site, sites_of
from ...call_sites.measured import LOOKUP, OPEN
from ...call_sites.stack import IMPORT
from ...classes import dataclass
from ...library import LogError
from ..facts import Facts, once

_TRIES = 200  # look-ups in each process, and for each open: more than a search for one module


@dataclass(frozen=True)
class Imports:
    """The imports of one Python program, summed over its processes: the seconds that they took, and
    the bytes that they read."""

    seconds: float = 0.0  # in I/O calls and between them, including waits for a processor
    read: int = 0  # bytes


def _is_of(site: Site, program: str) -> bool:
    return any(os.path.basename(place.file) == program for place in site.places)


@once
def failing(facts: Facts) -> list[Site]:
    """Returns the call sites of imports that found no module again and again: they look at many
    folders and open next to nothing. An import that finds its module opens it, and the next import
    of the module makes no call."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return []
    return [
        site
        for site in sites
        if site.stack.called == IMPORT
        and site.is_users
        and site.sums.calls_of[LOOKUP] >= _TRIES * max(1, site.sums.processes)
        and site.sums.calls_of[OPEN] * _TRIES <= site.sums.calls_of[LOOKUP]
    ]


def imports_of(facts: Facts, program: str) -> Imports:
    """Returns the time and bytes of the imports of one Python program, over all its processes;
    zeros if the log has no call sites. Between the I/O calls of an import the code of the modules
    runs, so this time is included. program: name of the script's file."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return Imports()
    some = [site for site in sites if site.stack.called == IMPORT and _is_of(site, program)]
    return Imports(
        sum(site.sums.seconds + sum(site.sums.gaps) for site in some),
        sum(site.sums.read for site in some),
    )
