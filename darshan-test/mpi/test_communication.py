"""Communication within MPI-IO calls is counted once, and its data arrives unchanged."""

from __future__ import annotations

import pytest
from lab.log import Log

from .launch import MPIS, Runner


def communication(log: Log) -> float:
    """Returns the number of communication calls that the log attributes to calls of upper
    layers."""
    return sum(row.value for row in log.rows if row.counter.endswith("_COMM_CALLS"))


# MPI, number of ranks, and form of the functions: with large counts or without.
FORMS = [(mpi, 2, "LARGE") for mpi in MPIS if mpi.has_large_counts]
FORMS += [(mpi, 4, "SMALL") for mpi in MPIS]


@pytest.mark.parametrize(("mpi", "ranks", "form"), FORMS, indirect=["mpi"])
def test_calls_inside_are_counted_once(runner: Runner, ranks: int, form: str) -> None:
    """If the program makes N communication calls within an MPI-IO call, the log attributes exactly
    N more per rank to MPI-IO than if it makes them outside. All data arrive."""
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
