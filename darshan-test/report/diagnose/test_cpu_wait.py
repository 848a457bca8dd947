"""How time that a process waited for a processor counts in potential savings: if it came after a
sleep in a call, it is a cost of that call."""

from __future__ import annotations

from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.run import diagnose

from .build import Job, row, write


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
