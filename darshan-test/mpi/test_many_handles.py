"""If a program has more MPI-IO handles open at a time than the runtime's table has entries, the log
says how many are not counted."""

from __future__ import annotations

import resource

import pytest
from place import absent, elsewhere

from .launch import Runner

# Entries of the runtime's table; handles of the program, and bytes written by each.
HANDLES, OPENED, BYTES = 4096, 4300, 4


@pytest.fixture
def descriptors() -> None:
    """Raises this process's limit of open files to what the job needs, which inherits it; skips the
    test if the hard limit is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = 2 * OPENED
    if hard != resource.RLIM_INFINITY and hard < least:
        absent(f"a process may open {hard} files at most")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))


@pytest.mark.usefixtures("descriptors")
def test_many_handles(runner: Runner) -> None:
    """If a program opens a file by MPI-IO more often at a time than the runtime's table of handles
    has entries, every open is counted. The log states for how many handles MPI-IO writes are not
    counted."""
    if runner.mpi.name == "mpich":
        elsewhere("each file of MPICH has a communicator, of which a process has some 2,000")
    runner.environment()
    command = [str(runner.build("many-handles.c")), str(runner.data / "file"), str(OPENED)]
    job = runner.run(1, command)
    assert job.code == 0, job
    log = runner.only_log(job)
    path = str(runner.data / "file")
    assert log.total("MPIIO_INDEP_OPENS", path) + log.total("MPIIO_COLL_OPENS", path) == OPENED
    assert log.total("MPIIO_INDEP_WRITES", path) == HANDLES
    assert log.total("POSIX_BYTES_WRITTEN", path) == OPENED * BYTES
    assert int(log.metadata["dropped_for_full_tables"]) == OPENED - HANDLES
