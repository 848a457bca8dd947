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
    """Returns what calls with these numbers of ints must leave in a record: number of calls, bytes,
    and calls of each size class."""
    sizes = [4 * n for n in calls]
    bounds = [(-1, 256), (256, 1024), (1024, 8192), (8192, 1 << 18), (1 << 18, 1 << 20)]
    classes = [sum(low < size <= high for size in sizes) for low, high in bounds]
    return [len(calls), sum(sizes), *classes, 0]


def right(rank: int) -> Counts:
    """Returns the APMPI counters that the test program must leave in every language, by function.
    rank: of the record."""
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
    """Makes a folder with a link to the MPI library under the file name that mpi4py's wheels load.
    Returns the folder. linked: a program that is linked with the library."""
    folder = runner.folder / "lib"
    folder.mkdir()
    done = subprocess.run(["ldd", linked], check=True, capture_output=True, text=True)
    found = re.search(r"libmpi(?:ch)?(\.so\.\d+) => (\S+)", done.stdout)
    assert found
    (folder / f"libmpi{found[1]}").symlink_to(found[2])
    return str(folder)


def test_python(runner: Runner) -> None:
    """Calls of mpi4py have the same APMPI counters as those of C. It calls large-count functions if
    the MPI library, or the runtime in its place, has them."""
    linked = program(runner, "late.c")[0]
    settings = {
        "MPI4PY_MPIABI": runner.mpi.name,
        "LD_LIBRARY_PATH": library_folder(runner, linked),
    }
    talk = run(runner, RANKS, [sys.executable, str(HERE / "scripts" / "talk.py")], settings)
    for rank in range(RANKS):
        assert talk.counts(rank) == right(rank)
