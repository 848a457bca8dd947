"""If another tool and the runtime are both preloaded, each counts every call once, whichever is
loaded first."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.environment import preload

from .launch import Runner
from .test_life import check_work


@pytest.fixture
def tool(runner: Runner) -> Path:
    """Compiles tool.c as a library to preload. Returns its path."""
    return runner.mpi.build(
        "tool.c", runner.programs / f"tool.{runner.mpi.name}.so", "-shared", "-fPIC"
    )


@pytest.mark.parametrize("first", ["tool", "darshan"])
@pytest.mark.parametrize("end", ["finalize", "thread"])
def test_both_see_every_call(runner: Runner, tool: Path, first: str, end: str) -> None:
    """With both, the tool sees the start and end of each rank, and the job's log is complete.
    first: which is loaded first. end: of job.c."""
    pair = (tool, runner.library) if first == "tool" else (runner.library, tool)
    job = runner.job(end, 2, preload(*pair, between=" "))
    assert job.code == 0
    assert job.out.count("tool: 1 inits, 1 barriers, 0 writes\n") == 2
    check_work(runner.only_log(job), runner, 2)


@pytest.mark.parametrize("first", ["tool", "darshan"])
def test_both_count_writes_once(runner: Runner, tool: Path, first: str) -> None:
    """An MPI-IO write that passes the wrappers of MPI_x and of PMPI_x is counted once by each."""
    pair = (tool, runner.library) if first == "tool" else (runner.library, tool)
    job = runner.job("mpiio", 2, preload(*pair, between=" "))
    assert job.code == 0
    assert job.out.count("tool: 1 inits, 1 barriers, 3 writes\n") == 2
    log = runner.only_log(job)
    together = str(runner.data / "together")
    assert log.total("MPIIO_INDEP_WRITES", together) == 6
    assert log.total("MPIIO_BYTES_WRITTEN", together) == 48
