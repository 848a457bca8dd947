"""A stand-in for a program that `darshan run` starts: writes the rows of events and the logs of
processes that a tree of real processes would leave in the run directory.

python3 -m front.made_run WHAT LOG [ARGUMENT...] in the folder above this one

WHAT: kind of the tree, see main. LOG: the log of one process, copied for each process of the tree.
ARGUMENT: logs of MPI jobs or of their ranks."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from runs.events import SECOND, Kind, Run

# A pid that no process has.
NOBODY = 1 << 23


class Mine(Run):
    """The run in which this program was started, by the run directory in its environment. It seems
    to have begun 9 s ago."""

    def __init__(self) -> None:
        super().__init__(Path(os.environ["DARSHAN_ENABLE_NONMPI"]), time.time_ns() - 9 * SECOND)

    def __post_init__(self) -> None:
        """Checks the mode of the run directory that the launcher created."""
        assert self.folder.stat().st_mode & 0o777 == 0o700


def child(run: Mine, log: Path, pid: int, parent: int, program: str = "cat") -> None:
    """Adds a process that lived from second 1 to 2 of the run, and its log."""
    run.process(pid, (SECOND, 2 * SECOND), program, parent)
    run.part(log, pid, SECOND)


def job(
    run: Mine, log: Path, launcher: int, ranks: int = 2, *, wrapper: str = "", ends: bool = True
) -> None:
    """Writes the rows of ranks that an MPI launcher starts. wrapper: name of a shell between the
    launcher and each rank; "" for none. ends: whether the ranks have ended."""
    for rank in range(ranks):
        pid = NOBODY + launcher + rank
        parent = launcher
        if wrapper:
            child(run, log, pid + 100, launcher, wrapper)
            parent = pid + 100
        run.row(Kind.START, pid, SECOND, parent=parent, program="app")
        run.row(Kind.JOB, pid, SECOND, parent=parent, status=ranks, job=launcher)
        if ends:
            run.row(Kind.END, pid, SECOND, parent=parent)


def killed_job(run: Mine, launcher: int, each: tuple[str, ...]) -> None:
    """Adds a job whose ranks were killed. each: logs of the ranks, to be used as their journals."""
    job(run, Path(), launcher, len(each), ends=False)
    for rank, log in enumerate(each):
        shutil.copy(log, run.folder / f"u_app_id7_mmap-log-99-{rank}.darshan")


def own_logs(logs: tuple[str, ...]) -> None:
    """Copies logs into the folder for logs, as MPI jobs write theirs themselves."""
    for log in logs:
        shutil.copy(log, os.environ["DARSHAN_LOGPATH"])


def main(what: str, log: Path, *more: str) -> None:
    """Makes the run. what: "one" or "two" processes, "failing" ones, an MPI "job", "wrapped" in
    shells, a "script" that starts a job, a "killed-job", a process that "outlived" the run, or
    "wait" for the end of standard input. more: for killed-job the ranks' logs, else logs of
    jobs."""
    run, me = Mine(), os.getpid()
    if what == "wait":
        run.base = time.time_ns()
    top = "mpirun" if what in ("job", "wrapped", "killed-job") else "sh"
    run.row(Kind.START, me, 0, program=top, status=int(top == "mpirun"))
    if what == "one":
        print(hashlib.sha256(run.part(log, me, 0).read_bytes()).hexdigest())
    if what in ("two", "script"):
        child(run, log, 71, me)
    if what == "failing":
        for pid in range(200, 260):
            child(run, log, pid, me, f"a-program-with-a-name-{pid}")
        for pid in (300, 301):
            run.process(pid, (SECOND, 3 * SECOND), "cc1", me, 3)
        run.row(Kind.START, 302, SECOND, parent=me, program="gzip")
        run.row(Kind.REAPED, 302, 2 * SECOND, parent=me, status=9)
    if what in ("job", "wrapped"):
        job(run, log, me, wrapper="sh" if what == "wrapped" else "")
    if what == "script":
        run.process(80, (SECOND, 3 * SECOND), "mpiexec", me)
        job(run, log, 80)
    if what == "killed-job":
        killed_job(run, me, more)
    else:
        own_logs(more)
    if what == "outlived":
        run.part(log, me, 0)
        left = subprocess.Popen(
            ["sleep", "60"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        run.base = time.time_ns()
        run.row(Kind.START, left.pid, 0, parent=me, program="sleep")
        print(left.pid, flush=True)
    if what == "wait":
        child(run, log, 71, me)
        print("ready", flush=True)
        sys.stdin.read()
    run.row(Kind.END, me, 4 * SECOND)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
