"""If loading its samples takes a training long, the report names the cause of the wait, and the
line in the data set. Most tests use a package in place of PyTorch (training/standin), which loads
samples in the training's own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from lab.environment import plain
from place import newest_torch

HERE = Path(__file__).resolve().parent
STANDIN = HERE.parent / "training" / "standin"
PROGRAM = """
import os, sys, time
import h5py
from torch.utils.data import DataLoader

case, epochs = sys.argv[1], int(sys.argv[2])
rank, size = (int(os.environ.get(name, "0")) for name in ("RANK", "WORLD_SIZE"))

def decode(data, seconds=0.004):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return len(data)

class Files:
    def __init__(self, names):
        self.names = names
    def __len__(self):
        return len(self.names)

class Decoded(Files):
    def __getitem__(self, i):
        with open(self.names[i], "rb", buffering=0) as file:
            return decode(file.read())  # decoded

class Opened(Files):
    def __getitem__(self, i):
        with h5py.File("samples.h5") as file:  # opened
            return file["x"][i]

class Indexed(Files):
    def __getitem__(self, i):
        if i == 0:
            open("index", "rb", buffering=0).read()
        return decode(b"", 0.01)

names = [f"large/{n}.bin" for n in range(40)]
data = {
    "decoded": lambda: Decoded(names),
    "opened": lambda: Opened(range(50)),
    "whole": lambda: Decoded(names),
    "part": lambda: Decoded(names[rank::size]),
    "index": lambda: Indexed(range(40)),
}[case]()
for _ in range(epochs):
    for batch in DataLoader(data, batch_size=2):
        pass
"""
LIMITS = "stake.share = 0\nstake.seconds = 0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a folder with samples, and the program that trains with them. Returns the folder."""
    made = tmp_path_factory.mktemp("samples")
    (made / "large").mkdir()
    for place in range(40):
        (made / "large" / f"{place}.bin").write_bytes(bytes(50_000))
    (made / "index").write_bytes(bytes(100_000))
    make = "import h5py; h5py.File('samples.h5', 'w')['x'] = [[1.0] * 100] * 50"
    subprocess.run([sys.executable, "-c", make], cwd=made, check=True)
    (made / "train.py").write_text(PROGRAM)
    (made / "limits").write_text(LIMITS)
    return made


def text_of(build: Path, folder: Path, case: str, epochs: int = 3, ranks: int = 0) -> str:
    """Records a training and returns its report as text, without line breaks. case, epochs: the
    arguments of the program; ranks: the number of processes with a rank, or 0 for one process
    without."""
    log = folder / f"{case}.darshan"
    one = f"{sys.executable} -B train.py {case} {epochs}"
    if ranks:
        each = " & ".join(f"WORLD_SIZE={ranks} RANK={rank} {one}" for rank in range(ranks))
        one = f"{each} & wait"
    environment = plain() | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(folder)}
    subprocess.run(
        [build / "darshan", "run", "--sites", "-o", folder, "sh", "-c", one],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(STANDIN)},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return report(build, folder, log)


def report(build: Path, folder: Path, log: Path) -> str:
    """Returns the report on a log as text, without line breaks."""
    made = subprocess.run(
        [build / "darshan", "report", "--text", "--thresholds", folder / "limits", "-o", "-", log],
        capture_output=True,
        text=True,
        check=True,
    )
    log.unlink()
    return " ".join(made.stdout.split())


def line(mark: str) -> str:
    """Returns how the report names the line of PROGRAM with the comment `mark`."""
    number = next(n for n, text in enumerate(PROGRAM.split("\n"), 1) if f"# {mark}" in text)
    return f"train.py:{number}, in {mark.capitalize()}.__getitem__"


def test_decoded_in_each_epoch(build: Path, folder: Path) -> None:
    """For a data set that is decoded in each epoch, the report names the line, and the remedy
    stores the samples."""
    text = text_of(build, folder, "decoded")
    assert "Each epoch reads the same 40 files again, 1.91 MiB, and makes its samples" in text
    decoded = line("decoded").split(":")[1].split(",")[0]
    assert f"at train.py:{int(decoded) - 1}, in Decoded" in text or f"at {line('decoded')}" in text
    assert "numpy.load('samples.npy', mmap_mode='r')" in text


def test_one_epoch_is_not_again(build: Path, folder: Path) -> None:
    """The report of a training of a single epoch does not say that the epoch repeats reads."""
    assert "Each epoch reads the same" not in text_of(build, folder, "decoded", 1)


def test_hdf5_opened_for_each_sample(build: Path, folder: Path) -> None:
    """For a data set that opens its HDF5 file for each sample, the report names the line, and the
    remedy opens the file once."""
    text = text_of(build, folder, "opened")
    assert "The data set opened " in text and " 150 times for 150 samples" in text
    opened = int(line("opened").split(":")[1].split(",")[0])
    assert any(f"at train.py:{n}, in Opened.__getitem__" in text for n in (opened, opened + 1))
    assert "Open the file once for each worker" in text


def test_each_rank_reads_the_whole_set(build: Path, folder: Path) -> None:
    """A training of two ranks that both read all files is reported with its remedy; one whose ranks
    each read different files is not."""
    text = text_of(build, folder, "whole", ranks=2)
    assert "Each rank reads the whole data set" in text
    assert "Each of the 2 ranks of the training loop of train.py:" in text
    assert "1.91 MiB, in each epoch: 11.4 MiB in 3 epochs" in text
    assert "DistributedSampler(dataset)" in text
    assert "reads the whole data set" not in text_of(build, folder, "part", ranks=2)


def test_a_small_index_is_no_data_set(build: Path, folder: Path) -> None:
    """Ranks that each read one small file in each epoch are not reported as reading the whole data
    set."""
    text = text_of(build, folder, "index", ranks=2)
    assert "problem: Each rank" not in text
    assert "1. Each rank reads" not in text


WORKERS = """
import glob, sys, time
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

class Shards(IterableDataset):
    def __iter__(self):
        names, info = sorted(glob.glob("large/*.bin")), get_worker_info()
        index = open("index", "rb").read()
        for name in names[info.id::info.num_workers] if sys.argv[1] == "part" else names:
            with open(name, "rb") as file:
                while data := file.read(1000):  # whole
                    end = time.thread_time() + 0.0005
                    while time.thread_time() < end:
                        pass
                    yield len(data)

for _ in range(2):
    for batch in DataLoader(Shards(), batch_size=50, num_workers=2):
        pass
"""


@pytest.mark.parametrize(
    "python",
    [
        pytest.param("/usr/bin/python3", marks=pytest.mark.needs("torch"), id="debian"),
        pytest.param(newest_torch(), marks=pytest.mark.needs("torch:newest"), id="newest"),
    ],
)
def test_each_worker_reads_the_whole_set(build: Path, folder: Path, python: str) -> None:
    """A training with real workers of PyTorch that each read all files is reported; one whose
    workers read different files and the same small index is not."""
    (folder / "stream.py").write_text(WORKERS)
    for case in ("whole", "part"):
        log = folder / f"{case}.darshan"
        subprocess.run(
            [build / "darshan", "run", "--sites", python, "-B", "stream.py", case],
            cwd=folder,
            env=plain() | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(folder)},
            check=True,
            stderr=subprocess.DEVNULL,
        )
        text = report(build, folder, log)
        assert ("1. Each worker reads the whole data set" in text) == (case == "whole")
        if case == "whole":
            assert "Each of the 2 workers of the training loop of stream.py:" in text
            assert "read all of 41 files like " in text and "8.01 MiB in 2 epochs" in text
            assert "in Shards.__iter__" in text and "get_worker_info()" in text
