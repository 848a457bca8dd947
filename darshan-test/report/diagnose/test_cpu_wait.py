"""How time that a process waited for a processor counts in potential savings: if it came after a
sleep in a call, it is a cost of that call."""

from __future__ import annotations

from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.run import diagnose
from darshan_report.diagnose.times.cpu_wait import computing_part

from .build import MIB, Job, number_of, row, write


@pytest.mark.parametrize(
    ("waits", "preemptions", "least", "most"),
    [(1500, 10, 3.9, 4.1), (10, 1500, 0.5, 0.7), (-1, -1, 0.5, 0.7)],
    ids=["slept", "lost", "unknown"],
)
def test_stake(waits: int, preemptions: int, least: float, most: float, tmp_path: Path) -> None:
    """3.5 of the 4 seconds in opens were spent waiting for a processor. If each open slept, these
    seconds are saved with the opens; if other programs took the processor away, they are not.
    least, most: the bounds of the potential saving in seconds."""
    opened = row("POSIX", "/state", OPENS=1500, F_META_TIME=4.0)
    usage = row(
        "USAGE", "<process>", PROCESSES=1, WAITS=waits, PREEMPTIONS=preemptions,
        F_SYSTEM_TIME=0.1, F_BLOCKED_TIME=0.4, F_RUNNABLE_TIME=3.5,
    )  # fmt: skip
    with open_log(write(Job((opened, usage)), tmp_path / "log.darshan")) as log:
        found = [f for f in diagnose(log) if f.name == "opened-again"]
    assert found and least <= found[0].stake.seconds <= most, found


def test_shares_of_a_busy_machine(tmp_path: Path) -> None:
    """If other processes took the processor for 8 of 10 seconds, the potential saving and its share
    refer to the 2 seconds without these waits."""
    written = row(
        "POSIX", "/out", OPENS=1, WRITES=200000, SEQ_WRITES=199999, BYTES_WRITTEN=2000000,
        MAX_BYTE_WRITTEN=1999999, SIZE_WRITE_0_100=200000, F_WRITE_TIME=7.0,
    )  # fmt: skip
    usage = row(
        "USAGE", "<process>", PROCESSES=1, WAITS=1, PREEMPTIONS=3000, F_USER_TIME=0.8,
        F_SYSTEM_TIME=1.0, F_BLOCKED_TIME=0.0, F_RUNNABLE_TIME=8.0,
    )  # fmt: skip
    with open_log(write(Job((written, usage)), tmp_path / "log.darshan")) as log:
        (found,) = [f for f in diagnose(log) if f.name == "small-accesses-write"]
    assert found.stake.of_run == pytest.approx(2.0, rel=0.05), found.stake
    assert 0.4 < found.stake.share <= 0.6, found.stake
    assert found.stake.run == pytest.approx(found.stake.seconds), found.stake
    assert "s without waits for a processor (" in found.stake.text
    assert found.stake.brief.endswith(" of the work"), found.stake.brief


@pytest.mark.parametrize(("spent", "left"), [(2.0, 3.2), (7.0, 8.2)])
def test_sleeps_outside_of_calls(spent: float, left: float, tmp_path: Path) -> None:
    """A rank that slept mostly outside of I/O waited 8.8 seconds for a processor after its sleeps.
    At most the time of the I/O calls (`spent` seconds) counts as their cost; the rest is subtracted
    from the run time that shares refer to, so `left` seconds remain."""
    written = row(
        "POSIX", "/out", OPENS=1, WRITES=200000, SEQ_WRITES=199999, BYTES_WRITTEN=2000000,
        MAX_BYTE_WRITTEN=1999999, SIZE_WRITE_0_100=200000, F_WRITE_TIME=spent,
    )  # fmt: skip
    usage = row(
        "USAGE", "<process>", PROCESSES=1, WAITS=9000, PREEMPTIONS=0, F_USER_TIME=0.2,
        F_SYSTEM_TIME=0.9, F_BLOCKED_TIME=0.1, F_RUNNABLE_TIME=8.8,
    )  # fmt: skip
    with open_log(write(Job((written, usage)), tmp_path / "log.darshan")) as log:
        (found,) = [f for f in diagnose(log) if f.name == "small-accesses-write"]
    assert found.stake.of_run == pytest.approx(left, rel=0.01), found.stake


def test_limits_after_the_waits(tmp_path: Path) -> None:
    """Time between calls is at most the processor time outside of calls. A saving that was limited
    to the run's work is limited after the waits for a processor were subtracted, not before: here
    the reads need 0.4 s and the time between them 0.6 s of a run with 1.1 s of work."""
    reads = row(
        "POSIX", "/a.db", OPENS=1, READS=9000, SEQ_READS=8999, CONSEC_READS=8999,
        BYTES_READ=350 * MIB, MAX_BYTE_READ=MIB,
        F_READ_TIME=2.0,
    )  # fmt: skip
    site = row(
        "SITES", "pread64;/usr/lib/libsqlite3.so.0+100;/a.py:3:load", FRAMES=2,
        PROCESSES=1, READS=9000, FILE_BITS=1,
        BYTES_READ=350 * MIB, F_READ_TIME=2.0, F_GAP_SHORT_TIME=3.5,
        FILE1_BY_CALLS=number_of("/a.db"), FILE1_CALLS=9000,
    )  # fmt: skip
    usage = row(
        "USAGE", "<process>", PROCESSES=1, WAITS=0, PREEMPTIONS=3000, F_USER_TIME=0.6,
        F_SYSTEM_TIME=0.4, F_BLOCKED_TIME=0.0, F_RUNNABLE_TIME=8.9,
    )  # fmt: skip
    with open_log(write(Job((reads, site, usage)), tmp_path / "log.darshan")) as log:
        (found,) = [f for f in diagnose(log) if f.name == "same-bytes-again-read"]
    assert found.stake.between <= 0.61, found.stake
    assert found.stake.run == pytest.approx(1.0, rel=0.12), found.stake


@pytest.mark.parametrize(("waited", "part"), [(0.0, 1.0), (6.0, 0.25)])
def test_libraries_of_a_busy_machine(waited: float, part: float, tmp_path: Path) -> None:
    """Time in a library that computes contains waits for a processor, in the same proportion as all
    time outside of system calls. waited: seconds; part: of the time that the library worked."""
    usage = row(
        "USAGE", "<process>", PROCESSES=1, PREEMPTIONS=99, F_USER_TIME=2.0, F_BLOCKED_TIME=0.0,
        F_RUNNABLE_TIME=waited,
    )  # fmt: skip
    with open_log(write(Job((usage,)), tmp_path / "log.darshan")) as log:
        assert computing_part(Facts(log)) == pytest.approx(part)
