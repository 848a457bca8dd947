"""A run of many processes leaves one log; if other logs or files remain, the line on standard error
names them. Most runs are made by made_run.py, without real processes."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab.environment import settings
from lab.log import Row

from .conftest import SECONDS, Run
from .screen import fits, layers

# Reads the rows of a log; see the fixture rows.
Rows = Callable[[Path], list[Row]]
# Makes a run; see the fixture made.
Made = Callable[..., "subprocess.CompletedProcess[bytes]"]
TESTS = Path(__file__).resolve().parent.parent
# A log's name as the runtime makes it.
NAME = re.compile(r"[^_/]+_[^/]+_id\d+-\d+_\d+-\d+-\d+-\d+_\d+\.darshan$")
HOUR = 3600


@pytest.fixture
def part(build: Path, environment: dict[str, str], tmp_path: Path) -> Path:
    """Returns the path of the log of a process that wrote 6 bytes, which stands for the log of any
    process of a run."""
    folder = tmp_path / "part"
    env = environment | settings(build, folder, DARSHAN_JOB_TREE="0")
    subprocess.run(["sh", "-c", f"echo 12345 > {tmp_path}/file"], env=env, check=True)
    (log,) = folder.iterdir()
    return log


@pytest.fixture
def job_log(build: Path, tmp_path: Path) -> Path:
    """Returns the path of a log of an MPI job with two ranks."""
    log = tmp_path / "job.darshan"
    play = build / "darshan-test" / "ranks" / "play"
    subprocess.run([play, "--ranks", "2", "--shared", "1", log], check=True, capture_output=True)
    return log


def command(*arguments: str | Path) -> list[str]:
    """Returns the command line that starts made_run.py with these arguments."""
    start = f"import sys; sys.path.insert(0, {str(TESTS)!r}); "
    start += "import runpy; runpy.run_module('front.made_run', run_name='__main__')"
    return [sys.executable, "-c", start, *map(str, arguments)]


@pytest.fixture
def made(darshan: Run) -> Made:
    """Returns a function that makes a run by made_run.py, under `darshan run` or another command
    (how) with `options`. variables: added to the environment."""

    def run(
        *arguments: str | Path,
        how: str = "run",
        options: tuple[str, ...] = (),
        variables: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        settings = {"DARSHAN_DISABLE": "1", **(variables or {})}
        return darshan(how, *options, *command(*arguments), variables=settings)

    return run


def logs_in(work: Path) -> list[Path]:
    """Returns the logs in the folder darshan-logs."""
    return sorted((work / "darshan-logs").iterdir())


def run_folders(tmp_path: Path) -> list[Path]:
    """Returns the run directories that are left in the folder for journals."""
    return list((tmp_path / "journals").glob("darshan-run*"))


def processes(log: Path, parser: Path) -> str:
    """Returns the number of processes in a log's header, as text."""
    done = subprocess.run([parser, log], capture_output=True, check=True)
    (count,) = re.findall(rb"^# nprocs: (\d+)", done.stdout, re.M)
    return count.decode()


def test_one_process_has_its_own_log(made: Made, part: Path, work: Path, tmp_path: Path) -> None:
    """The log of a run of one process is that process's own log, moved unchanged."""
    done = made("one", part)
    (log,) = logs_in(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert NAME.search(str(log))
    assert log.stat().st_mode == part.stat().st_mode
    assert hashlib.sha256(log.read_bytes()).hexdigest() == done.stdout.decode().strip()
    assert run_folders(tmp_path) == []


def test_two_processes_have_one(
    made: Made, part: Path, work: Path, tmp_path: Path, parser: Path
) -> None:
    """A run of two processes leaves one log that counts two processes, and no run directory."""
    done = made("two", part)
    (log,) = logs_in(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert processes(log, parser) == "2"
    assert run_folders(tmp_path) == []


def test_screen_of_a_tree(made: Made, part: Path) -> None:
    """The screen of a run with many programs names those with the most time, counts the others, and
    lists the program that was killed."""
    done = made("failing", part, how="stat")
    screen = done.stderr.decode()
    fits(screen)
    assert re.search(r"^run time .*, 64 processes, ", screen, re.M)
    assert re.search(r"^programs by time in I/O: sh x 61 .*, cc1 x 2 0 s, gzip 0 s$", screen, re.M)
    assert "\nended badly: gzip (SIGKILL)\n" in screen  # cc1's status made no other process fail
    assert layers(screen)["POSIX"][2] == "60"


def test_name_that_the_user_gives(made: Made, part: Path, work: Path) -> None:
    """The log has the name DARSHAN_LOGFILE; if it exists, ".2", ".3" and so on are added."""
    for name, what in (("mine", "one"), ("mine.2", "two"), ("mine.3", "one")):
        done = made(what, part, variables={"DARSHAN_LOGFILE": "mine"})
        assert done.stderr.decode() == f"darshan: log: {work / name}\n"
        assert (work / name).is_file()
    assert logs_in(work) == []


def test_onto_another_file_system(made: Made, part: Path, work: Path) -> None:
    """If the folders for journals and logs are on different file systems, the log is copied, with
    its mode."""
    done = made("one", part, variables={"DARSHAN_MMAP_LOGPATH": "/dev/shm"})
    (log,) = logs_in(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert log.stat().st_mode == part.stat().st_mode


def test_ranks_and_launchers_need_no_second_log(
    made: Made, part: Path, job_log: Path, work: Path, tmp_path: Path
) -> None:
    """If a run has only the ranks of an MPI job and their launcher, no log is made besides the
    job's own."""
    done = made("job", part, job_log)
    (log,) = logs_in(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert log.read_bytes() == job_log.read_bytes()
    assert run_folders(tmp_path) == []


def test_shells_around_ranks(made: Made, part: Path, job_log: Path, work: Path) -> None:
    """If a shell runs between launcher and ranks, there is a second log of the launcher and the
    shells, and the line names both."""
    done = made("wrapped", part, job_log)
    around, log = logs_in(work)
    assert log.read_bytes() == job_log.read_bytes()
    assert done.stderr.decode() == f"darshan: log: {log}; log of what is around it: {around}\n"


def test_script_with_a_job(
    made: Made, part: Path, job_log: Path, work: Path, tmp_path: Path
) -> None:
    """For a script that starts an MPI job, there is a log of the script and one of the job,
    whatever its name, and the line names both."""
    done = made("script", part, job_log)
    log, job = logs_in(work)
    assert done.stderr.decode() == f"darshan: log: {log}; log of an MPI job: {job}\n"
    job_log.rename(tmp_path / "other.darshan")
    done = made("script", part, tmp_path / "other.darshan")
    assert b"; log of an MPI job: " in done.stderr


@pytest.fixture
def each(build: Path, tmp_path: Path) -> list[Path]:
    """Returns the logs of three ranks of a job."""
    folder = tmp_path / "each"
    folder.mkdir()
    play = build / "darshan-test" / "ranks" / "play"
    command = [play, "--ranks", "3", "--shared", "2", "--each", folder, tmp_path / "all"]
    subprocess.run(command, check=True, capture_output=True)
    return sorted(folder.iterdir())


def test_job_that_was_killed(
    made: Made, each: list[Path], work: Path, tmp_path: Path, parser: Path
) -> None:
    """If all ranks of a job were killed, one log is made from their journals."""
    done = made("killed-job", each[0], *each)
    (log,) = logs_in(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert processes(log, parser) == "3"
    assert run_folders(tmp_path) == []


def test_who_outlives_the_run(made: Made, part: Path, work: Path, tmp_path: Path) -> None:
    """If a process of the run still runs at its end, the line says so, and in which folder its log
    will be."""
    done = made("outlived", part)
    os.kill(int(done.stdout), signal.SIGKILL)
    said = done.stderr.decode()
    assert re.search(r"; 1 process still running: logs of them will be in .*/run-\w+$", said)
    assert re.match(r"darshan: log: /.*\.darshan; ", said)


def test_no_log_can_be_made(made: Made, part: Path, work: Path, tmp_path: Path) -> None:
    """If the log cannot be written, the run directory remains, and a line names it and says that
    `darshan recover` makes the log later."""
    (tmp_path / "full").mkdir()
    named = {"DARSHAN_LOGFILE": str(tmp_path / "no" / "such" / "\n" / ("x" * 300))}
    done = made("two", part, variables=named)
    assert done.returncode == 0
    (folder,) = run_folders(tmp_path)
    last = done.stderr.decode().splitlines()[-1]
    later = "now; darshan recover makes it later"
    assert last == f"darshan: cannot make the log of the run in {folder} {later}"


@pytest.fixture
def waiting(
    build: Path, part: Path, work: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts `darshan run` with a program that runs until its standard input ends."""
    with subprocess.Popen(
        [build / "darshan", "run", *command("wait", part)],
        cwd=work,
        env={**environment, "DARSHAN_DISABLE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as front:
        yield front


@pytest.fixture
def orphan(made: Made, part: Path, tmp_path: Path) -> Path:
    """Returns the run directory of a run without a log, whose launcher ended two hours ago and
    which no later run has recovered."""
    nowhere = {"DARSHAN_LOGFILE": str(tmp_path / "no" / "such" / ("x" * 300))}
    made("two", part, variables=nowhere)
    (folder,) = run_folders(tmp_path)
    for path in (folder, *folder.iterdir()):
        os.utime(path, times=(time.time() - 2 * HOUR,) * 2, follow_symlinks=False)
    for stamp in folder.parent.glob("darshan-recovered.*"):
        os.utime(stamp, times=(time.time() - 25 * HOUR,) * 2)
    return folder


def test_run_that_has_its_log(darshan: Run, orphan: Path, tmp_path: Path) -> None:
    """If a run has its log already, a process that ended later gets its own log from `darshan
    recover`, and the run directory is removed."""
    (orphan / "closed").write_text("")
    done = darshan("recover", "-o", "logs")
    assert done.stdout.startswith(b"logs/")
    assert run_folders(tmp_path) == []


def test_front_that_is_killed(
    darshan: Run, waiting: subprocess.Popen[bytes], work: Path, tmp_path: Path, parser: Path
) -> None:
    """`darshan recover` leaves a run alone as long as `darshan run` or the program lives, and then
    makes its log."""
    with waiting as front:
        assert front.stdin is not None
        assert front.stdout is not None
        assert front.stdout.readline() == b"ready\n"
        (folder,) = run_folders(tmp_path)
        expected = f"{folder}: skipped, because its process still runs\n"
        assert darshan("recover", "-n", "-o", "logs").stdout.decode() == expected
        front.kill()
        front.wait(SECONDS)
        assert darshan("recover", "-n", "-o", "logs").stdout.decode() == expected
        front.stdin.close()
        front.stdout.read()  # the program has ended
    done = darshan("recover", "-o", "logs")
    (log,) = (work / "logs").iterdir()
    assert done.stdout.decode() == f"logs/{log.name}: made of a run of 2 processes\n"
    assert processes(log, parser) == "2"
    assert run_folders(tmp_path) == []


def test_a_log_per_process_if_wanted(darshan: Run, work: Path, tmp_path: Path) -> None:
    """With DARSHAN_JOB_TREE=0, each process leaves its own log, and there is no run directory."""
    script = "echo $DARSHAN_ENABLE_NONMPI; cat /dev/null > a; cat a > b"
    done = darshan("run", "sh", "-c", script, variables={"DARSHAN_JOB_TREE": "0"})
    assert done.stdout == b"1\n"
    assert len(logs_in(work)) > 1
    assert f"darshan: {len(logs_in(work))} logs, the first: " in done.stderr.decode()
    assert run_folders(tmp_path) == []


def test_the_next_run_recovers(made: Made, orphan: Path, part: Path, work: Path) -> None:
    """The next `darshan run` makes the log of an earlier run whose launcher was killed, in that
    run's folder, and prints one more line."""
    settings = {"DARSHAN_LOGPATH": str(work / "mine")}
    done = made("one", part, variables=settings)
    assert done.stderr.decode().splitlines()[1:] == [
        f"darshan: wrote 1 log of processes that were killed earlier to {work}/darshan-logs"
    ]
    assert not orphan.exists()
    assert [len(list((work / name).iterdir())) for name in ("mine", "darshan-logs")] == [1, 1]


@pytest.mark.parametrize("why", ["rank", "today", "young"])
def test_the_next_run_does_not_recover(
    made: Made, orphan: Path, part: Path, work: Path, why: str
) -> None:
    """The next `darshan run` does not make the log of an earlier run if it is started for an MPI
    rank, if logs were recovered within a day, or if the run directory is young."""
    settings = {"DARSHAN_LOGPATH": str(work / "mine")}
    if why == "rank":
        settings["OMPI_COMM_WORLD_RANK"] = "0"
    if why == "today":
        for stamp in orphan.parent.glob("darshan-recovered.*"):
            os.utime(stamp)
    if why == "young":
        os.utime(orphan)
    assert made("one", part, variables=settings).stderr.count(b"\n") == 1
    assert orphan.exists()
