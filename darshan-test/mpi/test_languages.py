"""MPI programs in Fortran (by three interfaces) and in Python are recorded like programs in C."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from lab.log import Log

from .launch import HERE, Runner


def check(log: Log, runner: Runner, ranks: int, unit: int) -> None:
    """Checks that the log of a job has this many ranks, each with a file of unit * (rank + 1)
    bytes."""
    assert log.header["nprocs"] == str(ranks)
    for rank in range(ranks):
        path = str(runner.data / f"own-{rank}")
        assert log.cell("POSIX", rank, path, "POSIX_BYTES_WRITTEN") == unit * (rank + 1)


@pytest.mark.parametrize("source", ["job-mpif.f90", "job-mpi.f90", "job-f08.f90"])
def test_fortran(runner: Runner, source: str) -> None:
    """For a job in Fortran, the log has the ranks and each rank's file. source: with mpif.h, `use
    mpi` or `use mpi_f08`."""
    runner.environment()
    job = runner.run(4, [str(runner.build(source)), str(runner.data)])
    assert job.code == 0
    assert job.out.count(" of 4\n") == 4
    check(runner.only_log(job), runner, 4, 8)


def library_folder(runner: Runner) -> str:
    """Makes a folder with a link to the MPI library under the name that mpi4py's wheels need,
    because Debian uses another name for MPICH's. Returns the folder."""
    folder = runner.folder / "lib"
    folder.mkdir()
    done = subprocess.run(
        ["ldd", runner.build("job.c")], check=True, capture_output=True, text=True
    )
    found = re.search(r"libmpi(?:ch)?(\.so\.\d+) => (\S+)", done.stdout)
    assert found
    (folder / f"libmpi{found[1]}").symlink_to(found[2])
    return str(folder)


def test_python(runner: Runner) -> None:
    """For a job with mpi4py's wheel, the log has the ranks and each rank's file, although the wheel
    loads the MPI library such that RTLD_NEXT does not find it."""
    script = HERE / "scripts" / "job.py"
    runner.environment()
    job = runner.run(
        3,
        [sys.executable, str(script), str(runner.data)],
        {"MPI4PY_MPIABI": runner.mpi.name, "LD_LIBRARY_PATH": library_folder(runner)},
    )
    assert job.code == 0, job
    name = {"openmpi": "Open", "mpich": "MPICH"}[runner.mpi.name]
    assert job.out.count(f" of 3: {name}") == 3
    check(runner.only_log(job), runner, 3, 10)
