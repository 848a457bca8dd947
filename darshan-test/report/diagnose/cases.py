"""For each diagnosis the smallest log that has it, and the most similar log that does not. A case
is (name of the finding, job that has it, job that does not). The two jobs differ only in what the
diagnosis is about."""

from __future__ import annotations

from . import (
    cases_checkpoints,
    cases_costly,
    cases_hdf5,
    cases_jobs,
    cases_over_time,
    cases_parallel,
    cases_passed,
    cases_posix,
    cases_streams,
    cases_training,
    cases_waiting,
)

CASES = [
    *cases_hdf5.cases(),
    *cases_jobs.cases(),
    *cases_posix.cases(),
    *cases_streams.streams(),
    *cases_parallel.cases(),
    *cases_over_time.cases(),
    *cases_costly.cases(),
    *cases_training.cases(),
    *cases_checkpoints.cases(),
    *cases_passed.cases(),
    *cases_waiting.cases(),
]
