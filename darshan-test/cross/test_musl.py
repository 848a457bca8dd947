"""The runtime and the tools work if they are built with musl. The tools of this machine read their
logs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from calls.run_case import MODULES, parse
from lab.command import finished, finished_in_bytes
from lab.compile import compile_c
from lab.environment import plain, preload, settings
from lab.log import Log
from logs.catalogue import good_cases
from logs.encode import encode
from sample import turning

# The program, and the lines that it writes.
SOURCE = Path(__file__).resolve().parent / "musl.c"
LINES = "".join(f"{i} {i * 2}\n" for i in range(3000))


def compiled(program: Path, *options: str) -> Path:
    """Compiles the program with musl. program: path for it. options: of the compiler. Returns the
    path."""
    first = ["musl-gcc", "-O1", "-Wall", "-Wextra", "-Werror"]
    return compile_c(program.parent, SOURCE, *options, name=program.name, first=first)


def loader_of(program: Path) -> str:
    """Returns the path of the dynamic loader that a program names (PT_INTERP)."""
    words = subprocess.run(
        ["readelf", "-lW", program], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"program interpreter: (\S+)\]", words)
    assert found, words
    return found[1]


@pytest.fixture(scope="module", name="program")
def dynamic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the dynamically linked program."""
    return compiled(tmp_path_factory.mktemp("musl") / "program")


@pytest.mark.parametrize("how", ["preloaded", "argument-of-loader", "static"])
def test_what_a_program_did(
    build: Path, parser: Path, program: Path, tmp_path: Path, how: str
) -> None:
    """The logs of a program and its child have every byte, however the library is loaded. These
    include the bytes of fscanf and ungetc, which the runtime reads from musl's own FILE. how: how
    the library gets into the program."""
    if how == "static":
        made = build / "runtime" / "link" / "made"
        words = (f"-Wl,@{made}/ld-options", f"{made}/libdarshan.a", "-Wl,--end-group")
        program = compiled(tmp_path / "linked", "-static", "-Wl,--start-group", *words)
    for name in ("work", "logs", "journals"):
        (tmp_path / name).mkdir()
    env = plain() | settings(build, tmp_path / "logs", tmp_path / "journals", DARSHAN_JOB_TREE="0")
    env |= preload() if how == "static" else {}
    command = [loader_of(program), program] if how == "argument-of-loader" else [program]
    done = finished_in_bytes(command, cwd=tmp_path / "work", env=env, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"done\n", b"")
    assert not list((tmp_path / "journals").iterdir())
    log = Log(modules=MODULES)
    for path in (tmp_path / "logs").iterdir():
        parse(parser, path, log)
    numbers, written = str(tmp_path / "work" / "numbers"), str(tmp_path / "work" / "bytes")
    expected = {
        (numbers, "STDIO_OPENS"): 2,
        (numbers, "STDIO_WRITES"): 3000,
        (numbers, "STDIO_BYTES_WRITTEN"): len(LINES),
        (numbers, "STDIO_BYTES_READ"): len(LINES) + len("0 0\n1"),
        (numbers, "POSIX_OPENS"): 3,
        (numbers, "POSIX_BYTES_READ"): 15,
        (written, "POSIX_WRITES"): 3,
        (written, "POSIX_BYTES_WRITTEN"): 12,
    }
    assert {key: log.value(*key) for key in expected} == expected


@pytest.mark.parametrize("name", turning([case.name for case in good_cases()], 0.1, "musl logs"))
def test_tools_read_and_write_the_same(
    name: str, build: Path, parser: Path, tmp_path: Path
) -> None:
    """The parser and darshan-convert that are built with musl give the same bytes as those of this
    machine."""
    (case,) = (case for case in good_cases() if case.name == name)
    log = tmp_path / "log.darshan"
    log.write_bytes(encode(case.log))
    results = []
    for tools in (parser.parent, build):
        made = tmp_path / "made"
        commands = [tools / "darshan-parser", "--all", log], [tools / "darshan-convert", log, made]
        for command in commands:
            done = finished_in_bytes(command, timeout=120)
            results.append((done.returncode, done.stdout, done.stderr))
        results.append(made.read_bytes() if made.exists() else None)
        made.unlink(missing_ok=True)
    assert results[:3] == results[3:]


def test_front_watches_programs_of_musl_alone(build: Path, program: Path, tmp_path: Path) -> None:
    """`darshan run` of this build records a program of musl. A program of glibc runs without being
    recorded, and a message says why."""
    said = {}
    for name, command in (("musl", program), ("glibc", "/bin/true")):
        done = finished(
            [build / "darshan", "run", "-o", tmp_path / name, "--", command],
            cwd=tmp_path,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        said[name] = done.stderr
    (log,) = (tmp_path / "musl").glob("**/*.darshan")
    assert said["musl"].strip() == f"darshan: log: {log}"
    assert "uses another C library than musl" in said["glibc"]
