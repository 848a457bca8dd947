"""Remedies show only calls of libraries that the program uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import PROBLEM
from darshan_report.diagnose.run import diagnose

from .build import Job, write
from .cases import CASES

# The pattern of an API's names, and the modules of which at least one has records if a program uses
# the API.
_WORDS = {r"\bH5[A-Z][a-z]+_": ("H5F", "H5D"), r"\bncmpi_": ("PNETCDF_FILE",)}


@pytest.mark.parametrize(
    ("name", "job"), [(n, j) for n, j, _ in CASES], ids=[n for n, _, _ in CASES]
)
def test_no_strange_calls(name: str, job: Job, tmp_path: Path) -> None:
    used = {row.module for row in job.rows}
    with open_log(write(job, tmp_path / "log.darshan")) as log:
        problems = [f for f in diagnose(log) if f.kind == PROBLEM]
    for finding in problems:
        assert finding.remedy.example or not finding.remedy.text
        for words, modules in _WORDS.items():
            if not used & set(modules):
                assert not re.search(words, finding.remedy.example), finding.name


def test_what_fits_stays(tmp_path: Path) -> None:
    """The same finding shows HDF5 calls if the program uses HDF5."""
    job = next(job for name, job, _ in CASES if name == "chunk-cache")
    with open_log(write(job, tmp_path / "log.darshan")) as log:
        first = next(f for f in diagnose(log) if f.name == "chunk-cache")
    assert "H5Pset_chunk_cache" in first.remedy.example
