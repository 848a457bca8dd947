"""The number of dropped events in a job's log is the sum over its ranks."""

from __future__ import annotations

from .launch import Runner


def test_dropped_on_some_ranks(runner: Runner) -> None:
    """The log's number of dropped events is the sum over all ranks, although the first rank, which
    writes the log, dropped none. Counted and dropped calls add up to all calls of the handlers."""
    runner.environment()
    job = runner.run(3, [str(runner.build("dropped.c")), str(runner.data)])
    assert job.code == 0, job
    log = runner.only_log(job)
    own = int(sum(log.total("POSIX_WRITES", f"{runner.data}/own.{rank}") for rank in range(3)))
    dropped = int(job.out) - own
    assert dropped > 0
    # A call inside a handler may drop events of two modules, or of one and be counted by the other.
    # On a busy machine a rank may give up a lock instead, which is another number.
    assert "dropped_in_signal_handlers" in log.metadata
    told = sum(int(v) for key, v in log.metadata.items() if key.startswith("dropped_"))
    assert dropped <= told <= 2 * int(job.out)
