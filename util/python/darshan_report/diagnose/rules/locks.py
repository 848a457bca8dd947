"""Processes wait for locks of files that other processes hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...units import count, seconds, share
from ..facts import Facts
from ..finding import CAUSE, Evidence, Finding, Remedy, Stake

NAME = "waits-for-locks"
ROLE = CAUSE


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all files with locks. The time is no I/O time: what takes longer than
    a microsecond is the wait for the lock's holder, or for the server of a network file system."""
    extra = facts.table("POSIX_EXT")
    if extra is None or facts.run_time <= 0:
        return
    # One of the processes holds the lock while the others wait.
    each = extra["F_LOCK_TIME"] / np.maximum(extra.processes - 1, 1)
    at = int(np.argmax(each))
    longest = min(float(each[at]), facts.run_time)
    least = max(facts.limits["lock.share"] * facts.run_time, facts.limits["stake.seconds"])
    if longest < least:
        return
    time, calls = extra.sum("F_LOCK_TIME"), extra.sum("LOCKS")
    name = facts.name(int(extra.ids[at]))
    yield Finding(
        NAME,
        "Processes wait for locks of files",
        f"{count(calls)} calls that set or release locks (flock, lockf, fcntl) took "
        f"{seconds(time)}{facts.over_all}. The longest waits were for {name}: "
        f"{_who(int(extra.processes[at]))} waited {seconds(longest)} for it, "
        f"{share(longest, facts.run_time)} of the run. On a local file system, a lock that nobody "
        "holds takes a microsecond.",
        stake=Stake(
            time,
            max(time, facts.run_time * facts.nprocs),
            basis="time in calls that set or release locks",
            run=longest,
            of_run=facts.run_time,
            ranks=1 if facts.tree else facts.nprocs,
        ),
        evidence=tuple(
            Evidence("POSIX_EXT", name, f"POSIX_EXT_{counter}", value, int(extra.ids[at]))
            for counter, value in (
                ("LOCKS", int(extra["LOCKS"][at])),
                ("F_LOCK_TIME", float(extra["F_LOCK_TIME"][at])),
            )
        ),
        remedy=Remedy(
            "Hold a lock only while the file is changed: compute before, and release it at once. "
            "Or let each process write to a file of its own, and join the files at the end. "
            "Readers need a shared lock only; a database lets them go on while one process writes.",
            "C: flock(fd, LOCK_SH);  // to read\n"
            "Python: fcntl.flock(file, fcntl.LOCK_SH)  # to read\n"
            "shell: flock --shared file command  # to read\n"
            "SQL: PRAGMA journal_mode = WAL;",
        ),
        limits=("lock.share",),
    )


def _who(processes: int) -> str:
    """Returns the processes that wait while one of those that use a file holds its lock."""
    if processes <= 1:
        return "the process"
    return "one of 2 processes" if processes == 2 else f"{processes - 1:,} of {processes:,} at once"
