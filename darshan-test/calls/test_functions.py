"""A case per wrapped function: the log says exactly what the case did.

Each case also runs without the library: errno and results must be the same.
"""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from place import elsewhere
from run_case import (
    HERE,
    SKIPPED,
    Expectations,
    Run,
    case_names,
    disagreements,
    leave_out,
    one_log,
    parse,
    read_expectations,
    run_case,
)

ABORTED = ("abort", "__assert_fail", "__assert")
ENDS_BY = {
    **dict.fromkeys(ABORTED, -signal.SIGABRT),
    "argp_usage": 64,
    **dict.fromkeys(("err", "errx", "verr", "verrx"), 3),
}
# Their child processes have other numbers each time; everything else is compared.
PROGRAMS = case_names("CASE") + case_names("SCENARIO")


# The log has no place below another root: a line names the journal outside.
NO_WAY_BACK = ("chroot",)


def ended_well(name: str, run: Run) -> None:
    """Skips what this system cannot do; fails if the program itself failed."""
    if run.status == SKIPPED:
        leave_out(run.stdout.decode().strip())
    if name == "__assert" and run.status == -signal.SIGSEGV and not run.logs + run.journals:
        elsewhere("glibc 2.41 ends in SIGSEGV where it prints no name of a function")
    assert run.status == ENDS_BY.get(name, 0), run.stderr.decode(errors="replace")


@pytest.mark.parametrize("name", PROGRAMS)
def test_function(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    plain = run_case(build, name, tmp_path / "plain", instrumented=False)
    ended_well(name, plain)
    run = run_case(build, name, tmp_path / "run")
    ended_well(name, run)
    assert run.stderr == plain.stderr or name in NO_WAY_BACK
    assert run.stdout == plain.stdout
    expected = read_expectations(run.out)
    assert expected.trace == read_expectations(plain.out).trace
    # abort may be too late to write a log; the journal has everything.
    left = run.logs + (run.journals if name in ABORTED or name in NO_WAY_BACK else [])
    assert left, f"no log; journals: {run.journals}"
    log = None
    for path in left:
        log = parse(parser, path, log)
    assert log is not None
    assert name in ABORTED or name in NO_WAY_BACK or not run.journals
    if not run.logs:
        log.header["run time"] = "1"  # a journal has no end
    found = disagreements(log, expected)
    assert not found, "\n".join(found)


def of_files(expected: Expectations, folder: Path) -> Expectations:
    """The same where standard streams are files: nobody has opened them here, and where their
    positions are is not known."""
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
    run = run_case(build, name, tmp_path / "run", in_files=True)
    ended_well(name, run)
    log = one_log(parser, run)
    assert not [path for _, path in log.records if path in ("<STDIN>", "<STDOUT>")]
    found = disagreements(log, of_files(read_expectations(run.out), (tmp_path / "run").resolve()))
    assert not found, "\n".join(found)


def test_every_wrapped_function_has_a_case() -> None:
    done = subprocess.run(
        [HERE / "coverage", HERE.parent.parent], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_names_are_unique_and_listed(build: Path) -> None:
    functions = case_names("CASE")
    assert len(set(PROGRAMS)) == len(PROGRAMS)
    program = build / "darshan-test" / "calls" / "calls"
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    assert sorted(listed.stdout.split()) == sorted(functions)
