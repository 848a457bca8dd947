"""A run of several processes under `darshan run` leaves one exact log, whichever processes are
killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import lab.environment as lab
import pytest
from lab.log import Row

from .conftest import SECONDS, Run
from .screen import fits, layers

Rows = Callable[[Path], list[Row]]
COPY = "dd status=none bs=4096"
# Copies and compresses files in several processes.
SCRIPT = f"{COPY} if=/bin/sh of=a; gzip -k a; cat a | {COPY} of=b; (exec {COPY} if=a.gz of=c)"


def only_log(work: Path) -> Path:
    """Returns the path of the only log in the folder darshan-logs."""
    (log,) = (work / "darshan-logs").iterdir()
    return log


def run_folders(work: Path) -> list[Path]:
    """Returns the run directories that are left in the folder for journals."""
    return list((work.parent / "journals").glob("darshan-run*"))


def column(rows: list[Row], counter: str) -> dict[str, int]:
    """Returns the values of a counter by file, summed over the rows of each file."""
    found: dict[str, int] = {}
    for row in rows:
        if row.counter == counter:
            found[row.name] = found.get(row.name, 0) + int(row.text)
    return found


def test_script(darshan: Run, work: Path, rows: Rows) -> None:
    """For a shell script, the log has the size of each file as the bytes written to it, by
    whichever process."""
    done = darshan("run", "sh", "-c", SCRIPT)
    log = only_log(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert done.returncode == 0
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    for name in ("a", "a.gz", "b", "c"):
        assert written[str(work / name)] == (work / name).stat().st_size
    assert run_folders(work) == []


def test_screen(darshan: Run, work: Path) -> None:
    """The screen of a run counts its processes, lists those that failed, and passes on the exit
    status."""
    copies = f"for i in 1 2 3; do {COPY} if=/bin/sh of=f$i; done"
    script = f"{copies}; sh -c 'kill -9 $$'; ls nothing; exit 4"
    done = darshan("stat", "sh", "-c", script)
    screen = done.stderr.decode()
    fits(screen)
    assert done.returncode == 4
    assert re.search(r"^run time .*, 6 processes, ", screen, re.M)
    programs = re.search(r"^programs by time in I/O: (.*(\n  .*)?)$", screen, re.M)
    assert programs
    assert "dd x 3 " in programs[1]
    assert re.search(r"^ended badly: .*ls \(status 2\)", screen, re.M)
    assert re.search(r"^ended badly: .*sh \(SIGKILL\)", screen, re.M)
    assert layers(screen)["POSIX"][2] == str(3 * -(-Path("/bin/sh").stat().st_size // 4096))


def test_the_program_is_killed(darshan: Run, work: Path, rows: Rows) -> None:
    """If the program kills itself, `darshan run` ends by the same signal, and the log has the files
    that it and its children wrote."""
    done = darshan("run", "sh", "-c", f"{COPY} if=/bin/sh of=a; echo here > b; kill -9 $$")
    assert done.returncode == -signal.SIGKILL
    log = only_log(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    assert (written[str(work / "a")], written[str(work / "b")]) == (os.stat("/bin/sh").st_size, 5)
    assert run_folders(work) == []


def test_one_process_is_no_tree(darshan: Run, work: Path, rows: Rows) -> None:
    """The log of a run of one process has no records of a run's processes."""
    darshan("run", "dd", "if=/bin/sh", "of=copy", "status=none")
    assert {row.module for row in rows(only_log(work))} & {"PROCESS", "SHARED"} == set()


def test_everybody_is_killed(
    darshan: Run, build: Path, work: Path, environment: dict[str, str], rows: Rows
) -> None:
    """If `darshan run` and all its processes were killed, `darshan recover` makes the same log.
    While they live, it leaves their run directory alone."""
    script = "echo 1234 > a; (echo 123 > b; echo ready; sleep 60) & wait"
    with subprocess.Popen(
        [build / "darshan", "run", "sh", "-c", script],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as front:
        assert front.stdout is not None
        assert front.stdout.readline() == b"ready\n"
        (folder,) = run_folders(work)
        assert f"{folder}: skipped" in darshan("recover", "-n").stdout.decode()
        os.killpg(front.pid, signal.SIGKILL)
        front.wait(SECONDS)
    while darshan("recover", "-n").stdout.startswith(str(folder).encode()):
        time.sleep(0.05)  # until the last process has ended
    done = darshan("recover", "-o", "logs")
    (log,) = (work / "logs").iterdir()
    said = rf"logs/{log.name}: made of a run of [23] processes\n"
    assert re.fullmatch(said, done.stdout.decode())  # sleep may not have started
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    assert (written[str(work / "a")], written[str(work / "b")]) == (5, 4)
    assert run_folders(work) == []


def test_run_without_its_folder(darshan: Run, work: Path, rows: Rows) -> None:
    """If the folder for journals is removed during the run, the logs still have the records of all
    processes that end normally."""
    script = f"echo 1234 > a; rm -r $DARSHAN_MMAP_LOGPATH; {COPY} if=a of=b; echo 1 > c"
    darshan("run", "sh", "-c", script)
    written: dict[str, int] = {}
    for log in (work / "darshan-logs").rglob("*.darshan"):
        for name, count in column(rows(log), "POSIX_BYTES_WRITTEN").items():
            written[name] = written.get(name, 0) + count
    assert [written[str(work / name)] for name in "abc"] == [5, 5, 2]


@pytest.fixture
def alone(
    build: Path, work: Path, environment: dict[str, str]
) -> Callable[..., subprocess.Popen[bytes]]:
    """Returns a function that starts a shell as the first process of a run, recorded by environment
    variables alone, without `darshan run`. before: words in front of the shell."""

    def run(script: str, *before: str, **settings: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*before, "sh", "-c", script],
            cwd=work,
            env=environment | lab.settings(build, work / "logs") | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    return run


def test_without_the_front(
    alone: Callable[..., subprocess.Popen[bytes]], darshan: Run, work: Path, rows: Rows
) -> None:
    """Without `darshan run`, `darshan recover` makes the log of a run whose processes were killed,
    and leaves alone a run whose processes live, which makes its own log at its end."""
    script = "echo 1234 > {0}a; (echo 123 > {0}b; echo ready; read x) & read x; wait"
    started = [alone(script.format(name)) for name in ("killed-", "living-")]
    killed, living = started
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    assert len(run_folders(work)) == 2
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=SECONDS)
    while darshan("recover", "-n").stdout.count(b": skipped, because its process still runs") > 1:
        time.sleep(0.05)
    assert darshan("recover", "-o", "recovered").returncode == 0
    (log,) = (work / "recovered").iterdir()
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    assert written == {str(work / "killed-a"): 5, str(work / "killed-b"): 4} | {
        name: count for name, count in written.items() if name.startswith("<")
    }
    living.communicate(b"\n\n", timeout=SECONDS)
    while run_folders(work):
        time.sleep(0.05)  # the last process merges, possibly after its own exit
    (log,) = (work / "logs").iterdir()
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    assert (written[str(work / "living-a")], written[str(work / "living-b")]) == (5, 4)


def test_recovered_twice_at_once(
    alone: Callable[..., subprocess.Popen[bytes]],
    build: Path,
    work: Path,
    environment: dict[str, str],
) -> None:
    """If two `darshan recover` run at the same time, exactly one log is made of each run, and
    neither reports an error."""
    started = [alone("echo 1 > a; (echo 1 > b; kill -9 0)") for _ in range(8)]
    for process in started:
        process.communicate(timeout=SECONDS)
    assert len(run_folders(work)) == 8
    time.sleep(0.5)
    command = [build / "darshan", "recover", "-o", "logs"]
    both = [
        subprocess.Popen(
            command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=SECONDS) for process in both]
    assert [(process.returncode, err) for process, (_, err) in zip(both, said)] == [(0, b"")] * 2
    assert len(list((work / "logs").iterdir())) == 8
    assert sum(out.count(b"made of a run") for out, _ in said) == 8
    assert run_folders(work) == []


@pytest.mark.needs("runs:unshare -p -f --mount-proc")
def test_run_of_another_namespace(
    alone: Callable[..., subprocess.Popen[bytes]], darshan: Run, work: Path
) -> None:
    """Files of processes in another PID namespace are left alone for a week, because it is unknown
    whether they live. The process that created the namespace is outside of it, so its journal is
    recovered."""
    script = "echo 1 > a; (echo 1 > b; echo ready; read x) & read x; wait"
    strange = alone(script, "unshare", "-p", "-f", "--mount-proc")
    assert strange.stdout is not None
    assert strange.stdout.readline() == b"ready\n"
    os.killpg(strange.pid, signal.SIGKILL)
    strange.communicate(timeout=SECONDS)
    (folder,) = run_folders(work)
    said = darshan("recover", "-o", "logs").stdout
    assert re.fullmatch(rb"logs/0_unshare_\S+: made of 1 journal\n", said)
    assert b": skipped, because its process " in darshan("recover", "-n").stdout
    assert (folder / "events").exists()
