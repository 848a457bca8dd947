"""The file's ending selects the form of a report, and closed pipes, Ctrl-C and folders without logs
leave no files."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from logs.content import standard_log
from logs.encode import encode

from .conftest import SECONDS, Run

BEGINNINGS = {"pdf": b"%PDF-", "html": b"<!DOCTYPE html>",
              "json": b"{", "csv": b"log,path,value", "txt": b"app "}  # fmt: skip


@pytest.fixture
def summary(command: Run) -> Run:
    """Replaces the fixture of conftest.py: runs the command itself in a new Python."""
    return command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Writes a log with several modules; returns its path."""
    path = tmp_path / "job.darshan"
    made = standard_log({"POSIX": 4, "STDIO": 2})
    made.exe = b"/bin/app -x"
    path.write_bytes(encode(made))
    return path


@pytest.mark.parametrize("ending", [*BEGINNINGS, "HTML"])
def test_the_form_follows_the_ending(ending: str, summary: Run, log: Path, tmp_path: Path) -> None:
    """The ending of the output file selects the form."""
    done = summary(log, "-o", f"a.b.{ending}")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"a.b.{ending}\n")
    assert (tmp_path / f"a.b.{ending}").read_bytes().startswith(BEGINNINGS[ending.lower()])


def test_an_option_is_stronger_than_an_ending(summary: Run, log: Path, tmp_path: Path) -> None:
    """An option for the form takes precedence over the ending, and PDF is the form without both."""
    for option, name, form in (("--json", "a.html", "json"), ("--pdf", "c.docx", "pdf")):
        assert summary(option, log, "-o", name).returncode == 0
        assert (tmp_path / name).read_bytes().startswith(BEGINNINGS[form]), name
    assert summary(log, "-o", "without").returncode == 0
    assert (tmp_path / "without").read_bytes().startswith(b"%PDF-")
    json.loads((tmp_path / "a.html").read_text())


def test_an_ending_that_is_none_is_told(summary: Run, log: Path, tmp_path: Path) -> None:
    """An unknown ending is a usage error that lists the known ones, and no file is written."""
    done = summary(log, "-o", "a\x1b.docx")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = [line for line in done.stderr.splitlines() if "error" in line]
    assert "a\\x1b.docx" in line and ".docx" in line and ".html" in line
    assert [p.name for p in tmp_path.iterdir()] == ["job.darshan"]


def test_a_campaign_of_two_logs_by_ending(summary: Run, log: Path, tmp_path: Path) -> None:
    """The ending of the output file also selects the form of a comparison of two logs."""
    assert summary("--compare", log, log, "-o", "c.html").returncode == 0
    assert (tmp_path / "c.html").read_bytes().startswith(b"<!DOCTYPE html>")


def test_a_campaign_without_logs(summary: Run, log: Path, tmp_path: Path) -> None:
    """A folder without logs causes an error of one line, even if another given folder has logs."""
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("no log")
    done = summary("--campaign", empty)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"darshan-job-summary: {empty} contains no log (a file whose name ends " \
        "in .darshan)\n"  # fmt: skip
    (empty / "bad.darshan").write_text("no log")
    done = summary("--campaign", empty, "-o", "c.pdf")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert not (tmp_path / "c.pdf").exists()
    done = summary("--text", "--campaign", empty, log)
    assert done.returncode == 1 and "1 job" in done.stdout


COMMANDS = {
    "report": ["darshan-job-summary", "--text", "LOG"],
    "json": ["darshan-job-summary", "--json", "-o", "-", "LOG"],
    "pdf": ["darshan-job-summary", "-o", "-", "LOG"],
    "thresholds": ["darshan-job-summary", "--list-thresholds"],
    "help": ["darshan-job-summary", "--help"],
    "transfers": ["darshan-dxt-analyzer", "LOG"],
    "per-file": ["darshan-summary-per-file", "LOG", "folder"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_reader_who_goes_away(name: str, build: Path, tmp_path: Path) -> None:
    """If the reader closes the pipe, the command ends by SIGPIPE, prints nothing and leaves no
    files."""
    path = tmp_path / "job.darshan"
    path.write_bytes(encode(standard_log({"POSIX": 4, "DXT_POSIX": 1})))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program, *rest = [str(path) if word == "LOG" else word for word in COMMANDS[name]]
    receiver, sender = os.pipe()
    os.close(receiver)
    done = subprocess.run(
        [build / program, *rest],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL,
        stdout=sender,
        stderr=subprocess.PIPE,
        timeout=SECONDS,
        check=False,
    )
    os.close(sender)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
    assert not list(scratch.iterdir())


def full_pipe() -> tuple[int, int]:
    """Returns both ends of a full pipe, so that a process that writes to it waits."""
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(sender, bytes(1))
    os.set_blocking(sender, True)
    return receiver, sender


def writes_to_pipe(leader: int) -> bool:
    """Returns whether a process of this process group waits in a write to a pipe."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == leader and "pipe_w" in (entry / "wchan").read_text():
                return True
    return False


@pytest.mark.parametrize("name", ["campaign", "transfers", "per-file"])
def test_ctrl_c(name: str, build: Path, tmp_path: Path) -> None:
    """Ctrl-C ends the command by the signal, without output and without files in TMPDIR."""
    scratch, path = tmp_path / "scratch", tmp_path / "job.darshan"
    scratch.mkdir()
    path.write_bytes(encode(standard_log({"POSIX": 4, "DXT_POSIX": 1})))
    command = {
        "campaign": ["darshan-job-summary", "--text", "--campaign", str(path)],
        "transfers": ["darshan-dxt-analyzer", str(path)],
        "per-file": ["darshan-summary-per-file", str(path), "folder", "--no-latex"],
    }[name]
    receiver, sender = full_pipe()
    with subprocess.Popen(
        [build / command[0], *command[1:]],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL,
        stdout=sender,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        os.close(sender)
        until = time.monotonic() + SECONDS
        while not writes_to_pipe(process.pid) and time.monotonic() < until:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=SECONDS)[1]
    os.close(receiver)
    assert (process.returncode, said) == (-signal.SIGINT, b"")
    assert not list(scratch.iterdir())
