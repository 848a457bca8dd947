"""The merger and a run directory whose processes outlive it, are killed, or write their part
late."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.binding import metadata, names, of_file, processes, rows
from lab.environment import settings
from sample import turning

from .conftest import Merge, Program
from .events import SECOND, Kind, Run, here, start_of

WRITES = """
import os, signal, sys, time
with open(sys.argv[1], "wb", buffering=0) as f:
    for i in range(5):
        f.write(b"x" * 100)
    if sys.argv[2] == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    print("written", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Returns an empty run directory."""
    return Run(tmp_path / "darshan-run.0.x")


@pytest.fixture
def environment(build: Path, run: Run) -> dict[str, str]:
    """Returns the environment of a process whose journal is in the run directory."""
    return os.environ | settings(build, run.folder.parent, run.folder, DARSHAN_JOB_TREE="0")


@pytest.fixture
def living(environment: dict[str, str], run: Run, tmp_path: Path) -> Iterator[int]:
    """Yields the pid of a living process of the run that has written 500 bytes; the event file has
    its start."""
    command = [sys.executable, "-c", WRITES, str(tmp_path / "data"), "lives"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        (journal,) = wait_for_journal(run)
        run.base = start_of(journal)
        run.row(Kind.START, process.pid, 0, parent=os.getpid(), program="python3")
        yield process.pid
        process.kill()


def wait_for_journal(run: Run) -> list[Path]:
    """Waits until a journal of the run has more than 6,000 bytes, because it is created in parallel
    with the program's first calls. Returns the journals; raises TimeoutError after ten seconds."""
    for _ in range(1000):
        found = list(run.folder.glob("*_mmap-log-*"))
        if found and found[0].stat().st_size > 6000:
            return found
        time.sleep(0.01)
    raise TimeoutError(run.folder)


@pytest.fixture
def small(program: Program, tmp_path: Path) -> Path:
    """Returns the log of a program that reads a file of 100 bytes."""
    (tmp_path / "small").write_bytes(b"x" * 100)
    return program("cat", tmp_path / "small")


def test_the_records_of_the_killed_count(
    merge: Merge, environment: dict[str, str], run: Run, tmp_path: Path
) -> None:
    """The journal of a killed process is part of the run's log."""
    command = [sys.executable, "-c", WRITES, str(tmp_path / "data"), "dies"]
    process = subprocess.Popen(command, env=environment)
    assert process.wait() == -signal.SIGKILL
    (journal,) = run.folder.glob("*_mmap-log-*")
    run.base = start_of(journal)
    run.row(Kind.START, process.pid, 0, program="python3")
    run.row(Kind.REAPED, process.pid, 9 * SECOND, status=signal.SIGKILL)
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log)
    assert (done.returncode, done.stderr) == (0, "")
    (data,) = of_file(log, tmp_path / "data")
    assert data["POSIX_BYTES_WRITTEN"] == 500
    (row,) = rows(log, "PROCESS")
    assert (row["PROCESS_ENDED"], row["PROCESS_STATUS"]) == (2, signal.SIGKILL)
    assert row["PROCESS_BYTES_WRITTEN"] >= 500
    assert names(log)[int(row["id"])].startswith(f"{here()}: {sys.executable} -c ")
    assert metadata(log)["end"].startswith("not seen")
    with open_log(log) as opened:
        assert opened.info.run_time == 9
    assert not run.folder.exists()


def test_who_lives_is_left_alone(
    merge: Merge, run: Run, living: int, small: Path, tmp_path: Path
) -> None:
    """The journal of a living process remains, and the log says that it still runs."""
    run.process(50, (0, 100), "cat")
    run.part(small, 50, 0)
    (journal,) = wait_for_journal(run)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    assert journal.exists() and (run.folder / "closed").exists()
    assert not list(run.folder.glob("part.*"))
    assert sorted(p.name for p in run.folder.iterdir()) == sorted(
        ["closed", "events", journal.name]
    )
    (row,) = [r for r in rows(log, "PROCESS") if r["PROCESS_PID"] == living]
    assert (row["PROCESS_ENDED"], row["PROCESS_BYTES_WRITTEN"]) == (3, 0)
    assert metadata(log)["still_running"] == "1"
    assert merge("--run", run.folder, "-o", tmp_path / "two.darshan").returncode == 3
    assert journal.exists() and not (tmp_path / "two.darshan").exists()

    os.kill(living, signal.SIGKILL)
    for _ in range(1000):
        if Path(f"/proc/{living}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.01)
    done = merge("--run", run.folder, "-o", log, "--print")
    assert (done.returncode, done.stderr) == (0, "")
    own = Path(done.stdout.strip())
    assert own.parent == tmp_path and own.name.endswith("_1.darshan")
    (data,) = of_file(own, tmp_path / "data")
    assert (data["rank"], data["POSIX_BYTES_WRITTEN"]) == (0, 500)
    assert "outlived" in metadata(own)
    assert not run.folder.exists()


def test_another_namespace_counts_as_alive_for_a_week(
    merge: Merge, run: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    """A journal from another PID namespace counts as that of a living process for a week, and then
    gets a log."""
    command = [sys.executable, "-c", WRITES, str(tmp_path / "data"), "dies"]
    process = subprocess.Popen(command, env=environment)
    process.wait()
    (journal,) = run.folder.glob("*_mmap-log-*")
    run.base = start_of(journal)
    run.row(Kind.START, process.pid, 0, program="python3", namespace=run.namespace + 1)
    run.row(Kind.START, 50, 0, program="sh")
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    assert journal.exists()
    week = time.time() - 8 * 24 * 3600
    os.utime(journal, (week, week))
    assert merge("--run", run.folder, "--logs", tmp_path / "later").returncode == 0
    (later,) = (tmp_path / "later").iterdir()
    assert of_file(later, tmp_path / "data")
    assert not run.folder.exists()


def test_who_came_late_gets_a_log_of_its_own(
    merge: Merge, run: Run, small: Path, tmp_path: Path
) -> None:
    """Parts that arrive after the run's log was made get a log of their own."""
    run.process(50, (0, SECOND), "sh")
    run.process(51, (1, 2 * SECOND), "cat", parent=50)
    run.part(small, 51, 1)
    (run.folder / "closed").touch()
    done = merge("--run", run.folder, "--logs", tmp_path / "logs", "--print")
    assert (done.returncode, done.stderr) == (0, "")
    (log,) = (tmp_path / "logs").iterdir()
    assert done.stdout == f"{log}\n"
    assert log.name.split("_")[1] == "cat"
    (row,) = rows(log, "PROCESS")
    assert (row["PROCESS_PID"], row["PROCESS_PARENT_RANK"]) == (51, -1)
    assert of_file(log, tmp_path / "small")[0]["rank"] == 0
    assert not run.folder.exists()


def test_of_many_mergers_one_makes_the_log(
    merge: Merge, run: Run, small: Path, tmp_path: Path
) -> None:
    """If several mergers run at the same time, exactly one makes the log."""
    for pid in range(50, 90):
        run.process(pid, (pid, SECOND), "cat")
        run.part(small, pid, pid)
    with ThreadPoolExecutor(8) as pool:
        jobs = [
            pool.submit(merge, "--run", run.folder, "--logs", tmp_path / "logs") for _ in range(8)
        ]
        ends = sorted(job.result().returncode for job in jobs)
    assert ends == [0] + 7 * [3]
    (log,) = (tmp_path / "logs").iterdir()
    assert len(rows(log, "PROCESS")) == 40


def test_names(merge: Merge, run: Run, small: Path, tmp_path: Path) -> None:
    """The merger names the log as the runtime would, or as the user says, and never replaces an
    existing file."""
    run.process(50, (0, SECOND), "cat")
    run.part(small, 50, 0)
    given = tmp_path / "given.darshan"
    given.write_text("precious")
    assert merge("--run", run.folder, "-o", given, "--quiet").returncode == 1
    assert given.read_text() == "precious" and list(run.folder.glob("part.*"))
    done = merge("--run", run.folder, "-o", given, "--numbered", "--keep", "--print")
    assert (done.returncode, done.stdout) == (0, f"{given}.2\n")
    done = merge("--run", run.folder, "--logs", tmp_path / "a" / "b", "--print", "--keep")
    made = Path(done.stdout.strip())
    user = os.environ.get("LOGNAME", str(os.geteuid()))
    assert made.parent == tmp_path / "a" / "b"
    assert made.name.startswith(f"{user}_cat_id50-50_") and made.name.endswith("_1.darshan")
    done = merge("--run", run.folder, "--logs", tmp_path / "c", "--dated", "--print")
    dated = Path(done.stdout.strip())
    start = time.localtime(run.base // SECOND)
    assert dated.parent == tmp_path / "c" / f"{start.tm_year}/{start.tm_mon}/{start.tm_mday}"


def test_nothing_is_no_log(merge: Merge, run: Run, tmp_path: Path) -> None:
    """A run directory that is empty or missing leaves no log, and wrong arguments are errors."""
    log = tmp_path / "one.darshan"
    for folder in (run.folder, tmp_path / "not-there"):
        done = merge("--run", folder, "-o", log)
        assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert not log.exists()
    for wrong in ((), ("-o", log, "--logs", tmp_path), ("-o", log, "more")):
        assert merge("--run", run.folder, *wrong).returncode == 2
    done = merge("--run", __file__, "-o", log)
    assert done.returncode == 1 and done.stderr.count("\n") == 1


def test_the_command_is_said_where_the_top_has_no_part(
    merge: Merge, run: Run, small: Path, tmp_path: Path
) -> None:
    """If the first process left no part, the log has the command that the merger was given."""
    run.process(50, (0, SECOND), "sh")
    run.process(51, (1, 2), "cat", parent=50)
    run.part(small, 51, 1)
    log = tmp_path / "one.darshan"
    command = "sh -c 'cat small'"
    assert merge("--run", run.folder, "-o", log, "--keep", "--command", command).returncode == 0
    with open_log(log) as opened:
        assert (opened.info.exe, opened.info.jobid) == (command, 50)
        assert opened.info.mounts
    assert command in processes(log)
    other = tmp_path / "two.darshan"
    assert merge("--run", run.folder, "-o", other).returncode == 0
    with open_log(other) as opened:
        assert opened.info.exe == "sh"


# Approximate number of system calls of a merger of the run `three`.
CALLS = 330


@pytest.fixture
def three(run: Run, small: Path) -> Run:
    """Makes the run directory of a shell and three children, each with a part in which it read 100
    bytes."""
    run.process(50, (0, SECOND), "sh")
    for pid in (51, 52, 53):
        run.process(pid, (pid, 2 * pid), "cat", parent=50)
        run.part(small, pid, pid)
    return run


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("number", turning(range(30, CALLS), 0.06, "killed merger"))
@pytest.mark.parametrize("how", ["signal=KILL", "error=ENOSPC"])
def test_a_merger_that_fails_at_any_call(
    merge: Merge, three: Run, tmp_path: Path, number: int, how: str
) -> None:
    """If the merger is killed or gets the error ENOSPC at any system call, the next merger writes
    the log. There are never two logs, and no other file is left."""
    logs = tmp_path / "logs"
    logs.mkdir()
    arguments = ("--run", three.folder, "--logs", logs, "--quiet")
    inject = f"inject=all:{how}:when={number}"
    merge(*arguments, under=("strace", "-o", "/dev/null", "-e", inject))
    assert merge(*arguments).returncode in (0, 3)
    (log,) = logs.iterdir()
    assert log.name.endswith("_1.darshan")
    assert len(rows(log, "PROCESS")) == 4 and not three.folder.exists()
    if how == "signal=KILL":
        assert of_file(log, tmp_path / "small")[0]["POSIX_OPENS"] == 3
