"""Finds queries of files (fstat) that the streams of a language make themselves, beside their reads
and writes. Java's readers ask how much is available before each read; Python's read() asks for the
size of the file. The program asks for nothing, so it cannot leave these queries out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from ...call_sites.lines import Site, sites_of
from ...call_sites.measured import LOOKUP, READ, WRITE
from ...call_sites.stack import Python
from ...call_sites.told import library_call
from ...classes import dataclass
from ...library import LogError
from ..facts import Facts

_FSTAT = re.compile(r"_*fx?stat(?:64)?$")  # on an open file
_MOVES = 0.5  # fewest reads and writes of a stream for each of its queries


@dataclass(frozen=True)
class OfStreams:
    """The queries (fstat) that streams made themselves. named: their numbers by the record id of
    the file, as far as call sites name the file. others: which fraction (0 to 1) of all look-ups
    that are not in `named` streams made."""

    named: Counter[int]
    others: float


def _stream(site: Site) -> tuple[object, ...] | None:
    """Returns the user's line and the stream's function that made the calls of a site; None if the
    program made them itself."""
    name, frames = library_call(site), site.stack.frames
    if site.line is None or not (name or (frames and isinstance(frames[0], Python))):
        return None
    return site.line.file, site.line.line, site.line.function, name


def of_streams(facts: Facts) -> OfStreams:
    """Returns the queries that streams made. A stream counts if it made at least one read or write
    for every two queries. Without call sites none is known."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return OfStreams(Counter(), 0.0)
    streams: dict[tuple[object, ...], list[Site]] = defaultdict(list)
    for site in sites:
        if (key := _stream(site)) is not None:
            streams[key].append(site)
    asked: list[Site] = []
    for some in streams.values():
        asks = [site for site in some if _FSTAT.match(site.stack.called)]
        moves = sum(site.sums.calls_of[READ] + site.sums.calls_of[WRITE] for site in some)
        if asks and moves >= _MOVES * sum(site.sums.calls for site in asks):
            asked += asks
    named: Counter[int] = Counter()
    for site in asked:
        named.update(site.sums.files.calls)
    left = sum(site.sums.calls for site in asked) - sum(named.values())
    every = sum(site.sums.calls_of[LOOKUP] for site in sites) - sum(named.values())
    return OfStreams(named, min(1.0, max(0.0, left / every)) if every > 0 else 0.0)
