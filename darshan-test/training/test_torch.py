"""PyTorch itself: what the report says of trainings, against their own clock."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample import turning

from .configurations import CONFIGURATIONS, EPOCHS, Compared, measured

SHARE = 0.4
TRIES = 3  # on a busy machine a process may stop between two readings of the clocks
POINTS = 2.0  # percent: largest difference of a share of waiting
ROUNDING = 1e-5  # seconds
BATCHES = 12  # of an epoch: SAMPLES / BATCH of loads.py


def counted(row: Compared) -> None:
    """Compares what is exact: numbers, and that the program's readings enclose the runtime's."""
    assert len(row.told) == len(row.recorded["epochs"]) == EPOCHS
    for told, recorded in zip(row.told, row.recorded["epochs"]):
        assert recorded["batches"] == told["steps"] == BATCHES
        assert recorded["complete"] == 1
        assert recorded["wait_seconds"] <= told["wait"] + ROUNDING
        assert recorded["seconds"] <= told["whole"] + ROUNDING
    assert row.recorded["num_workers"] == int(row.name.split("-")[1][1:])
    assert (row.recorded["why"] == "nothing") == (row.reported < 10)


@pytest.mark.needs("torch")
def test_shares_of_waiting(build: Path, tmp_path: Path) -> None:
    names = turning(CONFIGURATIONS, SHARE, "training")
    for attempt in range(TRIES):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        rows = measured(build, folder, names)
        for row in rows:
            counted(row)
        names = [row.name for row in rows if abs(row.reported - row.own) > POINTS]
        if not names:
            return
    pytest.fail(f"shares of waiting differ: {rows}")
