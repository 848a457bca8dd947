"""Findings that claim the same seconds: who won them with the first cannot win them again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from .finding import PROBLEM, Finding

_TIME = re.compile(r"_F_(\w*?)_?TIME$")


def _kinds(finding: Finding) -> frozenset[str]:
    """What of a file's time it is about: reads, writes or all else; by its evidence, all of
    them without any."""
    found = {_TIME.search(e.counter) for e in finding.evidence}
    words = [set(match[1].split("_")) for match in found if match]
    kinds = {kind for w in words for kind in (w & {"READ", "WRITE"} or {"else"})}
    return frozenset(kinds or {"READ", "WRITE", "else"})


def _same(one: Finding, other: Finding) -> bool:
    """Whether both speak of the same time in the same files."""
    return bool(one.covers & other.covers and _kinds(one) & _kinds(other))


def marked(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, the costliest first; each problem whose seconds an earlier one claims says
    of which.  Where nothing tells, more seconds than there are say it."""
    told: list[Finding] = []
    found, claimed = [], 0.0
    for finding in findings:
        at, said = finding.stake, finding
        if finding.kind == PROBLEM and at.seconds > 0:
            first = next((f for f in told if _same(f, finding)), None)
            if first is None and told and 0 < at.of_seconds < claimed + at.seconds:
                first = told[0]
            if first is None:
                claimed += at.seconds
            else:
                said = replace(finding, stake=replace(at, same_as=first.title))
            told.append(said)
        found.append(said)
    return found


def together(findings: Iterable[Finding]) -> float:
    """Seconds that problems claim together, each once."""
    ordered = marked(sorted(findings, key=lambda f: f.rank))
    return sum(f.stake.seconds for f in ordered if not f.stake.same_as)
