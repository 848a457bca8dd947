"""Finds the process of a multiprocessing.Manager of Python, and the line that made it, from call
sites: each access to an object of the Manager is a message to this process."""

from __future__ import annotations

import re

from ...call_sites.lines import Place, Site, sites_of
from ...call_sites.told import library_call, plain_name
from ...classes import dataclass
from ...library import LogError
from ..facts import Facts, once
from ..times.pipes import outside

_FILE = re.compile(r"/multiprocessing/managers\.py$")
_SERVES = re.compile(r"(?:^|\.)(?:_run_server|serve_forever)$")


@dataclass(frozen=True)
class Manager:
    """The process of a Manager: its index in the tree of processes, the messages that it got (and
    answered), their mean sizes, the seconds that it worked, and the line that made it as text
    ("score.py:25, in main"); "" if unknown."""

    place: int
    messages: float
    asked: float  # bytes
    answered: float
    seconds: float
    at: str


def _serves(place: Place) -> bool:
    """Returns whether a place is in the loop in which a Manager's process serves."""
    return bool(_FILE.search(place.file)) and bool(_SERVES.search(place.function))


def _line(site: Site) -> str:
    """Returns the line of the user's code that made a Manager as text; "" if the calls of a site
    are not below such a line."""
    inside = site.places[: max(0, site.user)]
    line = site.line
    if line is None or not site.is_users or not any(_FILE.search(p.file) for p in inside):
        return ""
    through = library_call(site)
    where = f"{line.file.rsplit('/', 1)[-1]}:{line.line}, in {plain_name(line.function)}"
    return f"{where} (through {through})" if through else where


@once
def manager_of(facts: Facts) -> Manager | None:
    """Returns the process of a Manager that got the most messages; None if there is no Manager, if
    its messages are not known, or without call sites."""
    tree, known = facts.tree, outside(facts)
    if tree is None or known is None:
        return None
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    ranks = {r for s in sites if any(map(_serves, s.places)) for r in (s.sums.ranks or ())}
    places = [p for p, rank in enumerate(tree.ranks.tolist()) if rank in ranks and known.counted[p]]
    if not places:
        return None
    place = max(places, key=lambda p: float(known.writes[p]))
    calls = max(1.0, float(known.writes[place]))
    return Manager(
        place,
        float(min(known.reads[place], known.writes[place])),
        float(known.read[place]) / calls,
        float(known.written[place]) / calls,
        float((known.user + known.system)[place]),
        next(filter(None, map(_line, sites)), ""),
    )
