"""Workers of a DataLoader that are idle between their batches: this time is no finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from darshan_report.diagnose.run import diagnose
from darshan_report.log import open_log

from report.diagnose.build import MIB, Job, number_of, row, write
from report.diagnose.cases_training import LOADER


def names_in(folder: Path, job: Job) -> list[str]:
    """Returns the names of the findings of a log."""
    with open_log(write(job, folder / "a.darshan")) as log:
        return [finding.name for finding in diagnose(log)]


def between(folder: Path, worker: bool, own: float) -> list[str]:
    """Returns the names of all findings on a training with a loop that reads a file, before whose
    reads most of the run passes. worker: whether an idle worker makes the reads. own: seconds of
    the training's own steps."""
    frames = "/a/torch/utils/data/_utils/worker.py:302:_worker_loop;" if worker else ""
    job = Job(
        (
            row("TRAINING", LOADER.name, **{**LOADER.values, "F_EPOCH_TIME": own, "WORKERS": 1,
                "F_NEXT_TIME": 0.1}),
            row("POSIX", "/a.bin", OPENS=1, READS=90, BYTES_READ=360 * MIB, F_READ_TIME=0.1),
            row("SITES", f"read;/a.py:3:load;{frames}/a.py:9:main", FRAMES=2 + worker,
                PROCESSES=1, READS=90, FILE_BITS=1, BYTES_READ=360 * MIB, F_GAP_MEDIUM_TIME=6.0,
                FILE1_BY_CALLS=number_of("/a.bin"), FILE1_CALLS=90),
        )
    )  # fmt: skip
    return names_in(folder, job)


def test_idle_workers_are_not_between_calls(tmp_path: Path) -> None:
    """The time in which an idle worker waits for its next batch, or in which the training takes its
    steps, is not time between the calls of a loop."""
    assert "costly-between" in between(tmp_path, False, 0.5)
    assert "costly-between" not in between(tmp_path, True, 0.5)
    assert "costly-between" not in between(tmp_path, False, 8.0)


@pytest.mark.parametrize(
    ("below", "is_told"),
    [("/a/torch/utils/data/_utils/fetch.py:49:fetch;/a.py:9:main", False), ("/a.py:9:main", True)],
)
def test_look_ups_of_a_data_set(tmp_path: Path, below: str, is_told: bool) -> None:
    """A data set that looks for its files, with pauses between batches, does not wait for files."""
    looks = row(
        "SITES", f"stat;/a.py:3:get;{below}", FRAMES=2 + below.count(";"), PROCESSES=1, LOOKUPS=16,
        GAPS_LONG=12, F_LOOKUP_TIME=0.001, F_GAP_LONG_TIME=6.0, FILE_BITS=1,
        FILE1_BY_CALLS=number_of("/flag"), FILE1_CALLS=4,
    )  # fmt: skip
    others = (
        row("POSIX_EXT", "<other paths>", MISSES=12, F_MISS_TIME=0.001),
        row("POSIX", "/flag", STATS=4),
        row("PROCESS", "host: python a.py", COUNT=1, PROGRAMS=1, ENDED=1, PARENT_RANK=-1,
            F_END_TIMESTAMP=10.0),
        row("USAGE", "usage", PROCESSES=1, F_USER_TIME=1.0, F_BLOCKED_TIME=8.0),
    )  # fmt: skip
    names = names_in(tmp_path, Job((looks, *others)))
    assert any(name.startswith("sleeps-between-look-ups") for name in names) == is_told
