"""The report names the formats of the files from which a training reads its samples."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.training.data_formats import formats
from darshan_report.log import open_log
from lab.environment import minimal
from lab.watch import run
from tree import SOURCE

from report.diagnose.build import Job, row, write

HERE = Path(__file__).resolve().parents[1] / "training"
KIB = 1 << 10
# For each format: the names of its files, and the bytes of each file.
FILES = {
    "image": (("a/1.jpg", "a/2.PNG", "b/3.jpeg"), 9 * KIB),
    "tar": (("shard-000.tar", "shard-001.tar.gz"), 12 * KIB),
    "Parquet": (("part-0.parquet",), 20 * KIB),
    "zarr": (("x/zarr.json", "x/c/0/0", "x/c/0/1"), 6 * KIB),
    "TFRecord": (("train.tfrecord-00001-of-00010",), 16 * KIB),
    "LMDB": (("db/data.mdb",), 14 * KIB),
    "other": (("words", "c/0/0"), 4 * KIB),
}


def made(folder: Path) -> list[str]:
    """Makes files of several formats, one of which is mapped; returns their paths."""
    paths = []
    for names, size in FILES.values():
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(size))
            paths.append(str(path))
    (folder / "all.npy").write_bytes(bytes(256 * KIB))
    return [*paths, str(folder / "all.npy")]


def test_formats_of_a_program(build: Path, tmp_path: Path) -> None:
    """The report names each format that the program reads, with the number of its files and bytes,
    and no format that it writes."""
    jsonschema = pytest.importorskip("jsonschema")
    packages = shutil.copytree(HERE / "standin", tmp_path / "packages")
    paths, log = made(tmp_path / "set"), tmp_path / "log.darshan"
    settings = {**minimal(), "PYTHONPATH": str(packages), "DARSHAN_LOGFILE": str(log)}
    command = [build / "darshan", "run", "/usr/bin/python3", "-B", HERE / "formats.py", *paths]
    assert run(command, tmp_path, settings).status == 0
    report = run([build / "darshan", "report", "--json", "-o", "-", log], tmp_path, minimal())
    told = json.loads(report.out)
    jsonschema.validate(told, json.loads((SOURCE / "doc/report.schema.json").read_text("utf-8")))
    rows = {row["format"]: row for row in told["training_data"]}
    npy, arrow = rows.pop("npy"), rows.pop("Arrow")
    assert (arrow["files"], arrow["bytes_read"]) == (1, 2000)  # which the program made itself
    assert (npy["files"], npy["bytes_read"], npy["bytes_touched"]) == (1, 0, 256 * KIB)
    assert {
        name: (row["files"], row["opens"], row["bytes_read"]) for name, row in rows.items()
    } == {
        name: (len(names), len(names), len(names) * size) for name, (names, size) in FILES.items()
    }
    assert told["training_data"][0] == npy  # that with most bytes
    text = run([build / "darshan", "report", "--text", log], tmp_path, minimal()).out
    assert "\nimage                      3         3  27.0 KiB         -" in text


def test_hdf5_by_the_library(tmp_path: Path) -> None:
    """A file that was opened by HDF5 is counted as HDF5, whatever its name is."""
    job = Job(
        (
            row("POSIX", "/data/run7", OPENS=1, READS=2, BYTES_READ=500),
            row("POSIX", "/data/run8", OPENS=1, READS=2, BYTES_READ=400),
            row("H5F", "/data/run7", OPENS=1),
        )
    )
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        found = formats(Facts(log))
    assert [(one.title, one.files, one.read) for one in found] == [
        ("HDF5", 1, 500),
        ("other", 1, 400),
    ]


def test_file_of_two_layers(tmp_path: Path) -> None:
    """A file that was read by both POSIX and STDIO is one file, with the bytes of both."""
    job = Job(
        (
            row("POSIX", "/data/1.npy", OPENS=1, READS=1, BYTES_READ=128),
            row("STDIO", "/data/1.npy", OPENS=1, FDOPENS=1, READS=1, BYTES_READ=500),
            row("STDIO", "/data/2.npy", OPENS=1, READS=1, BYTES_READ=400),
        )
    )
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        found = formats(Facts(log))
    assert [(one.title, one.files, one.opens, one.read) for one in found] == [("npy", 2, 2, 1028)]
