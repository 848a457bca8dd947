"""The report, its JSON and `darshan stat` show the waiting time of MPI jobs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
from lab.findings import open_report
from mpi.launch import Runner
from tree import SOURCE

from .observe import RANKS, YIELDING, program, read, report
from .test_waits import ONE_MPI

# The row of the report.
TITLE = "Waiting for other ranks, in MPI"


@pytest.fixture
def log(runner: Runner) -> Path:
    """Returns the log of a job whose ranks wait for the last one, which comes late."""
    job = runner.run(RANKS, [program(runner, "waits.c"), "collectives", str(runner.data)], YIELDING)
    assert (job.code, job.error) == (0, "")
    (found,) = job.logs
    return found


@ONE_MPI
def test_as_data(build: Path, runner: Runner, log: Path) -> None:
    """The waiting times in JSON, and those in a data frame, are the sums of the log, with the ranks
    that waited least and most."""
    told = json.loads(report(build, log, "--json"))
    jsonschema.validate(told, json.loads((SOURCE / "doc/report.schema.json").read_text("utf-8")))
    waited = {rank: of.message + of.collective for rank, of in read(runner.parser, log).items()}
    said = told["waiting"]
    assert said["ranks"] == RANKS
    assert said["seconds"] == pytest.approx(sum(waited.values()), rel=1e-4)
    assert said["collective_seconds"] == pytest.approx(said["seconds"], rel=1e-4)
    for which, best in (("least", min), ("most", max)):
        assert said[which]["rank"] == best(waited, key=lambda rank: waited[rank])
        assert said[which]["seconds"] == pytest.approx(best(waited.values()), rel=1e-4)
    open_report(build)
    from darshan_report import Log  # noqa: PLC0415 - needs open_report

    with Log(log) as opened:
        frame = opened.frame("MPIWAIT")
    assert frame["collective"].sum() == pytest.approx(sum(waited.values()), rel=1e-4)


@ONE_MPI
def test_in_words(build: Path, log: Path) -> None:
    """The report has a row for waiting in its table of times, and does not show a rank that sleeps
    as a problem of I/O. `darshan stat` prints the share of the ranks' time spent waiting."""
    text = report(build, log, "--text")
    assert TITLE in text
    assert "In MPI a rank waited" in text
    assert "at stake" not in text
    assert TITLE in report(build, log, "--html")
    done = subprocess.run(
        [build / "darshan", "stat", "-r", log], check=True, capture_output=True, text=True
    )
    assert "of all ranks were waiting for other ranks in MPI" in done.stderr
