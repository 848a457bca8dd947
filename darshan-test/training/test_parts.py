"""The times of each part of making a batch (opening, reading, transforming, collating and so on) in
the log are compared with those that the program measured."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from lab.watch import Outcome, watch
from place import newest_torch
from sites.python.test_python import PYTHONS, Command
from tree import SOURCE

from .configurations import PYTHON, report_of

HERE = Path(__file__).resolve().parent
# Seconds: times in a log are rounded to microseconds, and sums of some are compared.
ROUNDING = 1e-4
# Bytes of a sample.
BYTES = 30_000
# Numbers of both epochs of parts.py together.
SAMPLES, BATCHES, EPOCHS = 24, 6, 2
# Counter's name: value.
Row = dict[str, float]
each_python = pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)


def recorded(build: Path, folder: Path, python: Command, workers: int, packages: str) -> Outcome:
    """Runs parts.py with the runtime; fails if it does not succeed. Returns its output and its log.
    packages: the folder of the stand-in for PyTorch."""
    sample = folder / "sample"
    sample.write_bytes(bytes(BYTES))
    command = [*python, "-B", HERE / "parts.py", str(workers), sample]
    outcome = watch(build, folder / "run", command, PYTHONPATH=packages)
    assert outcome.status == 0, outcome.error
    return outcome


@pytest.fixture
def packages(tmp_path: Path) -> str:
    """Copies the stand-in for PyTorch, so that its compiled files belong to this test; returns the
    folder."""
    return str(shutil.copytree(HERE / "standin", tmp_path / "packages"))


def kind(outcome: Outcome, number: int) -> list[Row]:
    """Returns the log's TRAINING records of a kind: 0 for loaders, 1 for epochs, 3 for workers."""
    rows = outcome.log.of("TRAINING").values()
    return [row for row in rows if row["TRAINING_KIND"] == number]


def total(rows: Sequence[Row], counter: str) -> float:
    """Returns the sum of a counter over records. counter: its name without "TRAINING_"."""
    return sum(row[f"TRAINING_{counter}"] for row in rows)


def agree(rows: Sequence[Row], told: Row, waited: float, functions: bool) -> None:
    """Fails unless the records of processes that make batches agree with the program, whose times
    within a part are at most those that the runtime measures around it. told: what the program
    printed. waited: seconds of waiting for data. functions: whether transforms are recorded by
    name."""
    assert told["batches"] == total(rows, "FETCHES") == BATCHES
    assert told["samples"] == total(rows, "FETCH_OPENS") == SAMPLES
    assert told["bytes"] == total(rows, "FETCH_BYTES_READ") == SAMPLES * BYTES
    making, collating = total(rows, "F_FETCH_TIME"), total(rows, "F_COLLATE_TIME")
    assert told["making"] - ROUNDING <= making <= waited + ROUNDING
    assert told["computing"] - ROUNDING <= total(rows, "F_FETCH_PROCESSOR_TIME")
    assert told["collating"] - ROUNDING <= collating
    parts = making - told["making"] + told["collating"]  # what no clock of the program saw
    assert collating <= parts + ROUNDING
    transforming = total(rows, "F_TRANSFORM_TIME")
    assert functions == (transforming > 0)
    if functions:
        assert told["transforming"] - ROUNDING <= transforming
        assert transforming <= told["transforming"] + told["sleeping"] + ROUNDING
    # Calls on files are inside of the program's readings.
    assert 0 < total(rows, "F_FETCH_READ_TIME") <= told["reading"] + ROUNDING
    assert 0 < total(rows, "F_FETCH_OPEN_TIME") <= making - told["computing"]
    assert total(rows, "F_FETCH_WRITE_TIME") == 0
    assert 0 <= total(rows, "F_FETCH_READY_TIME") <= making + ROUNDING
    longest = max(row["TRAINING_F_FETCH_LONGEST"] for row in rows)
    assert making / BATCHES <= longest <= making


@each_python
def test_a_process_without_workers(
    build: Path, tmp_path: Path, packages: str, python: Command
) -> None:
    """Without workers, the records of the loader and of its epochs agree, with each Python."""
    outcome = recorded(build, tmp_path, python, 0, packages)
    told: Row = json.loads(outcome.out)
    loaders, epochs = kind(outcome, 0), kind(outcome, 1)
    agree(loaders, told, total(loaders, "F_ITER_TIME") + total(loaders, "F_NEXT_TIME"), True)
    assert [row["TRAINING_FETCHES"] for row in epochs] == [BATCHES / EPOCHS] * EPOCHS
    for counter in ("FETCH_BYTES_READ", "F_FETCH_TIME", "F_COLLATE_TIME"):
        assert total(epochs, counter) == pytest.approx(total(loaders, counter), abs=ROUNDING)
    assert kind(outcome, 3) == []
    assert {row["TRAINING_WORKER"] for row in loaders + epochs} == {-1}


def workers_agree(outcome: Outcome, functions: bool) -> None:
    """Checks that the records of two workers agree with the times that the program measured in
    them. functions: whether transforms are recorded by name."""
    told: Row = json.loads(outcome.out)
    ((name, loader),) = (
        (name, row) for name, row in outcome.log.of("TRAINING").items() if row["TRAINING_KIND"] == 0
    )
    rows = kind(outcome, 3)
    assert name.startswith("DataLoader;")
    assert {row["TRAINING_LOADER"] for row in rows} == {loader["TRAINING_LOADER"]}
    assert {row["TRAINING_WORKER"] for row in rows} == {0, 1}
    lived = total(rows, "F_FETCH_TIME") + total(rows, "F_IDLE_TIME")
    agree(rows, told, lived, functions)
    assert total(rows, "F_IDLE_TIME") > 0
    assert loader["TRAINING_FETCHES"] == loader["TRAINING_F_FETCH_TIME"] == 0


def test_workers(build: Path, tmp_path: Path, packages: str) -> None:
    """With two workers of the stand-in, the records of parts agree with the times that the program
    measured."""
    workers_agree(recorded(build, tmp_path, ["/usr/bin/python3"], 2, packages), True)


@pytest.mark.needs("torch")
def test_workers_of_torch(build: Path, tmp_path: Path) -> None:
    """With two workers of Debian's PyTorch, the records of parts agree with the times that the
    program measured."""
    workers_agree(recorded(build, tmp_path, [PYTHON], 2, ""), False)


@pytest.mark.needs("torch:newest")
def test_workers_of_the_newest(build: Path, tmp_path: Path) -> None:
    """With two workers of the newest PyTorch, the records of parts agree with the times that the
    program measured."""
    workers_agree(recorded(build, tmp_path, [newest_torch()], 2, ""), False)


@pytest.mark.parametrize("workers", [0, 2])
def test_in_a_report(build: Path, tmp_path: Path, packages: str, workers: int) -> None:
    """The report has the times of the parts of making batches: of the workers if there are any,
    else of the program."""
    jsonschema = pytest.importorskip("jsonschema")
    (tmp_path / "sample").write_bytes(bytes(BYTES))
    command = ["/usr/bin/env", f"PYTHONPATH={packages}", "/usr/bin/python3", "-B"]
    _, (loop,) = report_of(
        build, tmp_path, *command, HERE / "parts.py", str(workers), tmp_path / "sample"
    )
    schema = json.loads((SOURCE / "doc/report.schema.json").read_text("utf-8"))
    jsonschema.validate(
        loop, {**schema["properties"]["training"]["items"], "$defs": schema["$defs"]}
    )
    made = loop["made"]
    assert [row["worker"] for row in loop["workers"]] == list(range(workers))
    assert made["batches"] == BATCHES and made["files_opened"] == SAMPLES
    assert made["bytes_read"] == SAMPLES * BYTES
    parts = [
        made[f"{part}_seconds"] for part in ("opening", "reading", "computing", "ready", "waiting")
    ]
    assert sum(parts) == pytest.approx(made["seconds"])
    assert 0 < made["collate_seconds"] < made["seconds"] > made["transform_seconds"] > 0
    assert (made["idle_seconds"] > 0) == (workers > 0)
    assert f"making {BATCHES} batches" in loop["sentence"]
