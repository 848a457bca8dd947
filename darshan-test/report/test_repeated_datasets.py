"""The sentences, on the screen of `darshan stat` and in the report, about datasets whose numbers
alone would mislead."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from report.diagnose.build import MIB, Job, Row, row, write


def dataset(name: str, points: int, **values: float) -> tuple[Row, Row]:
    """Returns the LAYERS and H5D records of a dataset with this many 8-byte numbers. values:
    counters of LAYERS."""
    return (
        row("LAYERS", name, UPPER_MODULE=4, LAYOUT=1, **values),
        row("H5D", name, file="/f.h5", OPENS=1, DATASPACE_NPOINTS=points, DATATYPE_SIZE=8),
    )


def screen(build: Path, job: Job, folder: Path) -> list[str]:
    """Returns the lines that `darshan stat` prints below the first dataset of its table."""
    log = write(job, folder / "log.darshan")
    done = subprocess.run(
        [build / "darshan", "stat", "-r", log], capture_output=True, text=True, check=True
    )
    lines = done.stderr.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("datasets by time"))
    assert max(map(len, lines)) <= 80
    return lines[first + 2 :]


def report(build: Path, job: Job, folder: Path) -> str:
    """Returns the report's pages as HTML."""
    log, page = write(job, folder / "log.darshan"), folder / "page.html"
    subprocess.run([build / "darshan", "report", "--html", "-o", page, log], check=True)
    return page.read_text("utf-8")


@pytest.mark.parametrize(("read", "told"), [(128, True), (48, False)])
def test_read_by_all(read: int, told: bool, build: Path, tmp_path: Path) -> None:
    """If a program reads 128 MiB of a compressed dataset of 32 MiB, the screen and the report say
    that it read 4 times its size. told: whether they say so."""
    job = Job(dataset("/f.h5:/x", 4 * MIB, BYTES_ASKED_READ=read * MIB, F_READ_TIME=8.0,
                      READ_POSIX_BYTES_READ=24 * MIB, FILTERS=1))  # fmt: skip
    below = screen(build, job, tmp_path)
    assert (below[0] == "  the program read 4.00 times its size of 32.0 MiB") == told
    text = r"The program read 4\.00 times the size of \S*/x: 128\sMiB of 32\.0\sMiB"
    assert bool(re.search(text, report(build, job, tmp_path))) == told


@pytest.mark.parametrize(
    ("name", "wrote", "told"),
    [("/x", 2 * MIB, True), ("/x", 4096, False), ("<anonymous>", 2 * MIB, False)],
)
def test_metadata_of_others(
    name: str, wrote: int, told: bool, build: Path, tmp_path: Path
) -> None:  # fmt: skip
    """If HDF5 wrote metadata of other objects while a dataset of 128 bytes was created, the screen
    says so. wrote: the bytes written; told: whether the screen says so."""
    job = Job(dataset(f"/f.h5:{name}", 16, BYTES_ASKED_WRITTEN=128, F_OPEN_TIME=1.0,
                      OPEN_POSIX_BYTES_WRITTEN=wrote))  # fmt: skip
    below = screen(build, job, tmp_path)
    said = "  its opens wrote 2.00 MiB for other objects: metadata from HDF5's cache"
    assert (below[0] == said) == told
