"""The report tells how many bytes each epoch read and how many of them came from storage, as the
kernel counted them around each sample."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from lab.watch import watch
from place import newest_torch

from .configurations import PYTHON, report_of

HERE = Path(__file__).resolve().parent
FILES, BYTES, EPOCHS = 8, 1 << 18, 3


def epochs_are_right(build: Path, folder: Path, python: str, case: str, packages: str) -> None:
    """Runs storage.py, and compares the report's rows of epochs with its counts. case: number of
    workers, and whether they stay. packages: the folder of the stand-in; "": PyTorch itself."""
    paths = [folder / f"{number}.bin" for number in range(FILES)]
    for path in paths:
        path.write_bytes(os.urandom(BYTES))
    os.sync()
    command = ["/usr/bin/env", f"PYTHONPATH={packages}", python, "-B", HERE / "storage.py"]
    out, (loop,) = report_of(build, folder, *command, *case.split(), *paths)
    told = json.loads(out)
    assert [row[0] for row in told] == [FILES * BYTES] * EPOCHS
    assert told[1][1] == 0 and told[0][1] >= FILES * BYTES <= told[2][1]
    rows = [[row["bytes_read"], row["storage_bytes"]] for row in loop["epochs"]]
    assert rows == told
    assert [loop["all"]["bytes_read"], loop["all"]["storage_bytes"]] == [
        sum(column) for column in zip(*told)
    ]


@pytest.mark.needs("storage")
@pytest.mark.parametrize("case", ["0 0", "2 0"])
def test_epochs(build: Path, tmp_path: Path, case: str) -> None:
    """For a loader without workers, and with workers that are started again for each epoch, the
    report's rows of epochs have the bytes that storage.py counts."""
    packages = str(shutil.copytree(HERE / "standin", tmp_path / "packages"))
    epochs_are_right(build, tmp_path, "/usr/bin/python3", case, packages)


@pytest.mark.needs("storage", "torch")
@pytest.mark.parametrize("case", ["0 0", "2 0", "2 1"])
def test_epochs_of_torch(build: Path, tmp_path: Path, case: str) -> None:
    """For a loader of PyTorch, whose workers may stay between epochs, the report's rows of epochs
    have the bytes that storage.py counts."""
    epochs_are_right(build, tmp_path, PYTHON, case, "")


@pytest.mark.needs("storage", "torch:newest")
def test_epochs_of_the_newest(build: Path, tmp_path: Path) -> None:
    """For a loader of the newest PyTorch whose workers stay, the report's rows of epochs have the
    bytes that storage.py counts."""
    epochs_are_right(build, tmp_path, newest_torch(), "2 1", "")


@pytest.mark.needs("storage")
def test_in_a_text(build: Path, tmp_path: Path) -> None:
    """The report says whether later epochs needed storage."""
    packages = shutil.copytree(HERE / "standin", tmp_path / "packages")
    path = tmp_path / "one.bin"
    path.write_bytes(os.urandom(BYTES))
    os.sync()
    command = ["/usr/bin/python3", "-B", HERE / "storage.py", "0", "0", path]
    outcome = watch(build, tmp_path / "run", command, PYTHONPATH=str(packages))
    done = subprocess.run(
        [build / "darshan", "report", "--text", *outcome.logs],
        capture_output=True,
        check=True,
        text=True,
    )
    said = " ".join(done.stdout.split())
    assert (
        "For batches, the kernel read 256 KiB from storage in the first epoch, and 128 KiB" in said
    )
