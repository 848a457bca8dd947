"""The cost of starting many processes in a run excludes the runtime's own time, and counts each
second once."""

from __future__ import annotations

from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import Stake
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, row, shared, write

_SED = 40


def saved(folder: Path, usage: dict[str, float], killed: int = 0, **process: float) -> Stake:
    """Returns what a run could save whose 40 processes of sed each edit the same file. usage:
    counters of their USAGE records; killed: number of the processes whose waits are unknown;
    process: counters of their PROCESS records."""
    unknown = {"F_RUNNABLE_TIME": -1.0, "F_BLOCKED_TIME": -1.0}
    job = Job(
        (
            shared("STDIO", "/genes", OPENS=_SED, READS=_SED, BYTES_READ=_SED * MIB,
                   MAX_BYTE_READ=MIB - 1, F_READ_TIME=1.0),
            shared("SHARED", "/genes", MODULE=2, RANKS=_SED, LOWEST_RANK=1, HIGHEST_RANK=_SED),
            row("PROCESS", "host: bash rename.sh", 0, COUNT=1, PROGRAMS=1, ENDED=1, PARENT_RANK=-1,
                F_END_TIMESTAMP=5.0),
            *(row("PROCESS", f"host: sed -i s/{rank}/x/ genes", rank, COUNT=1, PROGRAMS=1,
                  ENDED=1 + (rank < killed), OPENS=1, PARENT_RANK=0, BYTES_READ=MIB,
                  F_START_TIMESTAMP=0.1 * rank, F_END_TIMESTAMP=0.1 * rank + 0.09, **process)
              for rank in range(1, _SED + 1)),
            *(row("USAGE", "usage", rank, PROCESSES=1, **usage | (unknown if rank < killed else {}))
              for rank in range(_SED + 1)),
        ),
        nprocs=_SED + 1,
        seconds=5,
    )  # fmt: skip
    with open_log(write(job, folder / "log.darshan")) as log:
        return next(f.stake for f in diagnose(log) if f.name == "repeated-by-processes")


def stake(folder: Path, usage: dict[str, float], **process: float) -> float:
    """Returns the seconds that such a run could save."""
    return saved(folder, usage, **process).seconds


def test_calls_of_the_runtime(tmp_path: Path) -> None:
    """If each process ran for 0.08 s and recorded half a million calls, 0.04 s of it are the
    runtime's own and do not count."""
    usage = {"F_USER_TIME": 0.08, "F_SYSTEM_TIME": 0.005}
    few, many = (stake(tmp_path, usage, READS=reads) for reads in (10, 500_000))
    assert few - many == pytest.approx(_SED * 0.04, rel=0.2)


def test_buffered_calls(tmp_path: Path) -> None:
    """Seconds in calls that a stream's buffer serves are already part of the processor time; only
    the sleep in calls is added to it."""
    usage = {"F_USER_TIME": 0.05, "F_SYSTEM_TIME": 0.005}
    awake, asleep = (
        stake(tmp_path, {**usage, "F_BLOCKED_TIME": slept}, F_READ_TIME=0.03)
        for slept in (0.0, 0.03)
    )
    assert asleep - awake == pytest.approx(_SED * 0.025, rel=0.2)


@pytest.mark.parametrize("killed", [0, 20])
def test_waits_of_processes(killed: int, tmp_path: Path) -> None:
    """If the processes waited for a processor in most of their lives, the work of the run does not
    contain these waits, and the processes still are nearly all of it. The waits of killed processes
    are unknown, and are taken to be as long as those of the others."""
    usage = {"F_USER_TIME": 0.01, "F_SYSTEM_TIME": 0.005, "F_RUNNABLE_TIME": 0.07}
    found = saved(tmp_path, usage, killed, F_READ_TIME=0.004)
    assert found.of_run < 1.5 and found.share > 0.8, found
