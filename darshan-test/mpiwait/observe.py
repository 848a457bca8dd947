"""Runs jobs whose ranks wait for each other, and reads the waiting times in the MPIWAIT records of
their logs."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from apmpi.observe import YIELDING
from lab.log import parsed, rows_in
from mpi.launch import Runner

HERE = Path(__file__).resolve().parent
RANKS = 3
# Options of the compiler. One warning is off, because MPICH's annotations say that
# MPI_STATUSES_IGNORE is too small.
OPTIONS = ("-std=c11", "-D_GNU_SOURCE", "-pthread", "-Wall", "-Wextra", "-Werror")
# MPICH's annotations call MPI_STATUSES_IGNORE too small.
OPTIONS += ("-Wno-stringop-overflow",)


@dataclass
class Waited:
    """The waiting times of one rank in seconds: the sums over the bins of its record, and the width
    of a bin."""

    width: float = 0.0
    message: float = 0.0
    collective: float = 0.0


def read(parser: Path, log: Path) -> dict[int, Waited]:
    """Returns the waiting times of each rank that has an MPIWAIT record in the log."""
    found: dict[int, Waited] = {}
    for row in rows_in(parsed(parser, log), "MPIWAIT"):
        of = found.setdefault(row.rank, Waited())
        if row.short == "F_BIN_WIDTH_SECONDS":
            of.width = row.value
        elif row.short.startswith("MESSAGE_BIN_"):
            of.message += row.value * 1e-9
        else:
            assert row.short.startswith("COLLECTIVE_BIN_"), row
            of.collective += row.value * 1e-9
    return found


def program(runner: Runner, source: str, *options: str) -> str:
    """Compiles a source file of this folder for the runner's MPI. Returns the program's path.
    options: for the compiler."""
    # A source in C and one in Fortran have the same stem.
    ending = "".join(option.removeprefix("-D").lower() for option in options)
    built = runner.programs / f"mpiwait-{source}{ending}.{runner.mpi.name}"
    options += () if source.endswith(".F90") else OPTIONS
    runner.environment()
    return str(runner.mpi.build(str(HERE / source), built, *options))


def run(
    runner: Runner, command: list[str], extra: dict[str, str] | None = None
) -> dict[int, Waited]:
    """Runs a job, which must succeed. Returns the waiting times of each rank in its only log.
    extra: variables to add."""
    job = runner.run(RANKS, command, {**YIELDING, **(extra or {})})
    assert (job.code, job.error, job.journals) == (0, "", []), job
    (log,) = job.logs
    return read(runner.parser, log)


def took(runner: Runner) -> list[float]:
    """Returns the seconds that the calls of each rank took, by the program's own clock."""
    found = []
    for rank in range(RANKS):
        seconds, _ = (runner.data / f"took.{rank}").read_text().split()
        found.append(float(seconds))
    return found


def report(build: Path, log: Path, *options: str) -> str:
    """Returns the report of a log, which darshan-job-summary prints on standard output. options:
    for it."""
    command = [build / "darshan-job-summary", *options, "-o", "-", log]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
