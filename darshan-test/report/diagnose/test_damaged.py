"""Impossible values in a damaged log cause neither high memory use nor a warning of Python or
numpy."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.limits import Limits
from darshan_report.report import terminal
from darshan_report.report.context import Context
from darshan_report.report.data import as_json, data
from sample import turning

from .build import Job, write
from .cases import CASES

PROCESSES = 1 << 42
# Values of counters. The sum of two of the second one overflows int64 to a negative number, the sum
# of four to a positive one.
HUGE = ((1 << 62) + 1, (1 << 63) - (1 << 61) - (1 << 59))


def damaged(job: Job, share: int, huge: int) -> Job:
    """Returns a job with impossible numbers. share: 1 to set every counter (except times) to
    `huge`, 2 to set every second one. Each row occurs twice, and the number of processes is
    2^42."""
    rows = [
        replace(
            row,
            values={
                name: value if name.startswith("F_") or place % share else huge
                for place, (name, value) in enumerate(row.values.items())
            },
        )
        for row in job.rows
    ]
    rows += [replace(row, name=f"{row.name}, again") for row in rows]
    return replace(job, rows=tuple(rows), nprocs=PROCESSES)


@pytest.mark.parametrize("case", CASES, ids=[name for name, _, _ in CASES])
def test_huge_numbers(case: tuple[str, Job, Job], tmp_path: Path) -> None:
    """The rules and sections of a report on a job with huge counters run without a warning. The
    test takes a sample, which changes with the commit, of the damaged forms of both jobs of each
    case."""
    name, *jobs = case
    damages = turning(itertools.product(jobs, (1, 2), HUGE), 0.5, f"damaged {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for job, share, huge in damages:
            with open_log(write(damaged(job, share, huge), tmp_path / f"{name}.darshan")) as log:
                context = Context(log, Limits())
                assert as_json([data(context)])
                assert list(terminal.lines(context, True))
