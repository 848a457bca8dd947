"""The report's other forms: web page, JSON, CSV, text, comparison of two logs, and the report on
many logs."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from darshan_report.show.progress import Progress
from place import needs
from tree import SOURCE, real_log_paths

from .conftest import INCOMPLETE, Run
from .diagnose.build import write
from .diagnose.cases import CASES

SCHEMA = json.loads((SOURCE / "doc" / "report.schema.json").read_text("utf-8"))


def problem(path: Path, name: str) -> Path:
    """Writes the smallest log with the finding `name` to `path`; returns the path."""
    return write(next(having for case, having, _ in CASES if case == name), path)


def check_schema(value: Any) -> None:
    """Fails unless a value follows the schema of the report."""
    jsonschema.Draft202012Validator(SCHEMA).validate(value)


def test_json(summary: Run, tmp_path: Path) -> None:
    """The JSON of a log follows the schema, and has its findings, layers and job."""
    log = problem(tmp_path / "a.darshan", "small-accesses-read")
    done = summary("--json", log)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.json\n", "")
    report = json.loads((tmp_path / "a.json").read_text("utf-8"))
    check_schema(report)
    assert report["findings"][0]["name"] == "small-accesses-read"
    (layer,) = report["layers"]
    assert (layer["module"], layer["bytes_read"], layer["sizes_read"]["0_100"]) == (
        "POSIX", 5_000_000, 50_000
    )  # fmt: skip
    assert report["job"]["run_seconds"] == 10


def test_json_of_real_logs(summary: Run) -> None:
    """The JSON of each real log follows the schema."""
    paths = real_log_paths()
    if not paths:
        return
    done = summary("--json", "-o", "-", *paths)
    reports = json.loads(done.stdout)
    assert len(reports) == len(paths)
    some = any("incomplete" in text or "damaged" in text for r in reports for text in r["warnings"])
    assert done.returncode == (INCOMPLETE if some else 0), done.stderr
    for report in reports:
        check_schema(report)


def test_csv(summary: Run, tmp_path: Path) -> None:
    """The CSV has the values of the JSON, one value per line."""
    log = problem(tmp_path / "a.darshan", "small-accesses-read")
    lines = list(csv.reader(io.StringIO(summary("--csv", "-o", "-", log).stdout)))
    assert lines[0] == ["log", "path", "value"]
    values = {path: value for _, path, value in lines[1:]}
    assert values["/findings/0/name"] == "small-accesses-read"
    assert values["/layers/0/bytes_read"] == "5000000"


def test_text(summary: Run, tmp_path: Path) -> None:
    """The report as text has at most 80 columns, and the problem with its remedy; stderr is
    empty."""
    log = problem(tmp_path / "a.darshan", "small-accesses-read")
    done = summary("--text", log)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1. Many small reads" in done.stdout and "remedy: " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "POSIX_READS" not in done.stdout
    assert "POSIX_READS = 50,000" in summary("--text", "-v", log).stdout


def test_thresholds(summary: Run, tmp_path: Path) -> None:
    """A file of thresholds changes the findings, a wrong line in it is an error, and the listed
    thresholds are such a file."""
    log = problem(tmp_path / "a.darshan", "small-accesses-read")
    changed = tmp_path / "limits"
    changed.write_text("# ours\noperations = 100000\n")
    done = summary("--text", "--thresholds", changed, log)
    assert done.returncode == 0 and "Problem" not in done.stdout
    changed.write_text("operations = many\n")
    done = summary("--text", "--thresholds", changed, log)
    assert (done.returncode, done.stdout) == (1, "")
    assert "limits:1: 'many' is not a number" in done.stderr
    listed = summary("--list-thresholds").stdout.splitlines()
    changed.write_text("\n".join(listed))
    assert summary("--text", "--thresholds", changed, log).returncode == 0


def test_compare(summary: Run, tmp_path: Path) -> None:
    """The comparison has bytes and time of both runs with their ratio, and the problem that only
    the first one has."""
    _, having, without = next(c for c in CASES if c[0] == "small-accesses-write")
    one, two = write(having, tmp_path / "one"), write(without.but(F_WRITE_TIME=1.5), tmp_path / "b")
    done = summary("--text", "--compare", one, two)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Problems that went away" in done.stdout and "Many small writes." in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.startswith("time writing"))
    assert row.split() == ["time", "writing", "3.00", "s", "1.50", "s", "0.50", "x"]
    for form, ending in (("--html", "html"), ("--no-latex", "pdf")):
        done = summary(form, "--compare", one, two)
        assert (done.returncode, done.stdout) == (0, f"darshan-compare.{ending}\n")
    assert summary("--compare", one).returncode == 2


def test_campaign(summary: Run, tmp_path: Path) -> None:
    """The report of a folder of logs begins with the log that lost most time; an invalid log is
    named and skipped."""
    folder = tmp_path / "logs" / "2026"
    folder.mkdir(parents=True)
    for number, (name, having, _) in enumerate(CASES[:12]):
        write(having, folder / f"{number}-{name}.darshan")
    (folder / "bad.darshan").write_bytes(b"no log")
    done = summary("--text", "--campaign", tmp_path / "logs")
    assert done.returncode == 1 and "bad.darshan" in done.stderr
    assert "12 jobs: " in done.stdout
    stakes = re.findall(r"%\s+([\d.,]+) s  \S", done.stdout.split("Jobs, the worst first")[1])
    numbers = [float(s.replace(",", "")) for s in stakes]
    assert len(numbers) > 5 and numbers == sorted(numbers, reverse=True)
    done = summary("--campaign", "-o", "c.pdf", next(folder.glob("0-*")))
    assert (done.returncode, done.stdout) == (0, "c.pdf\n")


def test_campaign_as_data(summary: Run, tmp_path: Path) -> None:
    """JSON and CSV have every job, the one that lost most time first, with user, job id and
    problems."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(61):
        write(CASES[number % 4][1], folder / f"jane_app_id{number}_1-1.darshan")
    done = summary("--json", "--campaign", "-o", "-", folder)
    assert (done.returncode, done.stderr) == (0, "")
    jobs = json.loads(done.stdout)["jobs"]
    assert len(jobs) == 61 and {job["user"] for job in jobs} == {"jane"}
    stakes = [job["stake_seconds"] for job in jobs]
    assert stakes == sorted(stakes, reverse=True) and stakes[0] > 0
    done = summary("--csv", "--campaign", "-o", "-", *(job["log"] for job in jobs[::9]))
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    some = jobs[::9]
    assert [row["log"] for row in rows] == [job["log"] for job in some]
    assert [row["problems"] for row in rows] == ["; ".join(job["problems"]) for job in some]
    assert int(rows[0]["job_id"]) == jobs[0]["job_id"]


@pytest.mark.parametrize("terminal", [True, False])
def test_progress(terminal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Progress is shown only on a terminal, and is erased at the end."""
    sys.stderr.isatty = lambda: terminal  # type: ignore[method-assign]
    progress = Progress("darshan", "logs")
    progress.at(1, 3)
    progress.at(3, 3)
    progress.clear()
    said = capsys.readouterr().err
    assert said == ("\rdarshan: 1 of 3 logs\rdarshan: 3 of 3 logs\r" + " " * 20 + "\r"
                    if terminal else "")  # fmt: skip


def test_bookmarks_and_links(summary: Run, tmp_path: Path) -> None:
    """A finding on page 1 links to its evidence, and every section has a bookmark."""
    needs("program:pdflatex", "program:pdftohtml")
    log = problem(tmp_path / "a.darshan", "small-accesses-read")
    assert summary("-o", "a.pdf", log).returncode == 0
    command = ["pdftohtml", "-xml", "-i", "-stdout", tmp_path / "a.pdf"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    items = re.findall(r'<item page="(\d+)">([^<]*)</item>', text)
    assert ("1", "What to change first") in items
    place = next(page for page, title in items if title == "Problem: Many small reads")
    link = re.search(r'<a href="[^"#]*#(\d+)">(?:<[bi]>)?1\. Many small reads', text)
    assert link and link[1] == place


def test_long_names_are_given_in_full(summary: Run, tmp_path: Path) -> None:
    """A long file name is shortened in the PDF's table and complete in its appendix."""
    name = "/scratch/" + "/".join(f"folder-{i}" for i in range(20)) + "/file"
    having = next(having for case, having, _ in CASES if case == "small-accesses-read")
    log = write(replace(having, rows=(replace(having.rows[0], name=name),)), tmp_path / "a")
    assert summary("-o", "a.pdf", log).returncode == 0
    command = ["pdftotext", "-layout", tmp_path / "a.pdf", "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    appendix = "".join(text.split("Names in full")[1].split("I/O report")[0].split())
    assert name in appendix
