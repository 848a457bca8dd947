"""The report names every study's problem with its remedy, and does not report it for the fix."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from instrumented import Lab
from known_problems import KNOWN, Known
from place import absent
from sample import turning


def findings(build: Path, log: Path) -> list[Any]:
    """Returns the findings of a log, problems first, in order of potential saving. The
    thresholds are low because the short runs lose little time on a fast machine."""
    sys.path.insert(0, str(build / "python"))
    os.environ.setdefault("DARSHAN_READ_LIB", str(build / "libdarshan-read.so.0"))
    from darshan_report import open_log  # noqa: PLC0415
    from darshan_report.diagnose.limits import Limits  # noqa: PLC0415 - the path is known only here
    from darshan_report.diagnose.run import diagnose  # noqa: PLC0415

    with open_log(log) as opened:
        return diagnose(opened, Limits({"stake.seconds": 0.01}))


# The small programs of verdicts/ trigger the same rules, more cheaply.
CASES = turning(KNOWN.items(), 1 / 2, "studies")


@pytest.mark.parametrize("known", [pytest.param(k, id=name) for name, k in CASES])
def test_problem_is_named_and_cure_is_not(known: Known, build: Path, tmp_path: Path) -> None:
    if lacking := known.missing(build):
        absent(f"there is no {lacking}")
    pair = known.make(Lab(build, tmp_path))
    problems = {f.name: f for f in findings(build, pair.problem) if f.kind == "problem"}
    assert known.finding in list(problems)[:2]
    remedy = problems[known.finding].remedy
    assert known.remedy in f"{remedy.text}\n{remedy.example}"
    assert problems[known.finding].evidence
    assert known.finding not in {f.name for f in findings(build, pair.cure)}
