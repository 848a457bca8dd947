"""The runtime does not change which large-count functions (MPI_x_c) a program finds in the MPI
library."""

from __future__ import annotations

from .launch import Runner


def test_what_exists_without_us(runner: Runner) -> None:
    """A program's weak references to large-count functions resolve as without the runtime, and its
    calls of existing ones are counted."""
    program = str(runner.build("large-count.c"))
    runner.environment()
    path = runner.data / "file"
    bare = runner.start(runner.mpi.launch(["-n", "1", program, str(path), "12"]))
    assert bare.code == 0, bare
    path.unlink()
    job = runner.run(1, [program, str(path), "12"])
    assert (job.code, job.out) == (0, bare.out), job
    rows = runner.only_log(job)
    calls = int(runner.mpi.has_large_counts)
    assert job.out.count("written 1\nread 1\n") == calls
    assert path.read_bytes() == b"large counts" * calls
    assert rows.total("MPIIO_INDEP_WRITES", str(path)) == calls
    assert rows.total("MPIIO_BYTES_WRITTEN", str(path)) == 12 * calls
    assert rows.total("MPIIO_NB_READS", str(path)) == calls
    assert rows.total("MPIIO_BYTES_READ", str(path)) == 12 * calls


def test_bound_at_once(runner: Runner) -> None:
    """Calls of large-count functions are also counted if the loader binds all calls when the
    program starts (LD_BIND_NOW)."""
    program = str(runner.build("large-count.c"))
    runner.environment()
    path = runner.data / "file"
    job = runner.run(1, [program, str(path), "12"], {"LD_BIND_NOW": "1"})
    assert job.code == 0, job
    calls = int(runner.mpi.has_large_counts)
    assert job.out.splitlines()[0] == f"begun {calls} allreduce {calls} transfers {calls}"
    assert runner.only_log(job).total("MPIIO_INDEP_WRITES", str(path)) == calls
