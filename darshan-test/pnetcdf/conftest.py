"""Builds the programs with the compiler driver of the MPI that PnetCDF was built for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCES = ("facts.c", "every.c", "cases.c")
COMPILER = "mpicc.openmpi"  # of Debian's libpnetcdf


def missing(what: str) -> None:
    """Skips, or fails where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"CI is set, but there is no {what}")
    pytest.skip(f"no {what}, so there are no programs to test")


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program whose argument is the name of a case."""
    if not shutil.which(COMPILER):
        missing(COMPILER)
    folder = tmp_path_factory.mktemp("pnetcdf")
    probe = folder / "probe.c"
    probe.write_text("#include <pnetcdf.h>\n")
    asked = [COMPILER, "-c", probe, "-o", folder / "probe.o"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        missing("pnetcdf.h")
    program = folder / "cases"
    command = [COMPILER, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"]
    command += [f"-I{HERE.parents[1] / 'runtime'}", *(str(HERE / name) for name in SOURCES)]
    subprocess.run([*command, "-o", program, "-lpnetcdf"], check=True)
    return program
