"""Passes over a set of files: the report finds the epochs of a program without a DataLoader of
PyTorch, from the files that it reads again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished
from lab.environment import minimal

from .passes import FILES, PASSES, SIZE, WORK

PROGRAM = Path(__file__).resolve().parent / "passes.py"


def told(build: Path, folder: Path, *command: str | Path) -> Any:
    """Runs a command with the runtime; returns the field "passes" of the report of its log."""
    log = folder / "log.darshan"
    environment = {**minimal(), "DARSHAN_LOGFILE": str(log)}
    ran = finished([build / "darshan", "run", *command], cwd=folder, env=environment)
    assert ran.returncode == 0, ran.stderr
    made = finished([build / "darshan", "report", "--json", "-o", "-", log])
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)["passes"]


@pytest.mark.parametrize(("way", "files"), [("shuffled", FILES), ("one", 1)])
def test_passes(build: Path, tmp_path: Path, way: str, files: int) -> None:
    """The number of passes, the set and its bytes are exact, and each pass takes as long as the
    work in it, also if the order differs in each pass, or if the set is one file."""
    found = told(build, tmp_path, sys.executable, "-B", PROGRAM, way)
    assert (found["number"], found["files"]) == (PASSES, files)
    assert found["set_bytes"] == FILES * SIZE
    assert found["read_bytes"] == PASSES * FILES * SIZE
    whole = found["end_seconds"] - found["start_seconds"]
    assert whole >= (PASSES * FILES - 1) * WORK
    ends = found["ends"]
    assert len(ends) == PASSES and ends == sorted(ends)
    # Each pass has the same work. A bin of the heat map is at most 0.2 s long here.
    for begin, end in zip([found["start_seconds"], *ends], ends):
        assert end - begin >= FILES * WORK - 0.25


def test_files_that_are_read_in_a_row(build: Path, tmp_path: Path) -> None:
    """If each file is read three times before the next one, there are no passes."""
    assert told(build, tmp_path, sys.executable, "-B", PROGRAM, "in-row") is None


@pytest.mark.parametrize("times", [1, 3])
def test_processes_that_each_read_the_set(build: Path, tmp_path: Path, times: int) -> None:
    """If two processes at the same time read a file three times each, the passes are those of each
    process. If each reads it once, there are none."""
    (tmp_path / "data.bin").write_bytes(bytes(8 << 20))
    one = f"cat{' data.bin' * times} >/dev/null &"
    found = told(build, tmp_path, "sh", "-c", f"{one} {one} wait")
    assert (found and (found["number"], found["processes"])) == ((3, 2) if times > 1 else None)


def test_a_shell_that_steps_back(build: Path, tmp_path: Path) -> None:
    """A shell that reads lines from a file reads each block again for each of its lines. These are
    no passes."""
    (tmp_path / "lines").write_text("a line of some words\n" * 60_000)
    loop = "while read -r line; do n=$((n + 1)); done <lines"
    assert told(build, tmp_path, "bash", "-c", f"{loop}; : $n") is None
