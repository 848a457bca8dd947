"""Ranks without MPI that srun starts are treated as ranks of one launch on a real Slurm, as
doc/runs.md describes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.binding import metadata, of_file, rows
from runs.launched import RANK, shared_bytes

from .cluster import PREFIX, Cluster, left, logs_of

pytestmark = pytest.mark.needs("slurm")
# The beginning of each script: folders and settings.
SET = "mkdir -p logs data\nexport DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH=$PWD/logs\n"
# The command of a rank.
PROGRAM = "/usr/bin/python3 -S rank.py SLURM_PROCID $PWD/data"
# The same in a shell with other commands, so that a rank has several processes.
WRAPPED = f"sh -c 'echo before >data/said.$SLURM_PROCID; {PROGRAM}; true'"


def submit(cluster: Cluster, script: str, *options: str) -> int:
    """Submits a script that has rank.py in its folder. options: of sbatch. Returns the job id."""
    return cluster.submit(f"echo '{RANK}' >rank.py\n{SET}{script}", *options)


def finish(cluster: Cluster, *jobs: int) -> None:
    """Waits for the end of the jobs, and up to 20 s for the mergers, which are daemonized. Fails if
    journals or run directories remain on a node."""
    cluster.finish(*jobs)
    end = time.monotonic() + 20
    while left(cluster) and time.monotonic() < end:
        time.sleep(0.1)
    assert left(cluster) == []


def logs(cluster: Cluster, job: int) -> list[Path]:
    """Returns the logs in a job's folder."""
    return sorted((cluster.folder(job) / "logs").glob("*.darshan"))


def merge(cluster: Cluster, job: int, *options: str) -> Path:
    """Runs `darshan merge` as alice on the folder with all logs of a job. Returns the path of the
    merged log. options: for darshan merge. Fails if it prints anything."""
    folder = cluster.folder(job)
    log = folder / "one.darshan"
    darshan = PREFIX / "bin" / "darshan"
    command = [darshan, "merge", "-o", log, *options, folder / "logs"]
    said = cluster.on("head", *command, user="alice")
    assert said == "", f"{said}{logs(cluster, job)}{cluster.said(job)}"
    return log


def check(log: Path, data: Path, size: int, launch: str) -> None:
    """Checks a merged log: the bytes of each rank, the bytes of the shared file, the ranks, and the
    launch in the metadata. data: folder of the job's files; size: number of ranks."""
    for rank in range(size):
        (own,) = of_file(log, data / f"own.{rank}")
        assert (own["rank"], own["POSIX_BYTES_WRITTEN"]) == (rank, 10 * (rank + 1))
    (shared,) = of_file(log, data / "shared")
    assert (shared["rank"], shared["POSIX_BYTES_WRITTEN"]) == (-1, shared_bytes(range(size)))
    with open_log(log) as opened:
        assert opened.info.nprocs == size
    assert [int(row["PROCESS_WORLD_RANK"]) for row in rows(log, "PROCESS")] == list(range(size))
    assert "missing_ranks" not in metadata(log)
    assert metadata(log)["launch"] == launch


def test_each_rank_says_what_srun_told_it(cluster: Cluster) -> None:
    """If srun itself is not instrumented, each rank that it starts has its own log, with its rank
    number in the metadata, and `darshan merge` combines them."""
    start = "env DARSHAN_ENABLE_NONMPI=1"
    job = submit(cluster, f"unset DARSHAN_ENABLE_NONMPI\nsrun {start} {PROGRAM}", "-N2", "-n4")
    finish(cluster, job)
    found = [metadata(log) for log in logs(cluster, job) if "rank" in metadata(log)]
    assert sorted(said["rank"] for said in found) == ["0", "1", "2", "3"]
    for said in found:
        assert (said["world_size"], said["launcher"]) == ("4", "srun")
        assert said["launch"] == f"{job}.0" and said["host"] in ("n1", "n2")
    assert {said["host"] for said in found} == {"n1", "n2"}
    check(merge(cluster, job), cluster.folder(job) / "data", 4, f"{job}.0")


@pytest.mark.parametrize("program", [PROGRAM, WRAPPED], ids=["one", "several"])
@pytest.mark.parametrize("before", ["", "unset DARSHAN_ENABLE_NONMPI\n"], ids=["run", "none"])
def test_one_log_of_a_step(cluster: Cluster, program: str, before: str) -> None:
    """Each step that srun starts has one log, with or without child processes of the ranks, whether
    the batch script is instrumented or not."""
    again = "DARSHAN_ENABLE_NONMPI=1 " if before else ""
    job = submit(cluster, f"{before}{again}srun {program}", "-N2", "-n4")
    finish(cluster, job)
    log = merge(cluster, job)
    check(log, cluster.folder(job) / "data", 4, f"{job}.0")
    counts = [row["PROCESS_COUNT"] for row in rows(log, "PROCESS")]
    assert counts == [1 if program == PROGRAM else 2] * 4  # without the TaskProlog


def test_steps_at_once(cluster: Cluster) -> None:
    """Each of several steps that srun runs at the same time has its own log."""
    one = f"srun -n2 --exact {PROGRAM}"
    other = one.replace("$PWD/data", "$PWD/other")
    job = submit(cluster, f"mkdir other\n{one} & {other} & wait", "-N1", "-n4")
    finish(cluster, job)
    each = cluster.folder(job) / "each"
    each.mkdir(mode=0o777)
    each.chmod(0o777)
    command = [PREFIX / "bin" / "darshan", "merge", "--logs", each, cluster.folder(job) / "logs"]
    cluster.on("head", *command, user="alice")
    made = sorted(each.iterdir())
    assert sorted(metadata(log)["launch"] for log in made) == [f"{job}.0", f"{job}.1"]
    for log in made:
        with open_log(log) as opened:
            assert opened.info.nprocs == 2


def test_darshan_run_around_srun(cluster: Cluster) -> None:
    """If `darshan run` starts srun, the first node has one log for itself and the launcher, each
    other node one, and merging them gives all ranks."""
    run = f"{PREFIX}/bin/darshan run -o logs --"
    job = submit(cluster, f"{run} srun {PROGRAM}", "-N2", "-n4")
    finish(cluster, job)
    check(merge(cluster, job), cluster.folder(job) / "data", 4, f"{job}.0")


def test_darshan_run_in_each_task(cluster: Cluster) -> None:
    """If srun starts `darshan run` in each task, each task has its own log."""
    run = f"{PREFIX}/bin/darshan run -o logs --"
    job = submit(cluster, f"unset DARSHAN_ENABLE_NONMPI\nsrun {run} {WRAPPED}", "-N2", "-n4")
    finish(cluster, job)
    assert len(logs(cluster, job)) == 4
    check(merge(cluster, job), cluster.folder(job) / "data", 4, f"{job}.0")


def test_rank_that_is_killed(cluster: Cluster) -> None:
    """The log of a killed rank is written by the node's epilogue, to the common log folder instead
    of the job's, because the epilogue does not have the job's variables."""
    die = f"{PROGRAM}; echo end >data/end.$SLURM_PROCID; [ $SLURM_PROCID = 0 ] || kill -9 $$"
    job = submit(cluster, f"srun sh -c '{die}'", "-N2", "-n2")
    finish(cluster, job)
    (recovered,) = logs_of(job)
    log, data = merge(cluster, job, str(recovered)), cluster.folder(job) / "data"
    for rank in range(2):
        (row,) = of_file(log, data / f"end.{rank}")
        assert (row["rank"], row["POSIX_BYTES_WRITTEN"]) == (rank, 4)
    check(log, data, 2, f"{job}.0")


def test_batch_script_is_no_rank(cluster: Cluster) -> None:
    """A batch script is not a rank, even if a task submits it and it inherits the variables of this
    task."""
    inner = "echo '#!/bin/sh' >in.sh; echo 'echo $SLURM_JOB_ID,$SLURM_PROCID,"
    inner += "$SLURM_STEP_NUM_TASKS >inner; cat inner' >>in.sh; sbatch -W -n1 -o /dev/null in.sh"
    job = submit(
        cluster, f"cat rank.py >/dev/null\nsrun -n1 sh -c {inner!r}".replace("'", "'"), "-n2"
    )
    finish(cluster, job)
    number = int((cluster.folder(job) / "inner").read_text().split(",")[0])
    found = [log for log in logs(cluster, job) if f"_id{number}-" in log.name]
    assert found and not any("rank" in metadata(log) for log in found)


def test_requeued_job(cluster: Cluster) -> None:
    """Two starts of a requeued job have the same job and step ids, but `darshan merge` treats them
    as two launches, which --job selects."""
    wait = f"{PROGRAM}; [ $SLURM_RESTART_COUNT ] || {{ touch data/all; sleep 100; }}"
    job = submit(cluster, f"srun sh -c '{wait}'", "-n2")
    while not (cluster.folder(job) / "data" / "all").exists():
        time.sleep(0.05)
    cluster.on("head", "scontrol", "requeue", str(job))
    finish(cluster, job)
    log = merge(cluster, job, "--job", f"{job}.0.1")
    check(log, cluster.folder(job) / "data", 2, f"{job}.0.1")
