"""Finds the calls that threads of a pool make for a program, and the line that gives them tasks,
from call sites."""

from __future__ import annotations

import re

from ...call_sites.lines import Place, Site, sites_of
from ...call_sites.told import library_call, plain_name
from ...classes import dataclass
from ...library import LogError
from ..facts import Facts, once

# The functions in which a thread of a pool takes its tasks.
_TAKES = re.compile(r"/concurrent/futures/thread\.py$")
_TAKES_JAVA = re.compile(r"(?:java\.util\.concurrent\.)?ThreadPoolExecutor\.runWorker$")
# Functions that give a thread a task; those of asyncio load the module of pools when they are first
# called, which leaves a call site.
_GIVES = re.compile(
    r"(?:asyncio|concurrent|aiofiles|anyio)\.(?:\w+\.)*"
    r"(?:run_in_executor|to_thread|submit|map|run_sync|\w*readline\w*|read|write)$"
)


@dataclass(frozen=True)
class Tasks:
    """The number of calls on files that threads of a pool made, and the line that gives them tasks
    as text ("ingest.py:10, in readline"); "" if unknown."""

    calls: float
    at: str


def _takes(place: Place) -> bool:
    """Returns whether a place is where a thread of a pool takes its tasks."""
    if place.object:
        return False
    return bool(_TAKES.search(place.file)) or bool(_TAKES_JAVA.match(place.function))


def _text(site: Site, through: str) -> str:
    """Returns the line of a call site as text; "" if it has no line of the user."""
    line = site.line
    if line is None or not site.is_users:
        return ""
    where = f"{line.file.rsplit('/', 1)[-1]}:{line.line}, in {plain_name(line.function)}"
    return f"{where} (through {through})" if through else where


@once
def tasks_of(facts: Facts) -> Tasks | None:
    """Returns the calls of threads of pools in a run of one process; None if there are none, or
    without call sites."""
    if facts.tree is not None or facts.nprocs > 1:
        return None
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    ours = [site for site in sites if any(map(_takes, site.places))]
    calls = sum(site.sums.calls for site in ours)
    if not calls:
        return None
    gives = [(site, library_call(site)) for site in sites]
    lines = [_text(site, through) for site, through in gives if _GIVES.match(through)]
    lines += [_text(site, "") for site in ours]
    return Tasks(float(calls), next(filter(None, lines), ""))
