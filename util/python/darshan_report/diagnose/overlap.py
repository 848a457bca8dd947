"""Marks findings that contain the same seconds, because no second can be saved twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from .finding import NOTICE, PROBLEM, Finding, Stake

_TIME = re.compile(r"_F_(\w*?)_?TIME$")


def claims(finding: Finding) -> frozenset[str]:
    """Returns the kinds of time in a finding's evidence: READ, WRITE, and "else" for all others. If
    the evidence has no times, returns all three."""
    found = {_TIME.search(e.counter) for e in finding.evidence}
    words = [set(match[1].split("_")) for match in found if match]
    kinds = {kind for w in words for kind in (w & {"READ", "WRITE"} or {"else"})}
    return frozenset(kinds or {"READ", "WRITE", "else"})


def _same(one: Finding, other: Finding) -> bool:
    """Returns whether two findings are about a common file (or other record) and a common kind of
    time."""
    return bool(one.covers & other.covers and claims(one) & claims(other))


def _among(at: Stake, first: Finding) -> Stake:
    """Returns a saving with a note that the finding `first` contains the same seconds, or some of
    them."""
    return replace(at, same_as=first.title, partly=at.seconds > first.stake.seconds)


def marked(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings with notes about seconds that are in two of them (Stake.same_as).
    findings: the costliest first; the order stays. A finding with a file and a kind of time of an
    earlier finding names that finding. If all savings together exceed the available time, a finding
    without common files names the first finding."""
    told: list[Finding] = []
    found, claimed = [], 0.0
    for finding in findings:
        at, said = finding.stake, finding
        if finding.kind in (PROBLEM, NOTICE) and at.seconds > 0:
            first = next((f for f in told if _same(f, finding)), None)
            if first is None and told and 0 < at.of_seconds < claimed + at.seconds:
                first = told[0]
            if first is None:
                claimed += at.seconds
            else:
                said = replace(finding, stake=_among(at, first))
            told.append(said)
        found.append(said)
    return found


def together(findings: Iterable[Finding]) -> float:
    """Returns the seconds in calls, summed over processes, that all findings together could save.
    Seconds that are in two findings are counted once."""
    ordered = marked(sorted(findings, key=lambda f: f.rank))
    return sum(f.stake.seconds - f.stake.between for f in ordered if not f.stake.same_as)
