"""The work of `darshan run` before and after the program does not grow with the size of the
program's file. The tests count instructions, whose number does not depend on the machine's load."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.environment import settings

from .conftest import SECONDS

# Bytes of initialized data that is not constant.
LARGE = 32 << 20
# More instructions for a large file; a search of the whole file takes 11 million more.
ALLOWED = 1_000_000


def counted(command: list[str], work: Path, settings: dict[str, str] | None = None) -> int:
    """Returns the number of instructions of a command's process, without those of its children.
    settings: added to the environment."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        cwd=work,
        env={**os.environ, **(settings or {})},
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


def instructions(build: Path, program: Path, work: Path) -> int:
    """Returns the number of instructions of `darshan run` itself, without those of the program."""
    return counted([str(build / "darshan"), "run", "-o", "logs", str(program)], work)


def made(work: Path, name: str, size: int) -> Path:
    """Compiles a stripped program with `size` bytes of initialized data. Returns its path."""
    source = f"char data[{size}] = {{1}};\nint main(void) {{ return data[1]; }}\n"
    return compile_c(work, source, name=name, first=["gcc", "-s"])


@pytest.mark.needs("program:valgrind")
def test_large_programs_are_not_searched(build: Path, tmp_path: Path) -> None:
    """`darshan run` searches only the constants of a stripped program for strings of libraries, so
    that 32 MiB of variables cost nothing."""
    small, large = (
        instructions(build, made(tmp_path, name, size), tmp_path)
        for name, size in (("small", 1), ("large", LARGE))
    )
    assert large < small + ALLOWED


# Most system calls of `darshan` itself. It made 158, of which 32 belong to its own start.
CALLS = 170
# Most instructions of `darshan` itself. It needed 317,000.
INSTRUCTIONS = 340_000
# Most instructions that the runtime adds to a program without I/O. It added 146,000, and would add
# 400,000 with zlib's Huffman codes.
ADDED = 170_000


@pytest.mark.needs("program:valgrind", "program:strace")
def test_front_of_a_small_program(build: Path, tmp_path: Path) -> None:
    """For a small program, `darshan run` needs at most CALLS system calls and INSTRUCTIONS
    instructions, and starts the program by vfork."""
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-o", str(trace), str(build / "darshan"), "run", "-o", "logs"]
    subprocess.run([*command, "/bin/true"], cwd=tmp_path, check=True, timeout=SECONDS)
    lines = trace.read_text().splitlines()
    own = [line for line in lines if line.split()[0] == lines[0].split()[0] and "(" in line]
    assert len(own) <= CALLS
    assert any(re.search(r" vfork\(|CLONE_VFORK", line) for line in own)
    assert instructions(build, Path("/bin/true"), tmp_path) <= INSTRUCTIONS


# Most pointers in the file `darshan` that the loader fills in at each start. It had 538, and would
# have 2,754 if the rows of counters had names.
POINTERS = 800


@pytest.mark.needs("program:readelf")
def test_front_has_few_pointers_in_its_tables(build: Path) -> None:
    """The file `darshan` has at most POINTERS pointers to be filled in at its start. The loader
    copies each page that has one, even if the program never reads it."""
    command = ["readelf", "-rW", str(build / "darshan")]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "R_" in rows
    assert len(re.findall(r"R_\w+_RELATIVE", rows)) <= POINTERS


@pytest.mark.needs("program:valgrind")
def test_runtime_in_a_small_program(build: Path, tmp_path: Path) -> None:
    """The runtime adds at most ADDED instructions to a program that opens no file, including the
    writing of its log."""
    (tmp_path / "logs").mkdir()
    variables = settings(build, tmp_path / "logs", tmp_path)
    watched, bare = (counted(["/bin/true"], tmp_path, env) for env in (variables, None))
    assert len(list((tmp_path / "logs").glob("*_true_*.darshan"))) == 1
    assert watched - bare <= ADDED


# Functions that a compiled program exports.
SYMBOLS = 2000
# Most instructions per symbol; comparing whole names takes 214.
EACH = 60


@pytest.mark.needs("program:valgrind")
def test_constants_are_not_searched_behind_many_symbols(build: Path, tmp_path: Path) -> None:
    """A stripped program that exports all its functions, like an interpreter, is not searched for
    strings of libraries, so that 32 MiB of constants cost nothing."""
    functions = "".join(f"void function_{i}(void) {{}}\n" for i in range(SYMBOLS))
    counts = []
    for name, size in (("small", 1), ("large", LARGE)):
        source = f"{functions}const char data[{size}] = {{1}};\nint main(void) {{ return 0; }}\n"
        program = compile_c(tmp_path, source, name=name, first=["gcc", "-s", "-rdynamic"])
        counts.append(instructions(build, program, tmp_path))
    assert counts[1] < counts[0] + ALLOWED


@pytest.mark.needs("program:valgrind")
def test_symbols_are_told_apart_by_their_beginning(build: Path, tmp_path: Path) -> None:
    """The search for statically linked libraries needs at most EACH instructions per symbol,
    because it compares only the first characters of a name."""
    functions = "".join(f"void Py_function_{i}(void) {{}}\n" for i in range(SYMBOLS))
    programs = {"few": "", "many": functions}
    counts = []
    for name, source in programs.items():
        whole = f"{source}int main(void) {{ return 0; }}\n"
        program = compile_c(tmp_path, whole, name=name, first=["gcc", "-s", "-rdynamic"])
        counts.append(instructions(build, program, tmp_path))
    assert (counts[1] - counts[0]) / SYMBOLS <= EACH
