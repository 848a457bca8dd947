"""A log contains exactly what the case of each wrapped function did.

Each case also runs without the library: errno and results must be the same.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from calls.function_case import PROGRAMS, counts_right, ended_well
from lab.command import finished
from run_case import (
    HERE,
    Expectations,
    case_names,
    disagreements,
    one_log,
    read_expectations,
    run_case,
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_function(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """The log of a case has exactly what the case did, and its output is that without the
    runtime."""
    counts_right(name, build, parser, tmp_path)


def of_files(expected: Expectations, folder: Path) -> Expectations:
    """Returns the expectations for a run whose standard streams are files in the folder. The
    process did not open them, so no open is counted, and their offsets are unknown."""
    names = {"<STDIN>": str(folder / "stdin"), "<STDOUT>": str(folder / "stdout")}
    unknown = ("STDIO_OPENS", "STDIO_MAX_BYTE_READ", "STDIO_MAX_BYTE_WRITTEN")
    rows = [
        (relation, counter, "0" if counter in unknown else value, names[path])
        if path in names
        else (relation, counter, value, path)
        for relation, counter, value, path in expected.rows
    ]
    return Expectations(rows, expected.trace)


STANDARD = [
    name for source in ("standard", "wide") for name in case_names("CASE", f"stdio-{source}.c")
]


@pytest.mark.parametrize("name", STANDARD)
def test_standard_streams_that_are_files(
    name: str, build: Path, parser: Path, tmp_path: Path
) -> None:
    """If standard input and output of a case are files, the log has their I/O in the records of
    these files, and none in those of the streams."""
    run = run_case(build, name, tmp_path / "run", in_files=True)
    ended_well(name, run)
    log = one_log(parser, run)
    assert not [path for _, path in log.records if path in ("<STDIN>", "<STDOUT>")]
    found = disagreements(log, of_files(read_expectations(run.out), (tmp_path / "run").resolve()))
    assert not found, "\n".join(found)


def test_every_wrapped_function_has_a_case() -> None:
    """The script `coverage` finds no wrapped function without a case."""
    done = finished([HERE / "coverage", HERE.parent.parent])
    assert done.returncode == 0, done.stderr


def test_names_are_unique_and_listed(build: Path) -> None:
    """No two cases have the same name, and `calls --list` prints the names of all."""
    functions = case_names("CASE")
    assert len(set(PROGRAMS)) == len(PROGRAMS)
    program = build / "darshan-test" / "calls" / "calls"
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    assert sorted(listed.stdout.split()) == sorted(functions)
