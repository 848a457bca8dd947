"""Words of numbers, which are the same in `darshan stat` and in every form of the report."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from .build import Job, row, write
from .cases import CASES

UNEVEN = {name: job for name, job, _ in CASES if name.startswith("imbalance")}
# Times of each size that has a unit of its own.
SHORT = Job((row("POSIX", "/a", OPENS=1, READS=9, BYTES_READ=90, F_READ_TIME=23e-6),), seconds=40)
SIZES = {"s": 23.0, "ms": 23e-3, "\u00b5s": 23e-6}


def told(build: Path, log: Path) -> dict[str, str]:
    """Returns what stat, the text and the page say of a log."""
    page = log.with_suffix(".html")
    commands = {
        "stat": [build / "darshan", "stat", "-r", log],
        "text": [build / "darshan-job-summary", "--text", log],
        "page": [build / "darshan-job-summary", "--html", "-o", page, log],
    }
    said = {}
    for name, command in commands.items():
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        said[name] = " ".join((done.stdout + done.stderr).split())
    # The scripts of the page are no text of it.
    said["page"] = re.sub(
        r"<script\b.*?</script>|<[^>]*>", " ", page.read_text("utf-8"), flags=re.S
    )
    return said


@pytest.mark.parametrize("unit", SIZES)
def test_one_unit(build: Path, tmp_path: Path, unit: str) -> None:
    """Each form writes a time with the same unit; a millionth of a second is never "us"."""
    job = SHORT.but(F_READ_TIME=SIZES[unit])
    for form, text in told(build, write(job, tmp_path / "a.darshan")).items():
        assert re.search(rf"\b23(\.0)? {unit}\b", text), form
        assert not re.search(r"\d ?(us|usec|\u03bcs|msec|sec|secs)\b", text), form


@pytest.mark.parametrize("name", UNEVEN)
def test_times_the_mean(build: Path, tmp_path: Path, name: str) -> None:
    """An uneven share is a multiple of the mean, never a percentage above it."""
    said = told(build, write(UNEVEN[name], tmp_path / "a.darshan"))
    for form in ("text", "page"):
        assert re.search(r"\d(\.\d)? times the mean", said[form]), form
    for form, text in said.items():
        assert not re.search(r"%\s+(above|more than|over|of) the mean", text), form
