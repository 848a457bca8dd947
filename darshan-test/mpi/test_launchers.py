"""Processes without MPI that a launcher, such as srun, started together record the launcher's job
in their logs' metadata."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from pathlib import Path

import pytest
from lab.environment import settings
from lab.log import read_logs

TABLE = Path(__file__).resolve().parents[2] / "runtime" / "job" / "config" / "launchers.def"
ROW = re.compile(
    r'^LAUNCHER\("([\w ]+)", "(\w+)", "(\w*)", (\d), "(\w*)", "(\w*)",\s+"(\w*)", [01]\)',
    re.MULTILINE,
)
# Rows of launchers.def: launcher, variables of rank and size, first rank, variables of job, step
# and restart.
ROWS: list[tuple[str, ...]] = ROW.findall(TABLE.read_text("utf-8"))
# All variables of launchers.
VARIABLES = {name for row in ROWS for place, name in enumerate(row) if place not in (0, 3)}


def metadata(build: Path, parser: Path, folder: Path, extra: dict[str, str]) -> dict[str, str]:
    """Runs `cat` with the runtime and the variables `extra` of a launcher. Returns the metadata of
    its log."""
    env = {
        **{key: value for key, value in os.environ.items() if key not in VARIABLES},
        **settings(build, folder, folder),
        **extra,
    }
    subprocess.run(["cat", __file__], env=env, check=True, stdout=subprocess.DEVNULL, timeout=30)
    (log,) = folder.glob("*.darshan")
    return read_logs(parser, log).metadata


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rank_and_size(row: tuple[str, ...], build: Path, parser: Path, tmp_path: Path) -> None:
    """With the variables of a launcher, the metadata have its name, the rank from 0, and the size
    and the id of the launch if the launcher gives them."""
    name, rank, size, first, job, step, again = row
    extra = {rank: str(3 + int(first)), size: "8", job: "12", step: "34", again: "1"}
    found = metadata(build, parser, tmp_path, {k: v for k, v in extra.items() if k})
    assert (found["launcher"], found["rank"]) == (name, "3")
    assert found.get("world_size") == ("8" if size else None)
    expected = (["12"] if job else []) + (["34"] if step else []) + (["1"] if again else [])
    assert found.get("launch") == (".".join(expected) or None)
    assert found["host"] == socket.gethostname().split(".")[0]


def test_all_rows_are_tested() -> None:
    """The test reads every row of launchers.def."""
    assert len(ROWS) == TABLE.read_text("utf-8").count("\nLAUNCHER(")


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"RANK": "0"},
        {"SLURM_PROCID": "0", "SLURM_NTASKS": "64"},
        {"RANK": "8", "WORLD_SIZE": "8"},
        {"RANK": "-1", "WORLD_SIZE": "8"},
        {"RANK": "captain", "WORLD_SIZE": "8"},
        {"RANK": "0", "WORLD_SIZE": "1"},
    ],
    ids=str,
)
def test_nothing_to_say(extra: dict[str, str], build: Path, parser: Path, tmp_path: Path) -> None:
    """Without a launcher's variables, or with incomplete or impossible ones, the metadata have no
    rank."""
    assert "rank" not in metadata(build, parser, tmp_path, extra)


def test_what_runs_beside_a_task(build: Path, tmp_path: Path) -> None:
    """Slurm's TaskProlog and TaskEpilog have the variables of the task, but are not recorded; a
    script of another name is."""
    for name, logs in (("task-prolog", 0), ("task-epilog.site", 0), ("task-x", 1)):
        script, folder = tmp_path / name, tmp_path / f"{name}-logs"
        script.write_text("#!/bin/sh\necho $(cd / && pwd)\n")
        script.chmod(0o755)
        env = settings(build, folder, DARSHAN_JOB_TREE="0", PATH="/usr/bin:/bin")
        said = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}
        subprocess.run([script], env=env | said, check=True, stdout=subprocess.DEVNULL)
        assert bool(list(folder.glob("*.darshan"))) == bool(logs)
