"""Finds the line of code that started the processes of a program, by the times and numbers of the
starts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...call_sites.lines import Line, Lines
from ...call_sites.measured import OTHER
from ...call_sites.stack import STARTS

# Seconds by which the start of a process may differ from the call that started it, or that waits
# for it.
_BEFORE, _AFTER = 0.05, 0.05


def _number(line: Line) -> float:
    """Returns how many processes a line started, by its calls."""
    starts = (site.sums for site in line.sites if re.match(STARTS, site.stack.called))
    return sum(sums.calls_of[OTHER] for sums in starts)


def _begins(line: Line, starts: Sequence[float]) -> bool:
    """Returns whether every time in `starts`, at which a process began, lies between the line's
    first and last start of a process, with a tolerance of 0.05 s. Seconds since the start of the
    run."""
    spans = [
        (site.sums.first - _BEFORE, site.sums.last + _AFTER)
        for site in line.sites
        if re.match(STARTS, site.stack.called)
    ]
    return bool(spans) and all(any(a <= at <= b for a, b in spans) for at in starts)


def _nearest(lines: Sequence[Line], began: Sequence[float]) -> Line | None:
    """Returns the line that started its first process nearest in time to the first of `began`, and
    its last one nearest to the last; None if these are two lines. began: when processes of the
    program began."""
    spans = []
    for line in lines:
        starts = [site.sums for site in line.sites if re.match(STARTS, site.stack.called)]
        spans.append((min(s.first for s in starts), max(s.last for s in starts)))
    first = min(range(len(lines)), key=lambda n: abs(spans[n][0] - min(began)))
    last = min(range(len(lines)), key=lambda n: abs(spans[n][1] - max(began)))
    return lines[first] if first == last else None


def starter(found: Lines, program: str) -> Line | None:
    """Returns the line of code that started the processes of a program: the only line that started
    processes at that time. If several did, returns the only one that started the same number, or of
    several such lines the one whose first and last starts are nearest in time to those of the
    program. Returns None if the line cannot be determined."""
    began = found.starts.get(program, ())
    lines = [line for line in found.every if _number(line) > 0]
    lines = [line for line in lines if _begins(line, began)] if began else lines
    if len(lines) > 1:
        lines = [line for line in lines if _number(line) == len(began)]
    if len(lines) > 1 and began:
        return _nearest(lines, began)
    return lines[0] if len(lines) == 1 else None
