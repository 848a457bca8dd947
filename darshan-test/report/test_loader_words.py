"""Findings about samples of a training use the terms of the library that loads them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab.environment import plain

from .conftest import Run

# A file in place of PyTorch's: only its path and the name of the function matter.
FETCH = "def fetch(data, indices):\n    return [data[i] for i in indices]\n"
PROGRAM = """
import sys
import h5py
sys.path.insert(0, sys.argv[1])
from fetch import fetch

class Files:
    def __getitem__(self, i):
        with open(f"samples/{i}.bin", "rb", buffering=0) as file:  # a file
            return file.read()

class Dataset:
    def __getitem__(self, i):
        with h5py.File("samples.h5") as file:  # a dataset
            return file["x"][i]

fetch({"files": Files, "dataset": Dataset}[sys.argv[2]](), range(int(sys.argv[3])))
"""
# Thresholds by which every cost counts, because the test's files are in memory.
LIMITS = "stake.share = 0\nstake.seconds = 0\nfiles.many = 100\n"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a folder with 200 samples in separate files, and an HDF5 file with 50 samples. Returns
    the folder."""
    folder = tmp_path_factory.mktemp("loader")
    (folder / "samples").mkdir()
    for number in range(200):
        (folder / "samples" / f"{number}.bin").write_bytes(bytes(3000))
    make = "import h5py; h5py.File('samples.h5', 'w')['x'] = [[1.0] * 100] * 50"
    subprocess.run([sys.executable, "-c", make], cwd=folder, check=True)
    for home in ("torch/utils/data/_utils", "mine"):
        (folder / home).mkdir(parents=True)
        (folder / home / "fetch.py").write_text(FETCH)
    (folder / "train.py").write_text(PROGRAM)
    (folder / "limits").write_text(LIMITS)
    return folder


@pytest.mark.parametrize("home", ["torch/utils/data/_utils", "mine"])
@pytest.mark.parametrize(
    "case",
    [
        ("files", "200", "many-small-files", "shards", "container"),
        ("dataset", "50", "hdf5-opened-again", "each worker", "Open once"),
    ],
    ids=lambda case: case[0],
)
def test_words(home: str, case: tuple[str, ...], samples: Path, build: Path, summary: Run) -> None:
    """The remedy is about a DataLoader only if a DataLoader loaded the samples, and the line is
    that of the user's data set. home: the folder of the library's code. case: the program's
    argument, the number of samples, the finding, and words of the remedy with and without a
    DataLoader."""
    what, number, name, for_loader, for_others = case
    log = samples / f"{home.rpartition('/')[2]}-{what}.darshan"
    command = [sys.executable, "train.py", str(samples / home), what, number]
    subprocess.run(
        [build / "darshan", "run", "--sites", "-o", samples, *command],
        cwd=samples,
        env=plain() | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(samples)},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    made = summary("--json", "-o", "-", "--thresholds", samples / "limits", log)
    found: list[dict[str, Any]] = json.loads(made.stdout)["findings"]
    one = next(finding for finding in found if finding["name"] == name)
    assert (for_others if home == "mine" else for_loader) in one["remedy"]["text"]
    mark = "# a file" if what == "files" else "# a dataset"
    line = next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if mark in text)
    # The file is opened in one line, its dataset in the next: either may have taken longer.
    assert one["line"]["place"]["line"] in (line, line + (what == "dataset"))
    if what == "files":
        assert ": the cost is per file" in one["sentence"]
