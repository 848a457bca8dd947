"""Processes that a launcher started together without MPI say so in their logs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from .launch import read

TABLE = Path(__file__).resolve().parent.parent.parent / "runtime" / "job" / "launchers.def"
ROWS = re.findall(r'^LAUNCHER\("(\w+)", "(\w+)"\)', TABLE.read_text(), re.M)


def metadata(build: Path, parser: Path, folder: Path, extra: dict[str, str]) -> dict[str, str]:
    """Of the log of a process that is no MPI program."""
    env = {
        **{key: value for key, value in os.environ.items() if key not in dict(ROWS)},
        "LD_PRELOAD": str(build / "libdarshan.so"),
        "DARSHAN_ENABLE_NONMPI": "1",
        "DARSHAN_LOGPATH": str(folder),
        "DARSHAN_MMAP_LOGPATH": str(folder),
        **extra,
    }
    subprocess.run(["cat", __file__], env=env, check=True, stdout=subprocess.DEVNULL, timeout=30)
    (log,) = folder.glob("*.darshan")
    return read(parser, log).metadata


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rank_and_size(row: tuple[str, str], build: Path, parser: Path, tmp_path: Path) -> None:
    found = metadata(build, parser, tmp_path, {row[0]: "3", row[1]: "8"})
    assert (found["rank"], found["world_size"]) == ("3", "8")


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
    assert "rank" not in metadata(build, parser, tmp_path, extra)
