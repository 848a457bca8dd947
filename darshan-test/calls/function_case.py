"""Checks a case of a function: the log contains exactly what the case did.

Each case also runs without the library: errno and results must be the same."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from calls.run_case import (
    SKIPPED,
    Run,
    case_names,
    disagreements,
    leave_out,
    parse,
    read_expectations,
    run_case,
)
from place import elsewhere

ABORTED = ("abort", "__assert_fail", "__assert")
ENDS_BY = {
    **dict.fromkeys(ABORTED, -signal.SIGABRT),
    "argp_usage": 64,
    **dict.fromkeys(("err", "errx", "verr", "verrx"), 3),
}
# All cases but the SPECIAL ones, which need a special environment or check.
PROGRAMS = case_names("CASE") + case_names("SCENARIO")


# The log folder does not exist below the new root, so a line names the journal outside.
NO_WAY_BACK = ("chroot",)


def ended_well(name: str, run: Run) -> None:
    """Skips the test if this system lacks the function. Fails if the program itself failed. name:
    of the case."""
    if run.status == SKIPPED:
        leave_out(run.stdout.decode().strip())
    if name == "__assert" and run.status == -signal.SIGSEGV and not run.logs + run.journals:
        elsewhere("glibc 2.41 ends in SIGSEGV where it prints no name of a function")
    assert run.status == ENDS_BY.get(name, 0), run.stderr.decode(errors="replace")


def counts_right(
    name: str,
    build: Path,
    parser: Path,
    tmp_path: Path,
    *,
    under: Sequence[str | Path] = (),
    extra: dict[str, str] | None = None,
) -> None:
    """Runs a case without and with the runtime, and checks that output and counters are right.
    under: a command that starts the program. extra: settings."""
    plain = run_case(build, name, tmp_path / "plain", instrumented=False, under=under)
    ended_well(name, plain)
    run = run_case(build, name, tmp_path / "run", under=under, extra=extra)
    ended_well(name, run)
    assert run.stderr == plain.stderr or name in NO_WAY_BACK
    assert run.stdout == plain.stdout
    expected = read_expectations(run.out)
    assert expected.trace == read_expectations(plain.out).trace
    # abort may prevent the log; then the journal has all records.
    left = run.logs + (run.journals if name in ABORTED or name in NO_WAY_BACK else [])
    assert left, f"no log; journals: {run.journals}"
    log = None
    for path in left:
        log = parse(parser, path, log)
    assert log is not None
    assert name in ABORTED or name in NO_WAY_BACK or not run.journals
    if not run.logs:
        log.header["run time"] = "1"  # a journal has no end time
    found = disagreements(log, expected)
    assert not found, "\n".join(found)
