"""Compiles the programs with the compiler command of the MPI for which PnetCDF was built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from place import absent, needs

HERE = Path(__file__).resolve().parent
# The sources of the program with the cases.
SOURCES = ("facts.c", "every.c", "cases.c")
# The compiler command of Debian's libpnetcdf.
COMPILER = "mpicc.openmpi"  # of Debian's libpnetcdf


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program whose argument is the name of a case, with the compiler of the MPI for
    which PnetCDF was built. Returns its path. Skips the tests without PnetCDF."""
    needs(f"program:{COMPILER}")
    folder = tmp_path_factory.mktemp("pnetcdf")
    probe = folder / "probe.c"
    probe.write_text("#include <pnetcdf.h>\n")
    asked = [COMPILER, "-c", probe, "-o", folder / "probe.o"]
    if finished_in_bytes(asked).returncode:
        absent("there is no pnetcdf.h")
    program = folder / "cases"
    command = [COMPILER, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"]
    command += [f"-I{HERE.parents[1] / 'runtime'}", *(str(HERE / name) for name in SOURCES)]
    subprocess.run([*command, "-o", program, "-lpnetcdf"], check=True)
    return program
