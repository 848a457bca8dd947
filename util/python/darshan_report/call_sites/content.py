"""Lines of code as lists and dictionaries, for the JSON of the command and of the report."""

from __future__ import annotations

from typing import Any

from ..show.text import visible
from . import told
from .lines import FILES_SHOWN, Line, Lines, Place
from .measured import MEDIUM


def place_content(place: Place) -> dict[str, Any]:
    """Returns a place in code as a dictionary with its file, line, function, object (program or
    library) and offset in it; an unknown value is None."""
    return {
        "file": visible(place.file) or None,
        "line": place.line or None,
        "function": visible(place.function) or None,
        "object": visible(place.object) or None,
        "offset": place.offset if place.object else None,
    }


def _files(line: Line, names: dict[int, str]) -> list[dict[str, Any]]:
    """Returns the two files with which a line of code moved most bytes, most first: name, calls,
    bytes. names: file names by record id. Calls and bytes are lower bounds."""
    files = line.sums.files
    return [
        {"file": visible(names[one]) or None, "calls": files.calls[one], "bytes": files.moved[one]}
        for one in files.most()[:FILES_SHOWN]
    ]


def _ranks(line: Line) -> dict[str, float] | None:
    """Returns the number of ranks that executed the line, the seconds of the fastest and of the
    slowest rank, and the number of the slowest rank. Returns None if the records are merged, so
    that these values are unknown."""
    times = line.rank_times
    if times is None:
        return None
    return {
        "number": times.number,
        "seconds_min": times.least,
        "seconds_max": times.most,
        "slowest": times.slowest,
    }


def _line(line: Line, names: dict[int, str]) -> dict[str, Any]:
    """Returns a line of code as a dictionary for JSON. names: of files, by record id."""
    called: dict[str, dict[str, float]] = {}
    for site in line.sites:
        sums = called.setdefault(visible(site.stack.called), {"calls": 0, "seconds": 0.0})
        sums["calls"] += site.sums.calls
        sums["seconds"] += site.sums.seconds
    site = line.sites[0]
    return {
        "place": place_content(line.place) if line.place else None,
        "through": visible(told.library_call(site)) or None,
        "seconds": line.sums.seconds,
        "gap_seconds": line.sums.gap_seconds,
        "medium_gap_seconds": line.sums.gaps[MEDIUM],
        "calls": line.sums.calls,
        "bytes_read": line.sums.read,
        "bytes_written": line.sums.written,
        "processes": line.sums.processes,
        "ranks": _ranks(line),
        "called": called,
        "files": _files(line, names),
        "distinct_files": line.sums.files.number(),
        "sites": len(line.sites),
        "stack": [place_content(place) for place in site.places],
    }


def content(found: Lines) -> dict[str, Any]:
    """Returns the lines of code and the sums over all lines, as a dictionary for JSON."""
    return {
        "seconds": found.sums.seconds,
        "gap_seconds": found.sums.gap_seconds,
        "medium_gap_seconds": found.sums.gaps[MEDIUM],
        "calls": found.sums.calls,
        "anonymous": found.is_anonymous,
        "number": found.number,
        "lines": [_line(line, found.names) for line in found.lines],
        "problems": [visible(problem) for problem in found.problems],
    }
