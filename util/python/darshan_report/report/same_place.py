"""The saving of several findings about one line of code or one function, which one change of the
code removes together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..call_sites.lines import Place
from ..diagnose.blame import Blame
from ..diagnose.finding import PROBLEM, Finding
from ..units import seconds, share

_MORE = 1.2  # smallest ratio of all their savings to that of the first one


def _place(blame: Blame | None) -> Place | None:
    """Returns the line behind a finding; None if the line or its function is unknown."""
    place = blame.line.place if blame is not None and blame.line is not None else None
    return place if place is not None and place.line and place.function else None


def altogether(
    findings: Sequence[Finding], first: Finding, blame: Callable[[Finding], Blame | None]
) -> str:
    """Returns a text with the saving of a finding and of all later ones about the same line, or the
    same function. For example: "with the other finding about this line up to 2.1 s (40 %)". Returns
    "" if there are none, or they add little. A finding whose seconds an earlier one contains does
    not count. findings: the costliest first. blame: returns the line behind one."""
    counts = [f for f in findings if f.kind == PROBLEM and f.stake.run > 0 and not f.stake.same_as]
    here = _place(blame(first))
    if here is None or not any(f is first for f in counts):
        return ""
    near = []
    for finding in counts:
        there = _place(blame(finding))
        if there is not None and (there.file, there.function) == (here.file, here.function):
            near.append((finding, there.line))
    whole = sum(f.stake.run for f, _ in near)
    of = first.stake.of_run
    if near[0][0] is not first or whole < _MORE * first.stake.run or not 0 < whole <= of:
        return ""
    where = "line" if all(line == here.line for _, line in near) else "function"
    others = "the other finding" if len(near) == 2 else f"the {len(near) - 1} other findings"
    return f"with {others} about this {where} up to {seconds(whole)} ({share(whole, of)})"
