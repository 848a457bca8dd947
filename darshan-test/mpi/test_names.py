"""Looking up MPI functions gives the same results with the runtime as without."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.compile import SHARED, compile_c, compiler
from lab.environment import preload, settings

from .launch import HERE, ROOT_MAY_RUN, Runner


@pytest.fixture(scope="module")
def asks(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Compiles asks.c without MPI, and weak.c. Returns the paths of the program and of the
    library."""
    folder = tmp_path_factory.mktemp("asks")
    first = compiler()
    program = compile_c(folder, HERE / "asks.c", "-ldl", name="asks", first=first)
    library = compile_c(folder, HERE / "weak.c", *SHARED, name="libweak.so", first=first)
    return [str(program), str(library)]


def answers(command: list[str], **extra: str) -> str:
    """Runs a program with no library preloaded except those in `extra`. Returns its output on
    stdout and stderr together. extra: variables to add."""
    env = os.environ | ROOT_MAY_RUN | preload() | extra
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout + done.stderr


def library_of(runner: Runner) -> str:
    """Returns the path of the MPI library that programs of this MPI load."""
    found = subprocess.run(
        ["ldd", runner.build("job.c")], check=True, capture_output=True, text=True
    )
    match = re.search(r"libmpi(?:ch)?\.so\.\d+ => (\S+)", found.stdout)
    assert match
    return match[1]


@pytest.mark.parametrize("binding", ["", "1"])
@pytest.mark.parametrize("enabled", ["0", "1"])
def test_program_without_mpi(
    asks: list[str], build: Path, tmp_path: Path, binding: str, enabled: str
) -> None:
    """A program without MPI finds no function of MPI, although the runtime defines wrappers.
    binding: LD_BIND_NOW; enabled: DARSHAN_ENABLE_NONMPI."""
    program, weak = asks
    more = {"LD_BIND_NOW": binding, "DARSHAN_ENABLE_NONMPI": enabled}
    told = answers([program, "-", weak], **settings(build, tmp_path, tmp_path, **more))
    assert told == answers([program, "-", weak])
    assert set(re.findall(r" (\d)$", told, re.M)) == {"0"}


def test_library_of_mpi_that_is_opened(asks: list[str], runner: Runner) -> None:
    """With the runtime, a program finds the functions of an MPI library that it opened, and no
    others, by dlsym and by weak references."""
    program, weak = asks
    mpi = library_of(runner)
    told = answers([program, mpi, weak], **runner.environment())
    assert told == answers([program, mpi, weak])
    assert re.findall(r"^(\w+) MPI_Send (\d)$", told, re.M) == [("dlsym", "1"), ("weak", "1")]
    has_new = hasattr(ctypes.CDLL(mpi), "MPI_Session_init")
    assert f"weak MPI_Session_init {int(has_new)}\n" in told


def test_mpi_that_comes_with_the_program(asks: list[str], runner: Runner) -> None:
    """A program that is linked with MPI finds the same functions as without the runtime."""
    _, weak = asks
    program = runner.programs / f"asks.{runner.mpi.name}"
    runner.mpi.build("asks.c", program, "-Wl,--no-as-needed", "-ldl")
    told = answers([str(program), "-", weak], **runner.environment())
    assert told == answers([str(program), "-", weak])


def test_hasattr(runner: Runner) -> None:
    """With and without the runtime, ctypes finds the same functions in a Python that loaded MPI by
    mpi4py, and mpi4py decides alike whether MPI has sessions."""
    folder = runner.folder / "lib"
    folder.mkdir()
    mpi = library_of(runner)
    number = mpi.partition(".so.")[2].partition(".")[0]
    (folder / f"libmpi.so.{number}").symlink_to(mpi)
    script = str(HERE / "scripts" / "asks.py")
    env = {"MPI4PY_MPIABI": runner.mpi.name, "LD_LIBRARY_PATH": str(folder)}
    told = answers([sys.executable, script], **env, **runner.environment())
    assert told == answers([sys.executable, script], **env)


def test_tool_that_asks_for_the_next(runner: Runner) -> None:
    """If another tool is loaded before the runtime and calls the next function by RTLD_NEXT, this
    is the runtime's wrapper, and every call is recorded."""
    tool = runner.mpi.build(
        "next-tool.c", runner.programs / f"next.{runner.mpi.name}.so", "-shared", "-fPIC"
    )
    job = runner.job("mpiio", 2, preload(tool, runner.library, between=" "))
    assert job.code == 0
    log = runner.only_log(job)
    assert log.total("MPIIO_INDEP_WRITES", str(runner.data / "together")) == 6
