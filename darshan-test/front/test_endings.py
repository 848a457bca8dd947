"""`darshan stat` and the report say how a run failed or was killed, do not count terminated workers
as failures, and name a run after the command that was started."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished

from .conftest import Run

# Four workers of multiprocessing.Pool write a file each.
POOL = """
from multiprocessing import Pool

def make(number):
    with open(f"part{number}", "w") as file:
        file.write("x" * 1000)

if __name__ == "__main__":
    with Pool(3) as pool:
        pool.map(make, range(9))
"""
Report = Callable[[], tuple[list[str], dict[str, Any]]]


@pytest.fixture
def report(build: Path, work: Path, environment: dict[str, str]) -> Report:
    """Returns a function that makes the report of the only log. It returns the lines of the text,
    and the JSON. Fails if there are messages."""

    def make() -> tuple[list[str], dict[str, Any]]:
        (log,) = (work / "darshan-logs").iterdir()

        def said(form: str) -> str:
            command = [build / "darshan-job-summary", form, "-o", "-", log]
            done = finished(command, env=environment)
            assert not done.stderr
            return done.stdout

        return said("--text").splitlines(), json.loads(said("--json"))

    return make


def _titles(data: dict[str, Any]) -> list[str]:
    """Returns the titles of the findings in a report's JSON."""
    return [finding["title"] for finding in data["findings"]]


@pytest.mark.parametrize(
    ("command", "how"),
    [
        (("cat", "nothere"), "cat failed with exit status 1 after "),
        (("sh", "-c", "cat nothere; exit 3"), "sh -c cat \u2026 failed with exit status 3 after "),
        (("sh", "-c", "echo x > file; kill -SEGV $$"), "sh -c echo \u2026 was killed by SIGSEGV "),
    ],
)
def test_failed(darshan: Run, report: Report, command: tuple[str, ...], how: str) -> None:
    """If the program failed or was killed, the first line of the report says how, and neither the
    report nor the screen calls its I/O fine. how: beginning of the line."""
    screen = darshan("stat", *command).stderr.decode()
    lines, data = report()
    assert lines[0].startswith(how)
    flat = " ".join(" ".join(lines).split())
    assert "This report covers the run until then." in flat
    assert ("of files found nothing" in flat) == ("nothere" in " ".join(command))
    assert "fine" not in screen and not any("fine" in title for title in _titles(data))
    assert "The program failed." in screen


def test_workers_that_were_sent_away(darshan: Run, report: Report, work: Path) -> None:
    """The workers of multiprocessing.Pool, which their parent ends by SIGTERM, are not listed as
    failed on the screen and in the report."""
    (work / "pool.py").write_text(POOL)
    screen = darshan("stat", sys.executable, "pool.py").stderr.decode()
    lines, data = report()
    assert "4 processes" in screen and "ended badly" not in screen
    assert "SIGTERM" not in "\n".join(lines)
    assert data["processes"]["ended_badly"] == []
    assert all(row["failed"] == 0 for row in data["processes"]["tree"])


def test_worker_that_was_killed(darshan: Run, report: Report, work: Path) -> None:
    """A child process that was killed by SIGKILL is listed as failed on the screen and in the
    report, even if its parent continues and succeeds."""
    command = "bash", "-c", "(echo x > file; kill -9 $BASHPID); true"
    screen = darshan("stat", *command).stderr.decode()
    _, data = report()
    assert "SIGKILL" in screen
    assert data["processes"]["ended_badly"]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("bash", "job.sh"), "job.sh"),
        (("env", "A=1", "bash", "job.sh"), "job.sh"),
        (("sh", "-c", "touch file; exec rm file"), "sh -c touch \u2026"),
        (("sh", "-c", "set -e; touch file; rm file"), "sh -c touch \u2026"),
        (("sh", "-c", "cd . && nice -n 1 bash job.sh > out"), "job.sh"),
        (("timeout", "-s", "INT", "99", "env", "-u", "B", "A=1", "bash", "job.sh"), "job.sh"),
        (("nohup", "stdbuf", "-o", "0", "sh", "-c", "bash job.sh"), "job.sh"),
        (("made/bin/tool", "job.sh"), "tool"),
        (("made/shims/python9", "job.sh"), "job.sh"),
    ],
)
def test_named_after_what_was_started(
    darshan: Run, report: Report, work: Path, command: tuple[str, ...], name: str
) -> None:
    """The report names a run after the script or program of the command that was started, without
    words like env or nice, and even if its process called exec later. name: the expected one."""
    (work / "job.sh").write_text("touch file; (echo x > other); exec rm file other\n")
    for folder, tool in (("bin", "tool"), ("shims", "python9")):
        script = work / "made" / folder / tool
        script.parent.mkdir(parents=True)
        script.write_text('#!/usr/bin/env bash\ncd "$(dirname "$0")/../.."; exec bash "$1"\n')
        script.chmod(0o755)
    # A command without a slash is started by its name alone.
    command = (str(work / command[0]), *command[1:]) if "/" in command[0] else command
    screen = darshan("stat", *command).stderr.decode()
    lines, _ = report()
    assert lines[0].startswith(f"{name} ran for ")
    if "made" in command[0]:
        assert screen.startswith(f"darshan: {Path(command[0]).name} job.sh\n")


def test_titles(darshan: Run, build: Path, work: Path, environment: dict[str, str]) -> None:
    """The titles of the web page and of the PDF have the program, and the date and time of the run,
    not the name of the log file."""
    darshan("run", "dd", "if=/dev/zero", "of=file", "bs=1", "count=10", "status=none")
    (log,) = (work / "darshan-logs").iterdir()
    for form in ("html", "pdf"):
        command = [build / "darshan-job-summary", "--no-latex", "-o", work / f"out.{form}", log]
        subprocess.run(command, env=environment, capture_output=True, check=True)
    page = (work / "out.html").read_text()
    assert re.search(r"<title>I/O report: dd, \d{4}-\d\d-\d\d \d\d:\d\d</title>", page)
    assert "the stronger the colour, the more" in page  # in a dark page, more is brighter


def test_one_run_time(darshan: Run, work: Path) -> None:
    """`darshan stat PROGRAM` and `darshan stat -r` of the resulting log print the same run time,
    for a run of several processes."""
    live = darshan("stat", "sh", "-c", "sleep 0.2; echo x > file; (cat file)").stderr.decode()
    (log,) = (work / "darshan-logs").iterdir()
    later = darshan("stat", "-r", log).stderr.decode()
    first, second = (re.search(r"^run time ([\d.]+ \w+)", s, re.M) for s in (live, later))
    assert first and second and first[1] == second[1]


def test_full_table(darshan: Run, build: Path, work: Path) -> None:
    """If files share an overflow record, because the table of records was full, the screen and the
    report say alike whether totals are exact and whether numbers of files are estimates."""
    script = "for i in {1..40}; do echo x > f$i; done"
    settings = {"DARSHAN_CONFIG_PATH": str(work / "few")}
    (work / "few").write_text("MAX_RECORDS 10 POSIX\n")
    screen = darshan("stat", "bash", "-c", script, variables=settings).stderr.decode()
    (log,) = (work / "darshan-logs").iterdir()
    done = finished([build / "darshan-job-summary", "--text", log])
    flat = " ".join(done.stdout.split())
    assert "lower bounds" not in screen
    assert ("otals are exact" in flat) == ("totals are exact" in screen) is True
    # The count of one process is exact; the sum of two is an estimate.
    assert "estimate" not in screen and "numbers of files" not in flat
    both = f"({script}); ({script})"
    screen = darshan("stat", "bash", "-c", both, variables=settings).stderr.decode()
    assert "numbers of files are estimates" in screen
