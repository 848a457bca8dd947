"""Reports show the MPI communication of a program, if APMPI recorded it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from mpi.launch import Runner

from .observe import ON, ONE_MPI, YIELDING, program, read


def report(build: Path, log: Path, *options: str) -> str:
    """Returns the report of a log, which darshan-job-summary prints on standard output. options:
    for it."""
    command = [build / "darshan-job-summary", *options, "-o", "-", log]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def log(runner: Runner) -> Path:
    """Returns the log of a job of late.c on four ranks with APMPI."""
    job = runner.run(4, [*program(runner, "late.c"), "finalize"], {**YIELDING, **ON})
    assert job.code == 0, job
    return job.logs[0]


@ONE_MPI
def test_as_data(build: Path, runner: Runner, log: Path) -> None:
    """The communication in the report's JSON equals the sums of the log's APMPI rows: seconds,
    ranks with the shortest and longest times, calls, bytes, and waiting."""
    talk = read(runner.parser, log)
    said = json.loads(report(build, log, "--json"))["communication"]
    totals = {rank: talk.number(rank, "TOTAL_COMM_TIME") for rank in talk.ranks()}
    assert said["ranks"] == 4
    assert said["seconds"] == pytest.approx(sum(totals.values()), abs=1e-4)
    for which, best in (("least", min), ("most", max)):
        assert said[which]["rank"] == best(totals, key=lambda rank: totals[rank])
        assert said[which]["seconds"] == pytest.approx(best(totals.values()), abs=1e-5)
    assert {call["name"]: (call["calls"], call["bytes"]) for call in said["calls"]} == {
        "MPI_Barrier": (4, None),
        "MPI_Allreduce": (4, 16),
    }
    waited = 0.0
    for name in ("BARRIER", "ALLREDUCE"):
        times = [talk.number(rank, f"{name}_TOTAL_TIME") for rank in range(4)]
        waited += sum(times) - 4 * min(times)
    assert said["waiting_seconds_at_least"] == pytest.approx(waited, abs=1e-4)


@ONE_MPI
def test_in_words(build: Path, log: Path) -> None:
    """The text report and the HTML page have a row for each MPI function, with its calls and
    bytes."""
    text = report(build, log, "--text")
    assert re.search(r"^communication +calls +bytes +time +share +longest$", text, re.M)
    assert re.search(r"^MPI_Barrier +4 +- ", text, re.M)
    assert re.search(r"^MPI_Allreduce +4 +16 B ", text, re.M)
    assert "MPI's communication took" in " ".join(text.split())
    page = report(build, log, "--html")
    assert "Communication of MPI" in page and "MPI_Allreduce" in page
    assert not re.search(r"The log also has [^.]*APMPI", page)


@ONE_MPI
def test_measured_waiting(build: Path, runner: Runner) -> None:
    """If the log has the time of barriers before collectives, the report gives this time as
    waiting."""
    settings = {**YIELDING, **ON, "DARSHAN_APMPI_COLL_SYNC": "1"}
    job = runner.run(3, [*program(runner, "late.c"), "finalize"], settings)
    (log,) = job.logs
    talk = read(runner.parser, log)
    waited = sum(talk.number(rank, "TOTAL_COMM_SYNC_TIME") for rank in range(3))
    said = json.loads(report(build, log, "--json"))["communication"]
    assert said["waiting_seconds_at_least"] == pytest.approx(waited, abs=1e-4)
    assert "Before collectives the ranks waited" in " ".join(report(build, log, "--text").split())


@ONE_MPI
def test_waiting_that_is_most_of_a_run(build: Path, runner: Runner) -> None:
    """If one rank is late for most of the run, the report says that most of the communication is
    waiting, and shows no potential saving by I/O."""
    job = runner.run(3, [*program(runner, "late.c"), "finalize", "300"], {**YIELDING, **ON})
    (log,) = job.logs
    text = " ".join(report(build, log, "--text").split())
    assert "Most of it is waiting" in text
    assert "at stake" not in text


@ONE_MPI
def test_not_where_it_was_not_counted(build: Path, runner: Runner) -> None:
    """If communication was not counted, neither JSON nor text has anything about it."""
    job = runner.run(2, [*program(runner, "late.c"), "finalize"], YIELDING)
    (log,) = job.logs
    assert json.loads(report(build, log, "--json"))["communication"] is None
    assert "ommunication" not in report(build, log, "--text")
