"""With MPI_Comm_spawn, each MPI_COMM_WORLD is a job with a log of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.environment import through_env
from lab.log import Log

from .launch import Job, Runner

PARENTS, CHILDREN = 2, 3
# Ranks of each MPI_COMM_WORLD.
MEMBERS = {"parents": PARENTS, "children": CHILDREN}
# By the name of an MPI: whether it can spawn.
FOUND: dict[str, bool] = {}


def job_line(runner: Runner) -> list[str]:
    """Returns the command line of the job with its launcher."""
    command = [str(runner.build("spawn.c")), str(runner.data), str(CHILDREN)]
    return runner.mpi.launch(["-n", str(PARENTS), *command])


def said(runner: Runner, command: list[str]) -> Job:
    """Runs a command up to five times, until it succeeds or prints something, because MPICH's
    launcher sometimes loses the output of a rank that aborts. Returns the last job."""
    for _ in range(5):
        job = runner.start(command)
        if job.code == 0 or job.error + job.out:
            break
    return job


@pytest.fixture
def can_spawn(runner: Runner) -> bool:
    """Returns whether this MPI can spawn processes without the runtime; the MPICH of Debian 12
    cannot."""
    runner.environment()
    known = FOUND.get(runner.mpi.name)
    if known is not None:
        return known
    bare = said(runner, job_line(runner))
    for path in runner.data.iterdir():
        path.unlink()
    assert bare.code == 0 or "spawn" in bare.error + bare.out
    FOUND[runner.mpi.name] = bare.code == 0
    return bare.code == 0


def check_world(log: Log, runner: Runner, world: str) -> None:
    """Checks in one log the bytes of every rank, in the shared file and in the rank's own file, and
    that the log has no file of the other world. world: name of the MPI_COMM_WORLD, which begins the
    file names."""
    number = MEMBERS[world]
    assert log.header["nprocs"] == str(number)
    together = str(runner.data / f"{world}.together")
    assert log.cell("POSIX", -1, together, "POSIX_WRITES") == number
    assert log.cell("POSIX", -1, together, "POSIX_BYTES_WRITTEN") == sum(
        100 + rank for rank in range(number)
    )
    for rank in range(number):
        own = str(runner.data / f"{world}.own.{rank}")
        assert log.cell("POSIX", rank, own, "POSIX_BYTES_WRITTEN") == 10 + rank
    (other,) = MEMBERS.keys() - {world}
    assert not any(f"/{other}." in path for path in log.names())


def check_worlds(logs: list[Path], runner: Runner) -> None:
    """Fails unless these are the logs of parents and children."""
    both = sorted((runner.read(path) for path in logs), key=lambda log: int(log.header["nprocs"]))
    assert len(both) == 2
    check_world(both[0], runner, "parents")
    check_world(both[1], runner, "children")


def test_each_world_has_a_log(runner: Runner, can_spawn: bool) -> None:
    """The parents and the children each leave one complete log. If the MPI cannot spawn, the job
    fails as without the runtime."""
    job = said(runner, [*through_env(runner.environment()), *job_line(runner)])
    if not can_spawn:
        assert job.code != 0 and "spawn" in job.error + job.out
        return
    assert (job.code, job.journals) == (0, [])
    check_worlds(job.logs, runner)


def in_a_script(runner: Runner, build: Path) -> Job:
    """Runs the job under `darshan run`, from a shell that writes a file itself. Returns the
    finished job."""
    script = f'echo before >"{runner.data}/said"; "$@"'
    front = [str(build / "darshan"), "run", "-o", str(runner.folder / "logs"), "--"]
    return runner.start([*front, "sh", "-c", script, "sh", *job_line(runner)])


def test_a_script_has_a_row_for_each_world(runner: Runner, can_spawn: bool, build: Path) -> None:
    """For a script, the log of its other processes has one row for the ranks of each
    MPI_COMM_WORLD, whose files are only in their own logs."""
    runner.environment()
    job = in_a_script(runner, build)
    if not can_spawn:
        assert job.code != 0
        return
    assert job.code == 0
    logs = {path: runner.read(path) for path in job.logs}
    (tree,) = (path for path, log in logs.items() if "processes" in log.metadata)
    check_worlds([path for path in logs if path != tree], runner)
    ranks = [row.value for row in logs[tree].rows if row.counter == "PROCESS_JOB_RANKS"]
    assert sorted(filter(None, ranks)) == [PARENTS, CHILDREN]
    assert not any(".together" in path for path in logs[tree].names())
