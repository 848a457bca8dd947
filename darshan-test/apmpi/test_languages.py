"""The calls of Fortran programs, by each of the three interfaces, and of mpi4py are counted like
those of C."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from mpi.launch import MPIS, Runner
from sample import turning

from .observe import HERE, Counts, program, run

RANKS = 3
# The interfaces of Fortran, each with the compiler's options that select it.
INTERFACES = {"mpif.h": (), "mpi": ("-DMODULE_MPI",), "mpi_f08": ("-DMODULE_F08",)}
# Each MPI library with each interface.
FORTRAN = [(mpi, name) for mpi in MPIS for name in INTERFACES]


def sized(*calls: int) -> list[int]:
    """Returns the counts of calls with sizes. calls: for each call, its number of 4-byte
    integers."""
    sizes = [4 * n for n in calls]
    bounds = [(-1, 256), (256, 1024), (1024, 8192), (8192, 1 << 18), (1 << 18, 1 << 20)]
    classes = [sum(low < size <= high for size in sizes) for low, high in bounds]
    return [len(calls), sum(sizes), *classes, 0]


def right(rank: int) -> Counts:
    """Returns the counts that a rank of the program must have, in every language."""
    return {
        "SENDRECV": sized(10),
        "ISEND": sized(100),
        "PROBE": [1],
        "IPROBE": [1],
        "RECV": sized(100),
        "WAIT": [2],
        "WAITALL": [1],
        "TEST": [1],
        "IRECV": sized(50, 0),
        "ISSEND": sized(50),
        "BARRIER": [1],
        "BCAST": sized(1000),
        "REDUCE": sized(10),
        "ALLREDUCE": sized(10),
        "ALLGATHER": sized(7),
        "GATHERV": sized(rank + 1),
        "ALLTOALL": sized(3 * RANKS),
        "IALLREDUCE": sized(5),
    }


@pytest.mark.parametrize(
    ("mpi", "interface"), turning(FORTRAN, 0.34, "apmpi-fortran"), indirect=["mpi"]
)
def test_fortran(runner: Runner, interface: str) -> None:
    """A Fortran program has the expected counts, by this interface."""
    talk = run(runner, RANKS, program(runner, "languages.F90", *INTERFACES[interface]))
    for rank in range(RANKS):
        assert talk.counts(rank) == right(rank)


def library_folder(runner: Runner, linked: str) -> str:
    """Makes a folder in which the MPI library has the file name that mpi4py's wheels load. linked:
    a program that is linked with the library. Returns the folder."""
    folder = runner.folder / "lib"
    folder.mkdir()
    done = subprocess.run(["ldd", linked], check=True, capture_output=True, text=True)
    found = re.search(r"libmpi(?:ch)?(\.so\.\d+) => (\S+)", done.stdout)
    assert found
    (folder / f"libmpi{found[1]}").symlink_to(found[2])
    return str(folder)


def test_python(runner: Runner) -> None:
    """An mpi4py program has the expected counts. It calls functions with large counts if the MPI
    library, or the runtime in its place, has them."""
    linked = program(runner, "late.c")[0]
    settings = {
        "MPI4PY_MPIABI": runner.mpi.name,
        "LD_LIBRARY_PATH": library_folder(runner, linked),
    }
    talk = run(runner, RANKS, [sys.executable, str(HERE / "scripts" / "talk.py")], settings)
    for rank in range(RANKS):
        assert talk.counts(rank) == right(rank)
