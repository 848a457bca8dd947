"""The runtime detects which MPI library a program uses while it runs; stand-ins replace libraries
that are not installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from lab.compile import SHARED, compile_c, compiler
from lab.environment import settings
from lab.log import Log, read_logs

from .launch import HERE


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles abi-program.c, with the library of abi-library.c in the same folder. Returns the
    program's path."""
    folder = tmp_path_factory.mktemp("abi")
    first = compiler()
    library = compile_c(folder, HERE / "abi-library.c", *SHARED, name="libmpi_abi.so", first=first)
    flags = (library, "-Wl,-rpath,$ORIGIN")
    return compile_c(folder, HERE / "abi-program.c", *flags, name="abi-program", first=first)


def run(program: Path, build: Path, parser: Path, folder: Path, extra: dict[str, str]) -> Log:
    """Runs the program as one process with the runtime, and returns its log. folder: for its files
    and the log. extra: variables to add."""
    variables = settings(build, folder, folder, DARSHAN_ENABLE_NONMPI="0")
    env = os.environ | variables | extra
    subprocess.run([program, folder / "data", folder], env=env, check=True, timeout=30)
    (log,) = folder.glob("*.darshan")
    return read_logs(parser, log)


# Modes of MPI files as numbers in logs: those of Open MPI, MPICH and their relatives.
MODES = {
    "CREATE": 1,
    "RDONLY": 2,
    "WRONLY": 4,
    "RDWR": 8,
    "DELETE_ON_CLOSE": 16,
    "UNIQUE_OPEN": 32,
    "EXCL": 64,
    "APPEND": 128,
    "SEQUENTIAL": 256,
    "SEVERAL": 1 | 4 | 128,
}


def modes(log: Log, folder: Path) -> dict[str, int]:
    """Returns the log's MPIIO_MODE of each file that abi-program.c opens, by the file's name."""
    return {name: int(log.total("MPIIO_MODE", str(folder / name))) for name in MODES}


def test_standard_abi(program: Path, build: Path, parser: Path, tmp_path: Path) -> None:
    """For a library with the standard ABI, the log has its name and version, the ranks, and modes
    of files by the usual numbers."""
    log = run(program, build, parser, tmp_path, {})
    assert log.metadata["mpi"] == "Standard MPI 5.0"
    assert log.header["nprocs"] == "1"
    assert log.total("POSIX_BYTES_WRITTEN", str(tmp_path / "data")) == 123
    assert modes(log, tmp_path) == MODES
    assert log.total("MPIIO_HINTS") == 0


def test_unknown_library(program: Path, build: Path, parser: Path, tmp_path: Path) -> None:
    """The runtime calls no function of an MPI library whose handles it does not know, but records
    POSIX and the library's name. The stand-in would end the program at the first wrong handle."""
    log = run(program, build, parser, tmp_path, {"STANDIN_NAME": "Unheard-of MPI 1"})
    assert log.metadata["mpi"] == "Unheard-of MPI 1"
    assert log.total("POSIX_BYTES_WRITTEN", str(tmp_path / "data")) == 123
