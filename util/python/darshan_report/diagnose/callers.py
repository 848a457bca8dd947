"""Finds who calls a helper function of the program: a line that makes calls for several others,
such as the one with sqlite3_exec in a function for all statements, does not tell which of them
costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from ..call_sites.lines import Line, Place, Site, is_users

_MOST = 0.8  # least share of a line's calls that one caller has


def _caller(site: Site) -> Place | None:
    """Returns the place that called the function of a site's line: the nearest line of the user's
    code in another function further out; None if there is none."""
    own = site.line
    if own is None or not site.is_users:
        return None
    further = site.places[site.user + 1 :]
    return next(
        (p for p in further if p.file and p.line and p.function != own.function and is_users(p)),
        None,
    )


def called_at(line: Line, weight: Callable[[Site], float]) -> str:
    """Returns the line that called the function of a line for most of its calls, as text
    ("purge.c:10"); "" if one line alone calls it, or none has most. weight: returns what the calls
    of a site cost."""
    parts: dict[tuple[str, int], float] = defaultdict(float)
    for site in line.sites:
        place = _caller(site)
        parts[(place.file, place.line) if place is not None else ("", 0)] += weight(site)
    file, number = max(parts, key=lambda key: parts[key])
    if len(parts) < 2 or not file or parts[file, number] < _MOST * sum(parts.values()):
        return ""
    return f"{file.rsplit('/', 1)[-1]}:{number}"
