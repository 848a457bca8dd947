"""Remedies show only calls of libraries and languages that the program uses."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import PROBLEM
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, row, write
from .cases import CASES

# The pattern of an API's names, and the modules of which at least one has records if a program uses
# the API.
_WORDS = {r"\bH5[A-Z][a-z]+_": ("H5F", "H5D"), r"\bncmpi_": ("PNETCDF_FILE",)}


@pytest.mark.parametrize(
    ("name", "job"), [(n, j) for n, j, _ in CASES], ids=[n for n, _, _ in CASES]
)
def test_no_strange_calls(name: str, job: Job, tmp_path: Path) -> None:
    """The example of a remedy has only calls of libraries that the log shows. name: of the case."""
    used = {row.module for row in job.rows}
    with open_log(write(job, tmp_path / "log.darshan")) as log:
        problems = [f for f in diagnose(log) if f.kind == PROBLEM]
    for finding in problems:
        assert finding.remedy.example or not finding.remedy.text
        for words, modules in _WORDS.items():
            if not used & set(modules):
                assert not re.search(words, finding.remedy.example), finding.name


def test_what_fits_stays(tmp_path: Path) -> None:
    """The finding `chunk-cache` shows HDF5 calls, because the program uses HDF5."""
    job = next(job for name, job, _ in CASES if name == "chunk-cache")
    with open_log(write(job, tmp_path / "log.darshan")) as log:
        first = next(f for f in diagnose(log) if f.name == "chunk-cache")
    assert "H5Pset_chunk_cache" in first.remedy.example


# Calls of C's library, which mean nothing to a user of another language.
_C = (
    r"(?<!::)\b(fopen|fread|fwrite|fprintf|setvbuf|pread|pwrite|qsort|madvise|posix_fadvise)\("
    r"|fflush\((?!\))"  # awk has an fflush()
)
_PYTHON = r"h5py|numpy|os\.\w+\(|\bimport |json\.|\w\[:\]"
_SQL = r"PRAGMA|BEGIN;|COMMIT"


@pytest.mark.parametrize("command", ["mawk -f a.awk", "perl a.pl", "bash a.sh", "sed -i s/a/b/ c",
                                     "java -jar a.jar", "sort a", "Rscript a.R"])  # fmt: skip
def test_words_of_the_language(command: str, tmp_path: Path) -> None:
    """The remedies for a program of awk, Perl, a shell, sed, Java or R have no example in C, Python
    or SQL."""
    for name, job, _ in CASES:
        one = replace(job, command=command.encode())
        with open_log(write(one, tmp_path / "log.darshan")) as log:
            for finding in diagnose(log):
                found = re.search(f"{_C}|{_PYTHON}|{_SQL}", finding.remedy.example)
                assert not found, (name, finding.name, found)


def test_python_is_for_python(tmp_path: Path) -> None:
    """A compiled program gets no example in h5py; a Python program gets examples in h5py and in
    C."""
    job = next(job for name, job, _ in CASES if name == "element-wise")
    for command, wanted in ((b"./app", False), (b"python3 app.py", True)):
        with open_log(write(replace(job, command=command), tmp_path / "log.darshan")) as log:
            first = next(f for f in diagnose(log) if f.name.startswith("element-wise"))
        assert ("values = data[:]" in first.remedy.example) == wanted
        assert "H5Dread" in first.remedy.example


def _again(name: str, **values: float) -> Job:
    """Returns a Python job that reads a file four times. name: of the file. values: further
    counters."""
    return Job((row("POSIX", name, OPENS=1, READS=400, BYTES_READ=400 * MIB,
                    MAX_BYTE_READ=100 * MIB - 1, F_READ_TIME=6.0, **values),),
               command=b"python3 app.py")  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/data/jobs.db", "PRAGMA cache_size"),
        ("/data/cube.npy", "mmap_mode='r'"),
        ("/data/values", ""),
    ],
)
def test_words_of_the_file(name: str, words: str, tmp_path: Path) -> None:
    """The remedy for reading a file again and again is in the terms of the library that the file
    name belongs to: SQLite, numpy, or none. words: what its example must contain."""
    with open_log(write(_again(name), tmp_path / "log.darshan")) as log:
        example = next(f for f in diagnose(log) if f.name.startswith("same-")).remedy.example
    assert words in example
    for other in {"PRAGMA", "mmap_mode"} - {
        word for word in ("PRAGMA", "mmap_mode") if word in words
    }:
        assert other not in example


def test_copies(tmp_path: Path) -> None:
    """The remedy for a file that is read repeatedly shows a file copy if other files of its size
    are written as often as it is read, and no copy otherwise."""
    copied = [row("POSIX", f"/data/run{i}", OPENS=1, WRITES=100, BYTES_WRITTEN=100 * MIB,
                  MAX_BYTE_WRITTEN=100 * MIB - 1, F_WRITE_TIME=0.1) for i in range(4)]  # fmt: skip
    job = _again("/data/base")
    for one, wanted in ((job, False), (replace(job, rows=(*job.rows, *copied)), True)):
        with open_log(write(one, tmp_path / "log.darshan")) as log:
            remedy = next(f for f in diagnose(log) if f.name.startswith("same-")).remedy
        assert ("shutil.copyfile" in remedy.example) == wanted


def test_opened_again(tmp_path: Path) -> None:
    """The remedy for a file that is opened repeatedly mentions locks only if the file is removed as
    often as it is opened, and has no h5py example for a program without HDF5."""
    job = next(job for name, job, _ in CASES if name == "opened-again")
    job = replace(job, command=b"python3 app.py")
    opened = next(one for one in job.rows if one.values.get("OPENS", 0) > 1)
    removed = row("POSIX_EXT", opened.name, UNLINKS=opened.values["OPENS"])
    for one, wanted in ((job, False), (replace(job, rows=(*job.rows, removed)), True)):
        with open_log(write(one, tmp_path / "log.darshan")) as log:
            found = next(f for f in diagnose(log) if f.name == "opened-again")
        assert ("fcntl" in found.remedy.text) == wanted
        assert "with open(path)" in found.remedy.example and "h5py" not in found.remedy.example
        assert " 0 times" not in found.sentence
