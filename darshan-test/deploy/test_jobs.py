"""Tests jobs of ordinary users on a small Slurm whose slurm.conf runs Darshan's TaskProlog and
Epilog scripts."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.environment import PRELOAD

from .cluster import CONFIG, LOGS, OFF, PREFIX, SHARED, Cluster, left, logs_of

pytestmark = pytest.mark.needs("slurm")
# The command that starts ranks.c in a job's folder.
MPI = f"srun --mpi=pmix {SHARED}/ranks ."
LIBRARY = f"{PREFIX}/lib/libdarshan.so"


def nprocs(log: Path) -> int:
    """Returns the number of processes in a log."""
    with open_log(log) as opened:
        return opened.info.nprocs


def today() -> Path:
    """Returns the folder of this day's logs."""
    now = time.localtime()
    return LOGS / f"{now.tm_year}/{now.tm_mon}/{now.tm_mday}"


def test_what_a_task_gets(cluster: Cluster) -> None:
    """In Slurm's tasks and batch scripts, LD_PRELOAD has the library after the user's own
    libraries, and DARSHAN_CONFIG_PATH has the centre's file, unless the user has set one."""
    script = "echo batch=$LD_PRELOAD,$DARSHAN_CONFIG_PATH\nsrun -n1 sh -c 'echo task=$LD_PRELOAD'"
    script += f"\n{PRELOAD}=libm.so.6 srun -n1 sh -c 'echo other=$LD_PRELOAD'"
    script += "\nDARSHAN_CONFIG_PATH=/mine srun -n1 sh -c 'echo own=$DARSHAN_CONFIG_PATH'"
    job = cluster.submit(script)
    cluster.finish(job)
    said = cluster.said(job).splitlines()
    assert said == [
        f"batch={LIBRARY},{CONFIG}",
        f"task={LIBRARY}",
        f"other=libm.so.6:{LIBRARY}",
        "own=/mine",
    ]


def test_one_log_of_ranks_on_two_nodes(cluster: Cluster) -> None:
    """An MPI job on two nodes leaves one log and no other file. The log has the job id and the user
    in its name, and is in the folder of the day."""
    job = cluster.submit(MPI, "-N2", "-n4")
    cluster.finish(job)
    assert cluster.said(job) == ""
    (log,) = logs_of(job)
    assert log.parent == today() and nprocs(log) == 4 and log.owner() == "alice"
    assert log.name.startswith("alice_ranks_id") and log.stat().st_mode & 0o777 == 0o400
    assert left(cluster) == []


def test_each_step_has_a_log(cluster: Cluster) -> None:
    """Each MPI step of a job has its own log, and a step without MPI has none."""
    job = cluster.submit(f"{MPI}\n{MPI}\nsrun -n1 true", "-n2")
    cluster.finish(job)
    assert [nprocs(log) for log in logs_of(job)] == [2, 2]


def test_arrays(cluster: Cluster) -> None:
    """Each task of a job array has its own log, with its own job id."""
    job = cluster.submit(f"{MPI}\necho $SLURM_JOB_ID", "-n2", "--array=1-2")
    cluster.finish(job)
    numbers = [int(line) for line in cluster.said(job).split()]
    assert len(set(numbers)) == 2 and job in numbers
    assert [len(logs_of(number)) for number in numbers] == [1, 1]


def test_users_share_the_folder_of_the_day(cluster: Cluster) -> None:
    """The first user's job creates the folder of the day such that jobs of all users can write logs
    to it."""
    jobs = [cluster.submit(MPI, "-n2", user=user) for user in ("bob", "alice")]
    cluster.finish(*jobs)
    assert [log.owner() for job in jobs for log in logs_of(job)] == ["bob", "alice"]
    assert today().stat().st_mode & 0o7777 == 0o1777


# --- jobs that do not end by themselves ------------------------------------------------------


def wait_for(path: Path) -> None:
    """Waits until a file exists, and fails after 30 seconds."""
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} is not there")


def check_recovered(cluster: Cluster, job: int, nodes: int) -> None:
    """Checks that the epilogue on each of this many nodes has made a log of the killed job's
    journals, in the folder of the day, and has left no journal."""
    logs = logs_of(job)
    assert [log.owner() for log in logs] == ["alice"] * nodes
    assert all(log.parent == today() for log in logs)
    with open_log(logs[0]) as opened:
        found = dict(opened.info.metadata)
    assert found["end"].startswith("not seen")
    assert left(cluster) == []


def test_cancelled(cluster: Cluster) -> None:
    """A cancelled job leaves a log of each node, and no journals."""
    job = cluster.submit(f"{MPI} 100", "-N2", "-n4")
    wait_for(cluster.folder(job) / "all")
    cluster.on("head", "scancel", str(job), user="alice")
    cluster.finish(job)
    check_recovered(cluster, job, 2)


def test_requeued(cluster: Cluster) -> None:
    """A requeued job keeps its id, but leaves two logs: the log of its second start does not
    replace that of the first."""
    job = cluster.submit(f"[ $SLURM_RESTART_COUNT ] || wait=100\n{MPI} $wait", "-n2")
    wait_for(cluster.folder(job) / "all")
    cluster.on("head", "scontrol", "requeue", str(job))
    cluster.finish(job)
    assert cluster.state(job) == "COMPLETED" and len(logs_of(job)) == 2


# --- switches --------------------------------------------------------------------------------


def test_switched_off(cluster: Cluster) -> None:
    """While the switch-off file exists, jobs of Slurm run without logs."""
    OFF.touch()
    job = cluster.submit(MPI, "-n2")
    cluster.finish(job)
    assert (cluster.folder(job) / "own.1").exists() and not logs_of(job)


def test_a_share_of_the_jobs(cluster: Cluster) -> None:
    """With SAMPLE_JOBS 2, every second job leaves a log, by its id."""
    CONFIG.write_text(CONFIG.read_text() + "SAMPLE_JOBS 2\n")
    jobs = [cluster.submit(MPI, "-n2") for _ in range(3)]
    cluster.finish(*jobs)
    assert [len(logs_of(job)) for job in jobs] == [1 - job % 2 for job in jobs]


def test_library_that_is_gone(cluster: Cluster) -> None:
    """If the library is not mounted on the nodes, jobs run to their end, and Slurm does not drain
    the nodes."""
    away = PREFIX.parent / "away"
    PREFIX.rename(away)
    PREFIX.mkdir()
    (PREFIX / "share").symlink_to(away / "share")
    try:
        job = cluster.submit(MPI, "-n2")
        cluster.finish(job)
    finally:
        (PREFIX / "share").unlink()
        PREFIX.rmdir()
        away.rename(PREFIX)
    assert (cluster.folder(job) / "own.1").exists() and cluster.state(job) == "COMPLETED"
