"""Remedies of `darshan try` for MPI-IO, which are hints, in jobs that the user's own launcher
starts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mpi.launch import MPIS, ROOT_MAY_RUN, Mpi

from .conftest import Try
from .mpi_program import PIECES

MPICH = next(mpi for mpi in MPIS if mpi.name == "mpich")
# A value of DARSHAN_TRY with all hints.
EVERY = "collective-buffering=1;no-data-sieving=1;aggregators=2"


def job(trial: Try, mpi: Mpi, *words: str) -> list[str]:
    """Compiles the program PIECES with this MPI. Returns the command of a job of two ranks. words:
    the program's arguments."""
    source, program = trial.user.parent / "pieces.c", trial.user / "pieces"
    source.write_text(PIECES)
    subprocess.run([mpi.command("mpicc"), "-O1", "-g", "-o", program, source], check=True)
    return mpi.launch(["-n", "2", str(program), *words])


def posix_writes(log: Path) -> int:
    """Returns the number of POSIX writes of all ranks in a log."""
    from darshan_report.log import open_log  # noqa: PLC0415

    with open_log(log) as opened:
        return int(opened.records("POSIX")["POSIX_WRITES"].sum())


@pytest.mark.needs("mpi:mpich")
def test_collective_buffering(trial: Try) -> None:
    """For a program that switched it off, the remedy collective-buffering helps; the JSON has the
    number of writes before and after, and the line where the file is opened."""
    command = job(trial, MPICH, "collective")
    status, rows, whole = trial.found(
        "--only", "collective-buffering", "--copy", ".", "--", *command
    )
    row = rows["collective-buffering"]
    assert (status, row["result"]) == (0, "helped"), whole
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["writes"]["before"] >= 3000
    assert changes["writes"]["after"] < 100
    assert any(t.startswith("pieces.c:") and "romio_cb_write" in t for t in row["keep"]), row


@pytest.mark.needs("mpi:mpich")
def test_data_sieving(trial: Try) -> None:
    """MPICH turns writes with gaps into writes of whole ranges; the remedy no-data-sieving, a hint,
    forbids this."""
    command = job(trial, MPICH, "alone")
    writes = []
    for setting in ("", "no-data-sieving=1"):
        trial.variables = {"DARSHAN_TRY": setting}
        writes.append(posix_writes(trial.log(*command)))
    assert writes[0] < 10
    assert writes[1] >= 3000


@pytest.mark.needs("mpi:openmpi")
def test_hints_do_not_break_another_library(trial: Try) -> None:
    """With all remedies that are hints, a job of Open MPI, which ignores most of them, writes the
    same file."""
    command = job(trial, next(mpi for mpi in MPIS if mpi.name == "openmpi"), "collective")
    written = []
    for setting in ("", EVERY):
        trial.variables = {"DARSHAN_TRY": setting, **ROOT_MAY_RUN}
        trial.log(*command)
        written.append((trial.user / "all").read_bytes())
        (trial.user / "all").unlink()
    assert written[0] == written[1] == (b"a" * 64 + b"b" * 64) * 1500


@pytest.mark.needs("mpi:mpich")
def test_a_job_with_much_around_it(trial: Try) -> None:
    """`darshan try` judges by the log of the MPI job, although the log of the processes around the
    job is larger."""
    around = 'for n in 1 2 3 4 5 6 7 8 9; do env true; env false; done; exec "$@"'
    launcher, *options, program, how = job(trial, MPICH, "alone")
    command = [launcher, *options, "sh", "-c", around, "sh", program, how]
    _, rows, _ = trial.found("--only", "aggregators", "--copy", ".", "--", *command)
    assert rows["aggregators"]["reason"] == "the program makes no collective call of MPI-IO"


def test_hints_are_refused(trial: Try) -> None:
    """For a program without MPI-IO, `darshan try` does not try the remedies that are hints, and
    names the reason."""
    _, rows, _ = trial.found("--all", "--", "true")
    assert rows["collective-buffering"]["reason"] == "the program opens no file by MPI-IO"
    assert rows["aggregators"]["reason"] == "the program opens no file by MPI-IO"
    assert rows["no-data-sieving"]["reason"] == "the program writes no file by MPI-IO"
