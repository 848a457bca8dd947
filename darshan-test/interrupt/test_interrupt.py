"""Interrupts calls at instructions of the runtime: a sample of them that depends on the commit.
`./dev interrupt` tests all of them."""

from __future__ import annotations

import re
import subprocess
import zlib
from itertools import product
from pathlib import Path

import pytest
from lab.command import finished
from lab.environment import plain, preload
from place import elsewhere, needs
from sample import everything, seed, turning

HERE = Path(__file__).parent
KINDS = re.findall(r"\{\"([a-z0-9_-]+)\",", (HERE / "calls-libc.c").read_text())
DAOS = re.findall(r"\{\"([a-z0-9_-]+)\",", (HERE / "calls-daos.c").read_text())
# Only the full harness (./dev interrupt) tests the kinds that take seconds to trace.
LONG = {"exec", "exit", "exit-now", "growth", "first"}
ACTIONS = "abcdef"
SHARE_OF_KINDS = 0.1
SHARE_OF_POINTS = 40


KNOWN = re.findall(
    r"^KNOWN\(\"(\w+)\", ACTION_(\w+), \"(.*)\"\)", (HERE / "known.def").read_text(), re.M
)
LETTER = dict(re.findall(r"ACTION_(\w+) = '(\w)'", (HERE / "target.h").read_text()))
HANG = 2  # seconds after which a program that takes milliseconds counts as hanging

x86_64 = pytest.mark.needs("processor:x86_64")  # breakpoints


# Behind a filter the harness finds no instruction of the runtime that it could interrupt.
@x86_64
@pytest.mark.needs("no-filter")
@pytest.mark.parametrize(
    "handlers",
    [[], ["-r"], ["-t"], ["-r", "-t"]],
    ids=["through-libc", "past-libc", "sites", "past-libc-sites"],
)
def test_interrupted(build: Path, handlers: list[str]) -> None:
    """After an action at any instruction of the runtime, each counter of the log differs by one
    call at most from the right number."""
    assert len(KINDS) > 30 and len(DAOS) == 5
    short = [kind for kind in [*KINDS, *DAOS] if kind not in LONG]
    chosen = [
        f"{kind}:{action}"
        for kind, action in turning(
            product(short, ACTIONS), SHARE_OF_KINDS / 2, f"interrupt{handlers}"
        )
    ]
    number = "0" if everything() else str(zlib.crc32(seed().encode()))
    command = [HERE / "run", build, "-k", ",".join(chosen), "-n", str(SHARE_OF_POINTS)]
    command += handlers
    done = finished([*command, "-S", number], timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) runs", done.stdout)[-1]) > len(chosen)


def bare(build: Path, folder: Path, *command: str, timeout: float = 60, **env: str) -> str:
    """Runs a program of one call with bare.c preloaded instead of the runtime; returns what it
    printed on stderr. command: the program's name, and its arguments. timeout: in seconds. Fails if
    the status is not 0, and raises TimeoutExpired if the program hangs."""
    subprocess.run([HERE / "run", build, "-c"], check=True, capture_output=True)
    program = build.resolve() / "interrupt" / command[0]
    if not program.exists():
        needs(f"program:{'h5cc' if command[0].startswith('hdf5') else 'mpicc.mpich'}")
    done = finished(
        [program, *command[1:]],
        cwd=folder,
        env=plain() | preload(program.with_name("bare.so")) | env,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@x86_64
@pytest.mark.parametrize(("kind", "action", "words"), KNOWN)
def test_library_is_known(build: Path, tmp_path: Path, kind: str, action: str, words: str) -> None:
    """A library whose work is interrupted prints this message without the runtime, too."""
    program = "hdf5-calls" if kind.startswith("H5") else "mpi-calls"
    said = bare(build, tmp_path, program, kind, LETTER[action])
    assert said.startswith(words)
    assert not bare(build, tmp_path, program, kind, LETTER["IO"])


@x86_64
@pytest.mark.parametrize("action", ["JUMP", "CANCEL"])
def test_memory_watch_keeps_its_lock(build: Path, tmp_path: Path, action: str) -> None:
    """UCX's memory hooks hang without the runtime, too, so the harness turns them off."""
    command = ("mpi-calls", "MPI_File_open", LETTER[action])
    assert not bare(build, tmp_path, *command, UCX_MEM_EVENTS="no")
    maps = subprocess.run(
        ["ldd", build / "interrupt" / "mpi-calls"], capture_output=True, text=True, check=True
    ).stdout
    if "libucm" not in maps:
        elsewhere("this MPI is built without UCX")
    assert not bare(build, tmp_path, "mpi-calls", "MPI_File_open", LETTER["IO"])
    with pytest.raises(subprocess.TimeoutExpired):
        bare(build, tmp_path, *command, timeout=HANG)
