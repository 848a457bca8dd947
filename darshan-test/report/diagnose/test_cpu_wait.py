"""Waiting for a processor: what follows a sleep in a call belongs to the call."""

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
    """3.5 of four seconds in opens were spent waiting for a processor. If each open slept, these
    seconds are saved with the opens; if other programs took the processor away, they are not."""
    opened = row("POSIX", "/state", OPENS=1500, F_META_TIME=4.0)
    usage = row(
        "USAGE", "<process>", PROCESSES=1, WAITS=waits, PREEMPTIONS=preemptions,
        F_SYSTEM_TIME=0.1, F_BLOCKED_TIME=0.4, F_RUNNABLE_TIME=3.5,
    )  # fmt: skip
    with open_log(write(Job((opened, usage)), tmp_path / "log.darshan")) as log:
        found = [f for f in diagnose(log) if f.name == "opened-again"]
    assert found and least <= found[0].stake.seconds <= most, found
