"""Runs of several processes under the front: one log, exact, whatever becomes of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from .conftest import SECONDS, Run
from .screen import fits, layers

Rows = Callable[[Path], list[list[str]]]
COPY = "dd status=none bs=4096"
SCRIPT = f"{COPY} if=/bin/sh of=a; gzip -k a; cat a | {COPY} of=b; (exec {COPY} if=a.gz of=c)"


def only_log(work: Path) -> Path:
    (log,) = (work / "darshan-logs").iterdir()
    return log


def run_folders(work: Path) -> list[Path]:
    return list((work.parent / "journals").glob("darshan-run*"))


def column(rows: list[list[str]], counter: str) -> dict[str, int]:
    """Of each file, added over ranks where it was not reduced."""
    found: dict[str, int] = {}
    for row in rows:
        if row[3] == counter:
            found[row[5]] = found.get(row[5], 0) + int(row[4])
    return found


def test_script(darshan: Run, work: Path, rows: Rows) -> None:
    done = darshan("run", "sh", "-c", SCRIPT)
    log = only_log(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    assert done.returncode == 0
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    for name in ("a", "a.gz", "b", "c"):
        assert written[str(work / name)] == (work / name).stat().st_size
    assert run_folders(work) == []


def test_screen(darshan: Run, work: Path) -> None:
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
    done = darshan("run", "sh", "-c", f"{COPY} if=/bin/sh of=a; echo here > b; kill -9 $$")
    assert done.returncode == -signal.SIGKILL
    log = only_log(work)
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    assert (written[str(work / "a")], written[str(work / "b")]) == (os.stat("/bin/sh").st_size, 5)
    assert run_folders(work) == []


def test_one_process_is_no_tree(darshan: Run, work: Path, rows: Rows) -> None:
    darshan("run", "dd", "if=/bin/sh", "of=copy", "status=none")
    assert {row[0] for row in rows(only_log(work))} & {"PROCESS", "SHARED"} == set()


def test_everybody_is_killed(
    darshan: Run, build: Path, work: Path, environment: dict[str, str], rows: Rows
) -> None:
    """The front too: recover makes the log, as the front would have."""
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
        assert f"{folder}: left alone" in darshan("recover", "-n").stdout.decode()
        os.killpg(front.pid, signal.SIGKILL)
        front.wait(SECONDS)
    while darshan("recover", "-n").stdout.startswith(str(folder).encode()):
        time.sleep(0.05)  # until the last of them is gone
    done = darshan("recover", "-o", "logs")
    (log,) = (work / "logs").iterdir()
    said = rf"logs/{log.name}: made of a run of [23] processes\n"
    assert re.fullmatch(said, done.stdout.decode())  # sleep may not have begun
    written = column(rows(log), "POSIX_BYTES_WRITTEN")
    assert (written[str(work / "a")], written[str(work / "b")]) == (5, 4)
    assert run_folders(work) == []


def test_run_without_its_folder(darshan: Run, work: Path, rows: Rows) -> None:
    """Somebody cleans up /tmp meanwhile; what ends normally is not lost."""
    script = f"echo 1234 > a; rm -r $DARSHAN_MMAP_LOGPATH; {COPY} if=a of=b; echo 1 > c"
    darshan("run", "sh", "-c", script)
    written: dict[str, int] = {}
    for log in (work / "darshan-logs").rglob("*.darshan"):
        for name, count in column(rows(log), "POSIX_BYTES_WRITTEN").items():
            written[name] = written.get(name, 0) + count
    assert [written[str(work / name)] for name in "abc"] == [5, 5, 2]
