"""The report on the log of each study's problem has the finding with the right remedy; the report
on the repaired version does not have it."""

from __future__ import annotations

from pathlib import Path

import pytest
from instrumented import Lab
from known_problems import KNOWN, Known
from lab.findings import RIGHT, findings_of, judged, problems
from place import absent
from sample import turning

# Thresholds of findings, low because the short runs lose little time on a fast machine.
LIMITS = {"stake.seconds": 0.01}
# The small programs of verdicts/ trigger the same rules, more cheaply.
CASES = turning(KNOWN, 1 / 2, "studies")


@pytest.mark.parametrize("known", CASES, ids=lambda known: known.expected.name)
def test_problem_is_named_and_cure_is_not(known: Known, build: Path, tmp_path: Path) -> None:
    """The problem's log has the expected finding with its remedy among the first two, and the log
    after the fix does not have it."""
    if lacking := known.missing(build):
        absent(f"there is no {lacking}")
    pair = known.make(Lab(build, tmp_path))
    found, cure = (findings_of(build, log, LIMITS) for log in (pair.problem, pair.cure))
    outcome, said = judged(known.expected, found, lambda: cure, among=2)
    assert outcome == RIGHT, said
    (named,) = (f for f in problems(found) if f.name == said)
    assert named.evidence
    assert said not in {f.name for f in cure}
