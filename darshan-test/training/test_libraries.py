"""Trainings with libraries as users call them (libraries/train_*.py): the programs do the same
under `darshan run --sites` as alone, and the reports have what doc/training.md says of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished
from lab.environment import plain
from place import libraries_python

HERE = Path(__file__).resolve().parent / "libraries"
# Time limit of a program: imports of TensorFlow take long on a busy machine.
SECONDS = 300
# No library asks a hub for files, keeps a cache in the user's home or starts a GPU.
ALONE = {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
Row = dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """A script of this folder that ran with the runtime, and the JSON report of its log."""

    script: Path
    report: Row

    def at(self, place: Row | None, mark: str) -> bool:
        """Returns whether a place in the code is the script's line with this mark, a comment."""
        code = self.script.read_text().splitlines()
        line = next(n for n, text in enumerate(code, 1) if mark in text.partition("# ")[2])
        return place is not None and (place["file"], place["line"]) == (str(self.script), line)

    def loops(self) -> list[Row]:
        """Returns the loops over a DataLoader at the line "LOOP", those with most epochs first."""
        found = [loop for loop in self.report["training"] if self.at(loop["line"], "LOOP")]
        assert len(found) == len(self.report["training"])
        return sorted(found, key=lambda loop: -len(loop["epochs"]))

    def formats(self) -> dict[str, Row]:
        """Returns the rows of the formats of data files by name."""
        return {row["format"]: row for row in self.report["training_data"]}

    def calls(self, mark: str) -> Row:
        """Returns what the line with this mark called, from the table of lines of code."""
        (found,) = (row for row in self.report["where"]["lines"] if self.at(row["place"], mark))
        return found

    def saved(self, mark: str = "SAVE") -> list[Row]:
        """Returns the files of checkpoints that the line with this mark saved."""
        files = self.report["checkpoints"]["files"]
        return [row for row in files if self.at(row["place"], mark)]

    def loaded(self) -> list[Row]:
        """Returns the files that the line "LOAD" loaded as a state."""
        return [row for row in self.report["loaded"] if self.at(row["place"], "LOAD")]


def recorded(build: Path, folder: Path, name: str) -> Recorded:
    """Runs a script alone and with the runtime, and makes the report of its log. Fails if the two
    runs differ in exit status or standard output."""
    script = HERE / f"train_{name}.py"
    outcomes = []
    for front in ([], [build / "darshan", "run", "--sites"]):
        work = folder / ("recorded" if front else "alone")
        (work / "home").mkdir(parents=True)
        environment = {**plain(), **ALONE, "HOME": str(work / "home")}
        command = [*front, libraries_python(), "-B", script]
        outcomes.append(finished(command, cwd=work, env=environment, timeout=SECONDS))
    alone, under = outcomes
    assert (alone.returncode, alone.stdout) == (0, under.stdout), alone.stderr + under.stderr
    assert under.returncode == 0 and alone.stdout, under.stderr
    (log,) = (folder / "recorded" / "darshan-logs").glob("*.darshan")
    made = finished([build / "darshan", "report", "--json", "-o", "-", log], timeout=SECONDS)
    assert made.returncode == 0, made.stderr
    return Recorded(script, json.loads(made.stdout))


@pytest.mark.needs("training:libraries")
def test_lightning(build: Path, tmp_path: Path) -> None:
    """The loops of Lightning's fit, and its checkpoints, have the line of fit: the sanity check,
    three validations, and three epochs of nine batches. Lightning begins the first of these epochs
    at another line of its own than the others, so they are two loops."""
    found = recorded(build, tmp_path, "lightning")
    counts = [[epoch["batches"] for epoch in loop["epochs"]] for loop in found.loops()]
    assert sorted(counts) == [[2], [3, 3, 3], [9], [9, 9]]
    assert {loop["num_workers"] for loop in found.loops()} == {2}
    assert {loop["batch_size"] for loop in found.loops()} == {8}
    assert found.formats()["npy"]["files"] == 96
    assert [sum(row[what] for row in found.saved()) for what in ("saves", "kept", "replaced")] == [
        3,
        3,
        0,
    ]


@pytest.mark.needs("training:libraries")
def test_transformers(build: Path, tmp_path: Path) -> None:
    """The loop of transformers' Trainer and its checkpoints have the line of trainer.train(), and
    weights that were loaded have theirs; the data set is mapped Arrow."""
    found = recorded(build, tmp_path, "transformers")
    (loop,) = found.loops()
    assert [epoch["batches"] for epoch in loop["epochs"]] == [12] * 3
    assert loop["num_workers"] == 2
    assert found.formats()["Arrow"]["bytes_touched"] > 0
    states = {row["name"].rsplit("/", 1)[-1]: row for row in found.saved()}
    optimizer = states["optimizer.pt"]
    assert [optimizer[what] for what in ("saves", "kept", "removed")] == [3, 2, 1]
    assert states[".tmp*"]["saves"] == 3  # model.safetensors (doc/checkpoints.md)
    assert [row["name"].rsplit("/", 1)[-1] for row in found.loaded()] == ["model.safetensors"]


@pytest.mark.needs("training:libraries")
def test_webdataset(build: Path, tmp_path: Path) -> None:
    """The loop over a WebLoader has its line, and the four shards, which the program writes and two
    epochs read, are the data, in the format tar."""
    found = recorded(build, tmp_path, "webdataset")
    (loop,) = found.loops()
    assert [epoch["batches"] for epoch in loop["epochs"]] == [16] * 2
    assert loop["num_workers"] == 2
    shards = found.formats()["tar"]
    assert (shards["files"], shards["opens"]) == (4, 12)
    assert sum(row["saves"] for row in found.saved()) == 2


@pytest.mark.needs("training:libraries")
def test_jax(build: Path, tmp_path: Path) -> None:
    """A training with JAX has no loop; its three epochs are passes over 96 files. Reads of grain
    have the line of the data source, and the metadata of orbax's checkpoints have the line of save.
    Threads of TensorStore write the arrays, which have no line, and are known as checkpoints by
    their paths."""
    found = recorded(build, tmp_path, "jax")
    assert found.report["training"] == []
    assert found.calls("READ")["bytes_read"] >= 3 * 96 * 4096 * 4  # epochs, samples, numbers, bytes
    assert found.calls("SAVE")["bytes_written"] > 0
    (unknown,) = (row for row in found.report["where"]["lines"] if row["place"] is None)
    assert unknown["bytes_written"] > 3 * 100_000
    (arrays,) = found.report["checkpoints"]["files"]
    assert (arrays["saves"], arrays["kept"]) == (3, 3)
    passes = found.report["passes"]
    assert (passes["number"], passes["files"]) == (3, 96)


@pytest.mark.needs("training:libraries")
def test_tensorflow(build: Path, tmp_path: Path) -> None:
    """A training with TensorFlow has no loop; its three epochs are passes over a file. Checkpoints
    have the lines of fit and of CheckpointManager.save, and a loaded model has its line."""
    found = recorded(build, tmp_path, "tensorflow")
    assert found.report["training"] == []
    assert sum(row["saves"] for row in found.saved()) == 3
    assert sum(row["kept"] for row in found.saved("SAVE STATE")) == 2
    assert [row["name"].rsplit("/", 1)[-1] for row in found.loaded()] == ["epoch-3.keras"]
    passes = found.report["passes"]
    assert (passes["number"], passes["files"]) == (3, 1)
