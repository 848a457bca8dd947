"""How numbers and their words are written, alike in `darshan stat`, the report's text and its web
page."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, Row, row, write
from .cases import CASES

UNEVEN = {name: job for name, job, _ in CASES if name.startswith("imbalance")}
# A job whose time is set to each size that has a unit of its own.
SHORT = Job((row("POSIX", "/a", OPENS=1, READS=9, BYTES_READ=90, F_READ_TIME=23e-6),), seconds=40)
SIZES = {"s": 23.0, "ms": 23e-3, "\u00b5s": 23e-6}


def told(build: Path, log: Path) -> dict[str, str]:
    """Returns the text of `darshan stat`, of the report as text and of the web page about a log, by
    "stat", "text" and "page"."""
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
    # The text of the page excludes its scripts.
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
    """The uneven load of a rank is written as a multiple of the mean ("8.3 times the mean"), never
    as a percentage above it."""
    said = told(build, write(UNEVEN[name], tmp_path / "a.darshan"))
    for form in ("text", "page"):
        assert re.search(r"\d(\.\d)? times the mean", said[form]), form
    for form, text in said.items():
        assert not re.search(r"%\s+(above|more than|over|of) the mean", text), form


@pytest.mark.parametrize(
    ("name", "job"), [(n, j) for n, j, _ in CASES], ids=[n for n, _, _ in CASES]
)
def test_numbers_and_their_words(name: str, job: Job, tmp_path: Path) -> None:
    """No finding has a plural after 1 ("1 calls") or counts 0 of something ("0 reads")."""
    few = {"FSYNCS": 1, "OPENS": 1, "STATS": 1, "SEEKS": 0, "MISSES": 1}
    rows = tuple(
        replace(one, values={k: min(v, few.get(k, v)) for k, v in one.values.items()})
        for one in job.rows
    )
    for made in (job, replace(job, rows=rows)):
        with open_log(write(made, tmp_path / "a.darshan")) as log:
            told = [f"{f.title} {f.sentence}" for f in diagnose(log)]
        for text in told:
            wrong = re.search(r"(?<![\d.,])(1 \w+[^s ]s|0 \w+s)\b(?! it)|100 % of it", text)
            assert not wrong, (name, wrong, text)


def test_python_fits_into_the_run(tmp_path: Path) -> None:
    """The time in HDF5 and the time in Python around it are together at most the run time."""
    rows: list[Row] = []
    for name in "abcd":  # each is used over the whole run
        rows.append(row("LAYERS", f"/f.h5:/{name}", UPPER_MODULE=4, WRITE_CALLS=500_000,
                        BYTES_ASKED_WRITTEN=4e6, CHUNK_BYTES=MIB, F_WRITE_TIME=0.5))  # fmt: skip
        rows.append(row("H5D", f"/f.h5:/{name}", file="/f.h5", WRITES=500_000,
                        F_WRITE_START_TIMESTAMP=0.001, F_WRITE_END_TIMESTAMP=9.99))  # fmt: skip
    job = Job(tuple(rows), command=b"python3 app.py")
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        text = next(f for f in diagnose(log) if f.name == "element-wise").sentence
    inside, around = re.findall(r"([\d.]+) s in", text)
    assert float(around) > 0 and float(inside) + float(around) <= 10.01, text


def test_notice_of_the_same_seconds(tmp_path: Path) -> None:
    """If two findings, also notices, claim the same time, the second one says so, and the others
    together claim at most the whole time."""
    job = next(job for name, job, _ in CASES if name == "blocking-only")
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        found = diagnose(log)
    stakes = [f.stake for f in found if f.stake.seconds > 0]
    claimed = sum(stake.seconds for stake in stakes if not stake.same_as)
    assert claimed <= stakes[0].of_seconds * 1.001, [(f.name, f.stake) for f in found]
