"""`darshan stat` prints the same numbers as data (--json, -x), and its table fits the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run
from .test_terminal import at_terminal

# Writes 100,000 bytes to a-file and reads them by ten calls.
PROGRAM = """
with open("a-file", "wb") as file: file.write(bytes(100000))
with open("a-file", "rb", buffering=0) as file:
    for _ in range(10): file.read(10000)
"""


@pytest.fixture
def log(darshan: Run, work: Path) -> Path:
    """Returns the path of a log of the program."""
    assert darshan("run", sys.executable, "-c", PROGRAM).returncode == 0
    (made,) = (work / "darshan-logs").glob("*.darshan")
    return made


def check(found: dict[str, Any], name: str) -> None:
    """Fails unless the numbers of the JSON are those of the program's calls. name: of the program's
    file."""
    assert (found["format"], found["version"], found["logs"]) == ("darshan-stat", 1, 1)
    assert found["complete"] is True and found["processes"] == 1
    assert 0 < found["file_io_seconds"] <= found["run_seconds"]
    posix = next(layer for layer in found["layers"] if layer["module"] == "POSIX")
    assert posix["reads"] >= 10 and posix["bytes_written"] >= 100000
    (file,) = (f for f in found["slowest_files"] if f["name"].endswith(f"/{name}"))
    assert file["bytes_read"] == file["bytes_written"] == 100000
    assert file["calls"] == 11 and file["files"] == 1


def test_json_of_a_log(darshan: Run, log: Path) -> None:
    """For a log, the JSON is one line on standard output, and nothing else is printed."""
    done = darshan("stat", "--json", "-r", log)
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 1)
    check(json.loads(done.stdout), "a-file")


def test_json_of_a_program(darshan: Run, work: Path) -> None:
    """For a program, the JSON goes to the file of --to, or to standard error, so that standard
    output has only the program's own output."""
    program = PROGRAM + "print('its own')"
    done = darshan("stat", "--json", "--to", "numbers", sys.executable, "-c", program)
    assert (done.returncode, done.stdout) == (0, b"its own\n")
    assert done.stderr.startswith(b"darshan: log: ") and done.stderr.count(b"\n") == 1
    check(json.loads((work / "numbers").read_text()), "a-file")
    done = darshan("stat", "--json", sys.executable, "-c", program)
    check(json.loads(done.stderr.splitlines()[0]), "a-file")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_rows(separator: str, darshan: Run, log: Path) -> None:
    """-x prints the numbers of the JSON as rows of value, unit and name. separator: between
    columns."""
    found = json.loads(darshan("stat", "--json", "-r", log).stdout)
    done = darshan("stat", f"-x{separator}", "-r", log)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [line.split(separator) for line in done.stdout.decode().splitlines()]
    values = {name: (float(value), unit) for value, unit, name in rows}
    assert values["run_seconds"] == (found["run_seconds"], "seconds")
    for layer in found["layers"]:
        module = layer.pop("module")
        assert {key: values[f"{module}.{key}"][0] for key in layer} == layer
    assert values["POSIX.bytes_written"][1] == "bytes"


def test_a_name_that_is_no_text(darshan: Run, work: Path) -> None:
    """For a file name with control characters and invalid UTF-8, the JSON is valid, with invalid
    bytes as \\xHH."""
    program = 'open(b"a\\xff\\n\\"\\\\\\xc3\\xa4", "w").write("x" * 10)'
    assert darshan("run", sys.executable, "-c", program).returncode == 0
    done = darshan("stat", "--json", "-r")
    names = [file["name"] for file in json.loads(done.stdout)["slowest_files"]]
    assert any(name.endswith('/a\\xff\n"\\\u00e4') for name in names), names


def test_mistakes(darshan: Run, log: Path, work: Path) -> None:
    """Wrong combinations of options give status 2 and the usage; output that cannot be written, or
    a missing log, gives status 1 and a message."""
    for wrong in (["--json", "-x,", "-r", log], ["--to", "f", "-r", log], ["--json"], ["-x"]):
        done = darshan("stat", *wrong)
        assert done.returncode == 2 and b"usage: darshan stat" in done.stderr
    done = darshan("stat", "--json", "--to", "/dev/full", "-r", log)
    assert (done.returncode, done.stderr) == (
        1, b"darshan: cannot write /dev/full: No space left on device\n")  # fmt: skip
    done = darshan("stat", "--json", "-r", "/no/log")
    assert (done.returncode, done.stdout) == (1, b"")
    assert darshan("run", "--json", "true").returncode == 2


@pytest.mark.parametrize("columns", [60, 80, 132, 240])
def test_the_width(columns: int, darshan: Run, work: Path) -> None:
    """The table of files is as wide as COLUMNS says; file names get all columns that the numbers
    leave."""
    deep = work / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    program = f"open('{deep}/file', 'w').write('x' * 10)"
    done = darshan("stat", sys.executable, "-c", program, variables={"COLUMNS": str(columns)})
    lines = done.stderr.decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("files by time"))
    assert lines[at].endswith("    calls    time")
    (row,) = (line for line in lines[at:] if "/file " in line)
    assert len(row) == len(lines[at]) == max(columns - 1, 24 + 37)
    assert row.startswith("...") == (columns < 240 or len(str(deep)) > 197)


@pytest.mark.parametrize("no_color, bold", [(None, True), ("", True), ("1", False)])
def test_colour(
    no_color: str | None, bold: bool, build: Path, environment: dict[str, str], log: Path
) -> None:
    """On a terminal, headings are bold unless NO_COLOR is set and not empty; in a pipe never."""
    command = [str(build / "darshan"), "stat", "-r", str(log)]
    variables = environment if no_color is None else {**environment, "NO_COLOR": no_color}
    seen, status = at_terminal(command, variables, log.parent, b"", b"")
    assert status == 0 and (b"\x1b[1m" in seen) == bold
    piped = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert b"\x1b" not in piped.stderr
