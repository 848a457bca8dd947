"""The report finds the files from which a program loaded its state, by which function, and whether
they were read or mapped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from darshan_report import open_log
from darshan_report.checkpoints.loads import Loaded, loaded
from darshan_report.checkpoints.savers import LOADERS
from darshan_report.diagnose.facts import Facts
from lab.environment import plain

from .conftest import Run
from .diagnose.build import MIB, Job, number_of, row, write
from .pages import text_of

PACKAGES = "/home/me/env/lib/python3.11/site-packages"
# For each library that the report knows, a Python frame that loads. Files that numpy loads count as
# state only if their names say so.
FRAMES = {
    "transformers' from_pretrained": "transformers/modeling_utils.py:3:from_pretrained",
    "torch.distributed.checkpoint": "torch/distributed/checkpoint/filesystem.py:3:read_data",
    "torch.load": "torch/serialization.py:789:load",
    "torch.jit.load": "torch/jit/_serialization.py:160:load",
    "safetensors": "safetensors/torch.py:310:load_file",
    "orbax": "orbax/checkpoint/_src/handlers/standard.py:3:StandardHandler.restore",
    "flax.training.checkpoints": "flax/training/checkpoints.py:3:restore_checkpoint",
    "TensorFlow's checkpoint": "tensorflow/python/checkpoint/checkpoint.py:3:Checkpoint.restore",
    "Keras' loading": "keras/src/saving/saving_api.py:3:load_model",
    "joblib.load": "joblib/numpy_pickle.py:640:load",
    "numpy.load": "numpy/lib/npyio.py:405:load",
}
READ = {"OPENS": 1, "READS": 9, "BYTES_READ": 9 * MIB, "F_READ_TIME": 2.0, "F_META_TIME": 0.5}


def found(job: Job, folder: Path) -> list[Loaded]:
    """Returns the loaded files that the report finds in a log of a job with these records."""
    with open_log(write(job, folder / "a.darshan")) as log:
        return list(loaded(Facts(log)))


@pytest.mark.parametrize("title", [loader.title for loader in LOADERS])
def test_each_function(title: str, tmp_path: Path) -> None:
    """A file counts as loaded state if a known library function is on the stack of the call site
    that read it. title: the expected name of the function."""
    name = "/m/checkpoint.npz" if title == "numpy.load" else "/m/weights.bin"
    stack = f"read;{PACKAGES}/{FRAMES[title]};/home/me/serve.py:31:main"
    site = row(
        "SITES", stack, FILE_BITS=1, FILE1_BY_CALLS=number_of(name), FILE1_CALLS=9, READS=9,
        BYTES_READ=9 * MIB,
    )  # fmt: skip
    (state,) = found(Job((row("POSIX", name, **READ), site)), tmp_path)
    assert (state.title, state.from_calls, state.files, state.processes) == (title, True, 1, 1)
    assert (state.read, state.mapped, state.seconds) == (9 * MIB, 0, 2.5)


def test_names_and_mappings(tmp_path: Path) -> None:
    """Without call sites, the names of files show which are loaded state. The parts of one model
    share a row, which has the number of ranks and the mapped bytes."""
    rows = []
    for shard in (1, 2):
        name = f"/m/{shard}-2.pt"
        rows += [row("POSIX", name, rank, OPENS=1, MMAPS=1) for rank in (0, 1)]
        rows += [
            row("POSIX_EXT", name, rank, MMAP_BYTES=10 * MIB, MMAP_TOUCHED=(1 + rank) * MIB)
            for rank in (0, 1)
        ]
    (state,) = found(Job(tuple(rows), nprocs=2), tmp_path)
    assert (state.name, state.files) == ("/m/*-2.pt", 2)
    assert (state.processes, state.mapped, state.touched) == (2, 40 * MIB, 6 * MIB)
    others = ("/m/data.csv", "/m/x.npz", "/m/x.h5")
    assert not found(Job(tuple(row("POSIX", name, **READ) for name in others)), tmp_path)
    assert not found(Job((row("POSIX", "/m/a.pt", OPENS=1, BYTES_READ=1000),)), tmp_path)


# A file in place of PyTorch's: only its path and the name of the function matter.
LOAD = """
def load(path):
    with open(path, "rb", buffering=0) as file:
        return file.read()
"""
PROGRAM = """
import mmap, sys
sys.path.insert(0, "site-packages/torch")
from serialization import load
load("weights.bin")  # load
with open("model.safetensors", "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    sum(mapped[at] for at in range(0, 1 << 20, 4096))
"""


@pytest.fixture(scope="module")
def recorded(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the log of a program that loads one file and maps another."""
    folder = tmp_path_factory.mktemp("loads")
    library = folder / "site-packages" / "torch"
    library.mkdir(parents=True)
    (library / "serialization.py").write_text(LOAD)
    (folder / "serve.py").write_text(PROGRAM)
    for name in ("weights.bin", "model.safetensors"):
        (folder / name).write_bytes(bytes(2 * MIB))
    log = folder / "a.darshan"
    subprocess.run(
        [build / "darshan", "run", "--sites", "-o", folder, sys.executable, "serve.py"],
        cwd=folder,
        env=plain() | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(folder)},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return log


def test_program(recorded: Path, summary: Run, tmp_path: Path) -> None:
    """The bytes, functions and lines of a real program are in each form of the report."""
    made = summary("--json", "-o", "-", recorded)
    rows: dict[str, Any] = {
        one["name"].rsplit("/", 1)[-1]: one for one in json.loads(made.stdout)["loaded"]
    }
    assert set(rows) == {"weights.bin", "model.safetensors"}
    read, mapped = rows["weights.bin"], rows["model.safetensors"]
    line = next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if "# load" in text)
    assert (read["loaded_by"], read["place"]["line"]) == ("torch.load", line)
    assert (read["bytes_read"], read["bytes_mapped"]) == (2 * MIB, 0)
    assert (mapped["bytes_read"], mapped["bytes_mapped"]) == (0, 2 * MIB)
    assert MIB <= mapped["bytes_touched"] <= 2 * MIB
    for form in ("txt", "html", "pdf"):
        out = tmp_path / f"a.{form}"
        assert summary(recorded, "-o", out).returncode == 0
        text = text_of(out) if form == "pdf" else out.read_text("utf-8")
        assert f"torch.load at serve.py:{line}" in " ".join(text.split())
        assert "oaded state" in text and "model.safetensors" in text
