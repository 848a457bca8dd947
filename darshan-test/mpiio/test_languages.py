"""MPI-IO from Fortran, by its three interfaces, is counted like MPI-IO from C."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpi.launch import Runner

from .observe import HERE, YIELDING, Seen, read_rows
from .test_counters import integers

RANKS = 3
# The interfaces of Fortran, each with the compiler's options that select it.
INTERFACES = {"mpif.h": (), "mpi": ("-DMODULE_MPI",), "mpi_f08": ("-DMODULE_F08",)}


def run(runner: Runner, program: Path) -> dict[tuple[str, int, str], dict[str, int]]:
    """Runs the program as an MPI job with the runtime, and fails if it does not succeed. Returns
    the integer counters of its log by (module, rank, name of the file)."""
    data = runner.folder / "files"
    data.mkdir()
    settings = {"DARSHAN_DISABLE_SHARED_REDUCTION": "1", **YIELDING}
    job = runner.run(RANKS, [str(program), str(data)], settings)
    assert (job.code, job.error) == (0, "")
    (log,) = job.logs
    seen = Seen([])
    read_rows(runner.parser, log, seen)
    log.unlink()
    for path in data.iterdir():
        path.unlink()
    data.rmdir()
    return {
        (module, rank, name): integers(row)
        for module in ("MPI-IO", "MPIIO_EXT")
        for (rank, name), row in seen.modules[module].items()
    }


@pytest.mark.parametrize("interface", INTERFACES)
def test_fortran(runner: Runner, interface: str) -> None:
    """A Fortran program leaves the same integer counters in every MPI-IO record as the same program
    in C. interface: mpif.h, mpi or mpi_f08."""
    expected = run(runner, runner.build(str(HERE / "languages.c")))
    assert len(expected) == RANKS * 4
    shared = expected["MPI-IO", 2, "shared"]
    assert shared["BYTES_WRITTEN"] == 4 * (1000 + 300 + 20 + 7 + 2)
    assert shared["BYTES_READ"] == 4 * (10 + 9 + 11)
    assert expected["MPI-IO", 2, "own-2"]["BYTES_WRITTEN"] == 4 * 4 * 60
    name = f"languages-{interface}.{runner.mpi.name}"
    source = str(HERE / "languages.F90")
    program = runner.mpi.build(source, runner.programs / name, *INTERFACES[interface])
    assert run(runner, program) == expected
