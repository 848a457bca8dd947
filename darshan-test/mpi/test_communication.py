"""MPI communication that an MPI-IO call makes is counted as part of that layer, and the data of all
communication functions arrives unchanged."""

from __future__ import annotations

import pytest
from lab.log import Log

from .launch import MPIS, Runner


def communication(log: Log) -> float:
    """Returns the number of communication calls that the log's counters *_COMM_CALLS have: those
    made within calls of upper layers such as MPI-IO."""
    return sum(row.value for row in log.rows if row.counter.endswith("_COMM_CALLS"))


# MPI, number of ranks, and form of the functions: with large counts or without.
FORMS = [(mpi, 2, "LARGE") for mpi in MPIS if mpi.has_large_counts]
FORMS += [(mpi, 4, "SMALL") for mpi in MPIS]


@pytest.mark.parametrize(("mpi", "ranks", "form"), FORMS, indirect=["mpi"])
def test_calls_inside_are_counted_once(runner: Runner, ranks: int, form: str) -> None:
    """Each communication call within an MPI-IO call is counted once as communication of that layer;
    calls outside of one are not. form: large or ordinary counts."""
    name = runner.programs / f"communication-{form}.{runner.mpi.name}"
    program = str(runner.mpi.build("communication.c", name, f"-D{form}"))
    found = {}
    for where in ("outside", "inside"):
        runner.environment()
        job = runner.run(ranks, [program, where])
        assert job.code == 0, job
        found[where] = communication(runner.read(job.logs[-1]))
        calls = int(job.out.split("calls ")[1])
        for path in job.logs:
            path.unlink()
    assert found["inside"] - found["outside"] == calls * ranks
