"""The tables of epochs and checkpoints in a lake, and the queries about them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from darshan_report import lake as lakes
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from lab.environment import plain
from report.diagnose.build import Job, number_of, row, write
from report.diagnose.cases_checkpoints import saved
from report.diagnose.cases_training import LOADER

from .conftest import Run
from .rows import rows

TRAINING = Path(__file__).resolve().parent.parent / "training"
PROGRAM = """
import runpy, sys
for step in range(2):
    open(f"model-{step}.pt", "wb").write(bytes(1 << 20))
sys.argv[1:] = ["waiting"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def answer(lake: Path, name: str) -> list[dict[str, Any]]:
    """Returns the rows of a predefined query."""
    with lakes.open(lake) as opened:
        return opened.sql(*query(BY_NAME[name], Filters(), {"top": 20})).rows()


def test_a_program(build: Path, darshan: Run, tmp_path: Path) -> None:
    """For a real training, the tables have the same values as the report of its log, and the times
    of the program's own clock."""
    program = PROGRAM.replace("sys.argv[0]", repr(str(TRAINING / "epochs.py")))
    (tmp_path / "a").mkdir()
    log = tmp_path / "a" / "user_train.py_id1-1_1-1-1-1_1.darshan"
    (tmp_path / "train.py").write_text(program)
    environment = {"DARSHAN_LOGFILE": str(log), "PYTHONPATH": str(TRAINING / "standin")}
    done = subprocess.run(
        [build / "darshan", "run", sys.executable, "-B", "train.py"],
        cwd=tmp_path,
        env=plain() | environment | {"DARSHAN_MMAP_LOGPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert darshan("collect", "--into", "lake", log.parent).returncode == 0
    whole, *each = sorted(rows(tmp_path / "lake", "epochs"), key=lambda r: r["epoch"] or 0)
    assert [r["epoch"] for r in (whole, *each)] == [None, 1, 2]
    for got, one in zip(each, told):
        assert got["batches"] == one["steps"]
        assert one["inside"] - 1e-5 <= got["wait_seconds"] <= one["wait"] + 1e-5
    assert whole["file"] == str(TRAINING / "epochs.py") and whole["why"] == "main"
    assert (whole["epochs"], whole["batches"], whole["num_workers"]) == (2, 40, 0)
    (entry,) = json.loads(darshan("report", "--json", "-o", "-", log).stdout)["training"]
    assert whole["wait_seconds"] == pytest.approx(entry["all"]["wait_seconds"])
    (state,) = rows(tmp_path / "lake", "checkpoints")
    assert (state["name"], state["saves"]) == (f"{tmp_path}/model-*.pt", 2)
    assert (state["files"], state["bytes_written"], state["removed"]) == (2, 2 << 20, 0)
    (loop,) = answer(tmp_path / "lake", "epochs")
    assert loop["place"].startswith(f"{TRAINING / 'epochs.py'}:") and loop["epochs"] == 2
    assert loop["wait_share"] == pytest.approx(entry["all"]["wait_share"])


def job(waits: tuple[float, ...], begin: float) -> Job:
    """Returns the log of a training of two epochs that saved three times. waits: the seconds that
    each rank waited for data; begin: when the first save began, in seconds after the start of the
    run."""
    loader = number_of(LOADER.name)
    ranks = [
        row("TRAINING", f"rank {n} of x", KIND=2, LOADER=loader, RANK=n, EPOCHS=2, STEPS=50,
            F_EPOCH_TIME=4.0, F_NEXT_TIME=wait)
        for n, wait in enumerate(waits)
    ]  # fmt: skip
    sums = replace(LOADER, values={**LOADER.values, "LOADER": loader, "F_NEXT_TIME": sum(waits)})
    saves = [saved(f"/ck_{step}.pt", begin + 20 * step) for step in range(3)]
    return Job((sums, *ranks, *saves), seconds=100, nprocs=2, command=b"python3 train.py")


def test_questions(darshan: Run, tmp_path: Path) -> None:
    """The queries "epochs" and "saves" have sums over the jobs of a program's line; "epochs" also
    has by which factor the slowest rank waited longer than the mean."""
    for number, waits in enumerate(((1.0, 3.0), (2.0, 2.0))):
        name = f"user{number}_code_id{number}-1_1-1-1-1_1.darshan"
        write(job(waits, 1.0 + number), tmp_path / name)
    assert darshan("collect", "--into", "lake", tmp_path).returncode == 0
    (loop,) = answer(tmp_path / "lake", "epochs")
    assert (loop["place"], loop["jobs"], loop["users"]) == ("/work/train.py:31", 2, 2)
    assert (loop["epochs"], loop["wait_seconds"]) == (4, pytest.approx(8.0))
    assert loop["wait_share"] == pytest.approx(0.5)
    assert loop["slowest_rank_times_mean"] == pytest.approx(1.5)
    (state,) = answer(tmp_path / "lake", "saves")
    assert (state["saved_by"], state["jobs"], state["saves"]) == ("torch.save (by its name)", 2, 6)
    assert state["seconds"] == pytest.approx(state["waited_seconds"]) == pytest.approx(24.0)
    assert state["interval_seconds"] == pytest.approx(20.0)


def test_hidden_names(darshan: Run, tmp_path: Path) -> None:
    """A lake with anonymized names has no name of a training's files or code."""
    write(job((1.0, 3.0), 1.0), tmp_path / "user_code_id1-1_1-1-1-1_1.darshan")
    assert darshan("collect", "--obfuscate", "--into", "lake", tmp_path).returncode == 0
    assert {r["file"] for r in rows(tmp_path / "lake", "epochs")} == {None}
    for file in (tmp_path / "lake").rglob("*.parquet"):
        content = file.read_bytes()
        assert b"train.py" not in content and b"ck_" not in content, file
