"""The start and the end of the recording in an MPI job, and the log or journals that each kind of
end leaves."""

from __future__ import annotations

import os
import re

import pytest
from lab.environment import through_env
from lab.log import Log
from place import elsewhere

from .launch import Runner

# Bytes of each rank in the shared file.
SHARED = 100


def own_bytes(ranks: int) -> int:
    """Returns the bytes that all ranks of job.c together write to their own files. ranks: their
    number."""
    return sum(1000 * (rank + 1) for rank in range(ranks))


def check_work(log: Log, runner: Runner, ranks: int, alone: int = -1) -> None:
    """Checks the records of job.c in one log of all ranks. alone: the rank of the records if the
    job has only one rank; -1 if they are marked as shared by all ranks."""
    assert log.header["nprocs"] == str(ranks)
    for rank in range(ranks):
        path = str(runner.data / f"own-{rank}")
        assert log.total("POSIX_BYTES_WRITTEN", path) == 1000 * (rank + 1)
        named = alone if ranks == 1 else rank
        assert log.cell("POSIX", named, path, "POSIX_OPENS") == 1
    assert log.total("POSIX_BYTES_WRITTEN", str(runner.data / "shared")) == SHARED * ranks
    assert log.total("POSIX_BYTES_WRITTEN") == own_bytes(ranks) + SHARED * ranks


MANY = pytest.param(16, marks=pytest.mark.needs("shared-memory"))


@pytest.mark.parametrize("ranks", [1, 2, 5, MANY])
def test_one_log_of_all_ranks(runner: Runner, ranks: int) -> None:
    """A job that ends by MPI_Finalize leaves one log with all ranks' files and the name of the MPI
    library."""
    job = runner.job("finalize", ranks)
    assert job.code == 0
    assert job.out.count(f" of {ranks}\n") == ranks
    log = runner.only_log(job)
    check_work(log, runner, ranks)
    name = {"openmpi": "Open MPI v", "mpich": "MPICH Version: "}[runner.mpi.name]
    assert log.metadata["mpi"].startswith(name)
    assert 1 <= int(log.metadata["processors"]) <= len(os.sched_getaffinity(0))
    assert job.error == ""


def test_processors_that_ranks_may_use(runner: Runner) -> None:
    """The log's metadata has the number of processors that the ranks may use, which is 1 here, not
    that of the machine."""
    here = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(here)})
        job = runner.job("finalize", 3)
    finally:
        os.sched_setaffinity(0, here)
    assert runner.only_log(job).metadata["processors"] == "1"


@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_job_without_io(runner: Runner, ranks: int) -> None:
    """A job without I/O leaves a log without records, if the modules STDIO and MPIWAIT are
    disabled."""
    job = runner.job("idle", ranks, {"DARSHAN_MOD_DISABLE": "STDIO,MPIWAIT"})
    assert (job.code, job.error) == (0, "")
    log = runner.only_log(job)
    assert log.header["nprocs"] == str(ranks)
    assert log.rows == []


@pytest.mark.parametrize("end", ["thread", "afterwards", "exec"])
def test_other_ways_through(runner: Runner, end: str) -> None:
    """The log is complete with MPI_Init_thread ("thread"), with I/O after MPI_Finalize, which is
    not recorded ("afterwards"), and after an exec that failed ("exec")."""
    job = runner.job(end, 3)
    assert job.error == ""
    check_work(runner.only_log(job), runner, 3)


def test_ranks_that_replace_themselves(runner: Runner) -> None:
    """If the ranks call exec, there is no log, and each leaves a journal of what it did before."""
    job = runner.job("replaced", 2, {"DARSHAN_ENABLE_NONMPI": "0"})
    assert job.logs == []
    check_journals(runner, job.journals, 2)


@pytest.mark.parametrize("nonmpi", ["0", "1"])
def test_before_mpi_init(runner: Runner, nonmpi: str) -> None:
    """I/O before MPI_Init is in the job's log, under the rank's number. nonmpi: 1 if processes
    without MPI are recorded, too, so that a journal exists before MPI_Init; with 0 the records are
    in memory."""
    log = runner.only_log(runner.job("early", 3, {"DARSHAN_ENABLE_NONMPI": nonmpi}))
    early = str(runner.data / "early")
    assert log.total("POSIX_OPENS", early) == 3
    assert log.total("POSIX_BYTES_WRITTEN", early) == 21
    assert log.cell("POSIX", 2, str(runner.data / "own-2"), "POSIX_BYTES_WRITTEN") == 3000


def test_files_of_the_library_are_left_out(runner: Runner) -> None:
    """Files that MPI_Init itself opens are not in the log."""
    log = runner.only_log(runner.job("finalize", 2))
    ours = {str(runner.data / name) for name in ("own-0", "own-1", "shared")}
    assert {path for path in log.names() if path.startswith("/")} == ours


def test_alone_without_a_launcher(runner: Runner) -> None:
    """An MPI program that is started without a launcher leaves one log, although Open MPI then
    starts a helper process."""
    env = runner.environment({"DARSHAN_ENABLE_NONMPI": "0"})
    program = str(runner.build("job.c"))
    job = runner.start([*through_env(env), program, "finalize", str(runner.data)])
    check_work(runner.only_log(job), runner, 1)


def check_journals(runner: Runner, journals: list, ranks: int) -> None:
    """Checks that each of the ranks has left a journal named after it, which can be read as a log
    of that rank, and that all have the same job id and start."""
    logs = [runner.read(path) for path in journals]
    assert len(logs) == ranks
    seen = set()
    for log in logs:
        (rank,) = log.ranks()
        seen.add(rank)
        own = str(runner.data / f"own-{rank}")
        assert log.cell("POSIX", rank, own, "POSIX_BYTES_WRITTEN") == 1000 * (rank + 1)
        assert log.header["nprocs"] == str(ranks)
    assert seen == set(range(ranks))
    assert len({log.header["jobid"] for log in logs}) == 1
    assert len({log.header["start_time"] for log in logs}) == 1
    assert {path.name.rsplit("-", 1)[1] for path in journals} == {
        f"{rank}.darshan" for rank in range(ranks)
    }


@pytest.mark.parametrize("end", ["exit", "abort", "killed"])
@pytest.mark.parametrize("nonmpi", ["0", "1"])
def test_ends_without_finalize(runner: Runner, end: str, nonmpi: str) -> None:
    """If a rank ends by exit(), MPI_Abort or SIGKILL without MPI_Finalize, every rank leaves a
    journal and the job no log."""
    job = runner.job(end, 3, {"DARSHAN_ENABLE_NONMPI": nonmpi})
    assert job.logs == []
    check_journals(runner, job.journals, 3)
    if end == "abort":
        assert job.code != 0
        assert job.error.count("darshan-merge") == 1


def test_exit_of_a_single_process(runner: Runner) -> None:
    """A job of one process leaves its log even if it ends by exit() or MPI_Abort, because no other
    rank is needed."""
    for number, end in enumerate(("exit", "abort"), 1):
        job = runner.job(end, 1)
        assert job.journals == []
        assert len(job.logs) == number
        for log in job.logs:
            check_work(runner.read(log), runner, 1, alone=0)


def test_excluded_rank(runner: Runner) -> None:
    """With DARSHAN_RANK_EXCLUDE=1, the log has no I/O of rank 1, counts it as a process, and has
    the I/O of the others."""
    job = runner.job("early", 3, {"DARSHAN_RANK_EXCLUDE": "1"})
    log = runner.only_log(job)
    assert log.header["nprocs"] == "3"
    assert log.total("POSIX_BYTES_WRITTEN", str(runner.data / "own-1")) == 0
    assert log.total("POSIX_BYTES_WRITTEN", str(runner.data / "own-2")) == 3000
    assert log.total("POSIX_BYTES_WRITTEN", str(runner.data / "shared")) == 2 * SHARED


@pytest.mark.parametrize("ranks", [1, 3])
def test_all_ranks_excluded(runner: Runner, ranks: int) -> None:
    """If all ranks are excluded, the log has no records, but the number of ranks."""
    job = runner.job("early", ranks, {"DARSHAN_RANK_EXCLUDE": f"0:{ranks - 1}"})
    log = runner.only_log(job)
    assert (log.header["nprocs"], log.ranks(), log.names()) == (str(ranks), set(), set())
    assert re.search(r"_id[1-9]\d*-[1-9]\d*_", job.logs[0].name)


def test_switched_off_on_some_ranks(runner: Runner) -> None:
    """A job ends normally if recording is disabled on one rank: the other ranks write the log
    without waiting for it."""
    program = [str(runner.build("job.c")), "finalize"]
    # Not a job of two programs, because these kill mpiexec of Debian 13's Open MPI 5.
    first = 'case "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" in 0) export DARSHAN_DISABLE=1;; esac'
    shell = ["sh", "-c", f'{first}; exec "$@"', "first"]
    command = [*shell, *through_env(runner.environment()), *program, str(runner.data)]
    job = runner.start(runner.mpi.launch(["-n", "3", *command]))
    assert job.code == 0
    log = runner.only_log(job)
    assert log.total("POSIX_BYTES_WRITTEN", str(runner.data / "own-0")) == 0
    assert log.total("POSIX_BYTES_WRITTEN", str(runner.data / "own-2")) == 3000


def test_switched_off(runner: Runner) -> None:
    """With DARSHAN_DISABLE=1, the job leaves neither log nor journal."""
    job = runner.job("finalize", 2, {"DARSHAN_DISABLE": "1"})
    assert (job.code, job.logs, job.journals) == (0, [], [])


@pytest.mark.parametrize("nonmpi", ["0", "1"])
def test_child_of_a_rank(runner: Runner, nonmpi: str) -> None:
    """A forked child of a rank is not a rank: if processes without MPI are recorded (nonmpi 1), it
    has a separate log, otherwise none."""
    job = runner.job("fork", 2, {"DARSHAN_ENABLE_NONMPI": nonmpi, "DARSHAN_JOB_TREE": "0"})
    assert job.code == 0
    logs = [runner.read(path) for path in job.logs]
    children = [log for log in logs if log.header["nprocs"] == "1"]
    (parent,) = (log for log in logs if log.header["nprocs"] == "2")
    assert parent.total("POSIX_BYTES_WRITTEN", str(runner.data / "own-1")) == 2000
    assert len(children) == (2 if nonmpi == "1" else 0)
    for log in children:
        assert log.ranks() == {0}
        assert log.total("POSIX_BYTES_WRITTEN") == 10
        assert "mpi" not in log.metadata


def test_children_of_ranks_are_a_run(runner: Runner) -> None:
    """If processes without MPI are recorded, the job's log has only its ranks; the processes that
    the ranks fork share a second log."""
    job = runner.job("fork", 2, {"DARSHAN_ENABLE_NONMPI": "1"})
    assert (job.code, job.journals) == (0, [])
    ours, run = sorted(
        (runner.read(path) for path in job.logs), key=lambda log: "mpi" not in log.metadata
    )
    assert "mpi" in ours.metadata and "mpi" not in run.metadata
    assert ours.total("POSIX_BYTES_WRITTEN", str(runner.data / "own-1")) == 2000
    assert run.total("POSIX_BYTES_WRITTEN") == 2 * 10


def test_sessions(runner: Runner) -> None:
    """A program that uses an MPI session and never calls MPI_Init leaves the complete log of a
    job."""
    job = runner.job("session", 3)
    if "ordinary job" in job.out and runner.mpi.name == "openmpi":
        elsewhere("Open MPI has sessions from version 5 on")
    assert "ordinary job" not in job.out
    assert job.code == 0
    check_work(runner.only_log(job), runner, 3)
