"""A program that asks whether the MPI has large-count functions is not misled."""

from __future__ import annotations

from .launch import Runner


def has_large_counts(runner: Runner) -> bool:
    """Whether the library has them, without us."""
    program = str(runner.build("large-count.c"))
    runner.environment()
    job = runner.start(runner.mpi.launch(["-n", "1", program, "bare", "10"]))
    assert job.code == 0, job
    return "begun 1" in job.out


def refuses(runner: Runner) -> None:
    """What no int can hold is an error, not another number of bytes."""
    path = runner.data / "refused"
    job = runner.run(1, [str(runner.build("large-count.c")), str(path), str((1 << 32) + 12)])
    assert job.code == 0, job
    assert job.out.splitlines()[1:] == ["written 0"]
    assert path.read_bytes() == b""
    assert runner.only_log(job).total("MPIIO_INDEP_WRITES", str(path)) == 0
    job.logs[0].unlink()


def test_what_is_promised_works(runner: Runner) -> None:
    """Where only we have the functions, they work by those that take an int."""
    has = has_large_counts(runner)
    if not has:  # the library itself would write so much
        refuses(runner)
    path = runner.data / "file"
    job = runner.run(1, [str(runner.build("large-count.c")), str(path), "12"])
    assert job.code == 0, job
    assert job.out.splitlines() == [
        "begun 1 allreduce 1 transfers 1",
        "written 1",
        "read 1",
    ]
    assert path.read_bytes() == b"large counts"
    rows = runner.only_log(job)
    assert rows.total("MPIIO_INDEP_WRITES", str(path)) == 1
    assert rows.total("MPIIO_BYTES_WRITTEN", str(path)) == 12
    assert rows.total("MPIIO_NB_READS", str(path)) == 1
    assert rows.total("MPIIO_BYTES_READ", str(path)) == 12
