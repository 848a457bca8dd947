"""`darshan list` shows the newest logs with date, program, I/O share and costliest finding."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished_in_bytes

from .conftest import Run

# Reads a file of 4 MB in pieces of 8 bytes.
SMALL = """
import sys
open("data", "wb").write(bytes(4000000))
with open("data", "rb", buffering=0) as file:
    while file.read(8): pass
"""


@pytest.fixture(autouse=True)
def places(environment: dict[str, str], tmp_path: Path) -> None:
    """Gives all commands of a test a home folder and a cache in the test's folder, and the time
    zone UTC."""
    environment["HOME"] = str(tmp_path / "home")
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    environment["TZ"] = "UTC"


@pytest.fixture
def two(darshan: Run, work: Path) -> list[Path]:
    """Makes a log without a problem, then one of many small reads. Returns both paths, newest
    first."""
    assert darshan("run", "head", "-c", "10", "/usr/bin/env").returncode == 0
    (first,) = (work / "darshan-logs").glob("*.darshan")
    assert darshan("run", sys.executable, "-c", SMALL).returncode == 0
    return sorted((work / "darshan-logs").glob("*.darshan"), key=lambda log: log == first)


def data(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    """Returns the rows of the JSON that `darshan list --json` printed. Fails if the command
    failed."""
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["format"], found["version"]) == ("darshan-list", 1)
    logs: list[dict[str, Any]] = found["logs"]
    return logs


def test_values_are_those_of_the_report(darshan: Run, two: list[Path]) -> None:
    """For each log, date, run time, I/O shares and costliest finding equal those of `darshan report
    --json`."""
    done = darshan("list", "--json", "--seconds", "60")
    assert done.stderr == b""
    logs = data(done)
    assert [log["log"] for log in logs] == [f"darshan-logs/{log.name}" for log in two]
    for log in logs:
        report = json.loads(darshan("report", "--json", "-o", "-", log["log"]).stdout)
        report = report["logs"][0] if "logs" in report else report
        assert log["start"] == pytest.approx(report["job"]["start"], abs=0.002)
        assert log["run_seconds"] == pytest.approx(report["job"]["run_seconds"])
        assert log["processes"] == report["job"]["processes"]
        share = report["io"]["file_io_share"]
        assert log["file_io_share"] == pytest.approx(share, rel=1e-3, abs=1e-6)
        problems = [f for f in report["findings"] if f["kind"] == "problem"]
        wanted = {k: problems[0][k] for k in ("name", "title")} if problems else None
        assert (log["finding_computed"], log["finding"]) == (True, wanted)
    assert logs[0]["finding"]["name"] == "small-accesses-read"
    assert logs[1]["finding"] is None


def test_the_table(darshan: Run, two: list[Path]) -> None:
    """Each row of the table has date, program, I/O share and costliest finding; with --paths, a
    line with the log's path follows."""
    done = darshan("list", "--seconds", "60", "--paths")
    lines = done.stdout.decode().splitlines()
    assert re.fullmatch(r"started +program +file I/O  first finding", lines[0])
    day = time.strftime("%Y-%m-%d", time.gmtime())
    assert re.match(rf"{day} \d\d:\d\d  python.* +\d+(\.\d)? %  Many small reads$", lines[1])
    assert lines[2] == f"  darshan-logs/{two[0].name}"
    assert re.match(rf"{day} \d\d:\d\d  head -c 10.* %  -$", lines[3])
    assert len(lines) == 5 and max(map(len, (lines[0], *lines[1::2]))) <= 80
    only = darshan("list", "--no-findings", "-n", "1").stdout.decode().splitlines()
    assert only[0].rstrip().endswith("file I/O") and len(only) == 2


def test_the_width(darshan: Run, two: list[Path]) -> None:
    """The rows of the table are at most COLUMNS wide; a longer command is cut."""
    assert two
    for columns in ("60", "80", "200"):
        out = darshan("list", "-n", "1", variables={"COLUMNS": columns}).stdout.decode()
        row = out.splitlines()[1]
        assert len(row) <= int(columns)
        shown = row.partition("  ")[2].partition(" %")[0].rsplit(None, 1)[0].strip()
        assert len(shown) == (int(columns) - 29) * 2 // 5 or "while file.read(8): pass" in shown


def test_findings_are_kept(darshan: Run, two: list[Path], tmp_path: Path) -> None:
    """A finding that was computed once is taken from the cache later. With --seconds 0, a finding
    that is not in the cache is not computed, and a line says how many."""
    assert two
    none = darshan("list", "--seconds", "0")
    assert none.stdout.count(b"(not computed)") == 2
    assert none.stderr.startswith(b"darshan: 2 findings were not computed within 0 s")
    data(darshan("list", "--json", "--seconds", "60"))
    kept = list((tmp_path / "cache" / "darshan" / "findings").iterdir())
    assert len(kept) == 2
    for entry in kept:
        entry.write_text("kept\tFrom the cache\n")
    again = darshan("list", "--json", "--seconds", "60")
    found = [log["finding"] for log in data(again)]
    assert found == [{"name": "kept", "title": "From the cache"}] * 2


def test_a_changed_log_is_computed_again(darshan: Run, two: list[Path]) -> None:
    """If the content of a log changes, its finding in the cache is not used."""
    small, fine = two
    assert data(darshan("list", "--json", "--seconds", "60"))[0]["finding"]
    small.unlink()
    shutil.copy(fine, small)
    (log,) = (e for e in data(darshan("list", "--json", "--seconds", "60"))
              if e["log"].endswith(small.name))  # fmt: skip
    assert (log["finding_computed"], log["finding"]) == (True, None)


def test_a_cache_that_cannot_be_written(darshan: Run, two: list[Path], tmp_path: Path) -> None:
    """If the folder for the cache cannot be created, findings are computed and shown without
    error."""
    assert two
    (tmp_path / "cache").touch()
    assert data(darshan("list", "--json", "--seconds", "60"))[0]["finding"]


def test_without_python(
    build: Path, two: list[Path], environment: dict[str, str], tmp_path: Path
) -> None:
    """If the report program is missing, the list has no findings, and one line says why."""
    shutil.copy(build / "darshan", tmp_path / "darshan")
    done = finished_in_bytes(
        [tmp_path / "darshan", "list", "--json", two[0].parent], env=environment
    )
    assert [log["finding_computed"] for log in data(done)] == [False, False]
    assert done.stderr.startswith(b"darshan: findings are unavailable: darshan-job-summary is not")


def test_folders_and_mistakes(darshan: Run, two: list[Path], tmp_path: Path) -> None:
    """A folder without logs gives an empty list with a message; a damaged log has a message and no
    row, and the other logs are listed."""
    (tmp_path / "empty").mkdir()
    done = darshan("list", "--json", tmp_path / "empty")
    assert data(done) == []
    assert done.stderr.decode() == f"darshan list: found no log of yours in {tmp_path}/empty\n"
    (two[0].parent / "bad.darshan").write_bytes(b"no log")
    done = darshan("list", "--json", "--no-findings", two[0].parent)
    assert len(data(done)) == 2 and b"bad.darshan" in done.stderr
    for wrong in (["-n", "0"], ["-n", "x"], ["--seconds", "-1"], ["--bogus"]):
        assert darshan("list", *wrong).returncode == 2
