"""Trainings with PyTorch itself: the numbers in the report are compared with those that the
programs measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from place import newest_torch
from sample import turning

from .configurations import EPOCHS, HERE, PYTHON, Compared, measured, report_of, usable

# Fraction of CONFIGURATIONS that a run of the tests uses.
SHARE = 0.4
# Attempts: on a busy machine, a process may stop between two readings of the clocks.
TRIES = 3
# Largest difference of a share of waiting in percent points.
POINTS = 2.0
# Seconds.
ROUNDING = 1e-5
# Batches of an epoch: SAMPLES / BATCH of loads.py.
BATCHES = 12


def counted(row: Compared) -> None:
    """Checks that the exact numbers of a configuration are equal, and that the times measured by
    the program enclose those of the runtime."""
    assert len(row.told) == len(row.recorded["epochs"]) == EPOCHS
    for told, recorded in zip(row.told, row.recorded["epochs"]):
        assert recorded["batches"] == told["steps"] == BATCHES
        assert recorded["complete"] == 1
        assert recorded["wait_seconds"] <= told["wait"] + ROUNDING
        assert recorded["seconds"] <= told["whole"] + ROUNDING
    assert row.recorded["num_workers"] == int(row.name.split("-")[1][1:])
    is_little = "costs this run little" in row.recorded["sentence"]
    assert (row.recorded["why"] == "nothing") == (row.reported < 10 or is_little)


@pytest.mark.needs("torch")
def test_shares_of_waiting(build: Path, tmp_path: Path) -> None:
    """With Debian's PyTorch, shares of waiting agree for several configurations."""
    shares_of_waiting(build, tmp_path, PYTHON)


@pytest.mark.needs("torch:newest")
def test_shares_of_waiting_of_the_newest(build: Path, tmp_path: Path) -> None:
    """With the newest PyTorch, shares of waiting agree for several configurations."""
    shares_of_waiting(build, tmp_path, newest_torch())


@pytest.mark.needs("torch:newest")
def test_ranks_of_torchrun(build: Path, tmp_path: Path) -> None:
    """The report of a job of two ranks has each rank's waiting time, and names rank 1, whose
    samples are slow, as the one that waited for its data."""
    launch = [newest_torch(), "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    _, (entry,) = report_of(build, tmp_path, *launch, HERE / "ranks.py", tmp_path)
    told = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1)]
    assert [row["rank"] for row in entry["ranks"]] == [0, 1]
    for one, row in zip(told, entry["ranks"]):
        sums = row["all"]
        assert (sums["batches"], sums["epochs"], sums["complete"]) == (one["steps"], EPOCHS, EPOCHS)
        assert sums["wait_seconds"] <= one["wait"] + ROUNDING
        assert sums["seconds"] <= one["whole"] + ROUNDING
    assert entry["all"]["wait_seconds"] == pytest.approx(
        sum(row["all"]["wait_seconds"] for row in entry["ranks"]), abs=ROUNDING
    )
    assert "Rank 1 waited " in entry["sentence"]


def shares_of_waiting(build: Path, tmp_path: Path, python: str) -> None:
    """Checks that the shares of waiting in the reports of some configurations agree with those that
    the program measured; measures again if the machine disturbed them. python: the Python to
    use."""
    names = turning(usable(python), SHARE, "training")
    for attempt in range(TRIES):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        rows = measured(build, folder, names, python)
        for row in rows:
            counted(row)
        names = [row.name for row in rows if abs(row.reported - row.own) > POINTS]
        if not names:
            return
    pytest.fail(f"shares of waiting differ: {rows}")
