"""The runtime counts any number of MPI-IO requests in progress."""

from __future__ import annotations

from .launch import Runner

WRITES, BYTES = 6000, 16  # of many-requests.c


def test_many_requests(runner: Runner) -> None:
    """For 6,000 non-blocking writes in progress at a time, all writes and bytes are counted."""
    runner.environment()
    job = runner.run(1, [str(runner.build("many-requests.c")), str(runner.data / "file")])
    assert job.code == 0, job
    log = runner.only_log(job)
    assert log.total("MPIIO_NB_WRITES") == WRITES
    assert log.total("MPIIO_BYTES_WRITTEN") == WRITES * BYTES
    assert log.total("MPIIO_EXT_NB_OUTSTANDING_MAX") == WRITES
    assert "dropped_for_full_tables" not in log.metadata
