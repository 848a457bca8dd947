"""Many files that share an overflow record are not reported as one file that is used repeatedly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import Log
from darshan_report.diagnose.finding import Finding
from darshan_report.diagnose.run import diagnose
from darshan_report.measure.files.overflow import NAME

from .build import MIB, Job, row, write
from .cases import CASES

COUNTED = b"lib_ver=3.5.0\nposix_files_in_overflow=4000\n"
FILES = Job(
    (
        row(
            "POSIX",
            NAME,
            OPENS=12000,
            READS=12000,
            BYTES_READ=240 * MIB,
            MAX_BYTE_READ=20479,
            SIZE_READ_10K_100K=12000,
            F_READ_TIME=3.0,
            F_META_TIME=3.0,
        ),
        row("POSIX", "/a", OPENS=1, READS=1, BYTES_READ=100, MAX_BYTE_READ=99),
    ),
    metadata=COUNTED,
)


MORE = {"BYTES_ASKED_WRITTEN": 80000, "OPEN_CALLS": 2000, "WRITE_CALLS": 2000}
SHUFFLED = {
    "CHUNK_BYTES": MIB,
    "CHUNK_CACHE_BYTES": 8 * MIB,
    "READ_CALLS": 400,
    "READ_POSIX_READS": 200,
    "READ_POSIX_BYTES_READ": 100 * MIB,
    "DISTINCT_BYTES_READ": 8 * MIB,
}


def told(job: Job, folder: Path) -> dict[str, Finding]:
    """Returns the findings of a log by name."""
    with Log(write(job, folder / "log.darshan")) as log:
        return {f.name: f for f in diagnose(log)}


def test_files_read_once_are_not_read_again(tmp_path: Path) -> None:
    """For an overflow record of 4,000 files, the report has no finding about a single file, but
    one about many files. It takes their number from the log's metadata, not from the number of
    opens."""
    found = told(FILES, tmp_path)
    assert [n for n, f in found.items() if f.kind == "problem"] == ["many-small-files"]
    assert found["many-small-files"].sentence.startswith("4,001 files ")


def test_without_a_count_opens_are_the_most(tmp_path: Path) -> None:
    """If the log lacks the number of files that share a record, as logs of other runtimes do, the
    number of opens is their number."""
    found = told(replace(FILES, metadata=b"lib_ver=3.5.0\n"), tmp_path)
    assert found["many-small-files"].sentence.startswith("12,001 files ")


def test_one_file_there_is_one_file(tmp_path: Path) -> None:
    """If the overflow record has only one file, that file may be reported as read again."""
    one = replace(FILES, metadata=COUNTED.replace(b"4000", b"1"))
    assert "same-bytes-again-read" in told(one, tmp_path)


@pytest.mark.parametrize("name", ["read-by-all", "element-wise", "whole-file-copy"])
def test_single_files_are_silent(name: str, tmp_path: Path) -> None:
    """A case of a problem of a single file is not reported if its record is an overflow record."""
    has = next(job for kind, job, _ in CASES if kind == name)
    assert name in told(has, tmp_path)
    rows = list(has.rows)
    changed = 0 if name != "whole-file-copy" else 1
    rows[changed] = replace(rows[changed], name=NAME)
    assert name not in told(replace(has, rows=tuple(rows)), tmp_path)


def test_tiny_datasets_have_the_size_of_those_known(tmp_path: Path) -> None:
    """The number of datasets in an overflow record is unknown, so its bytes are not part of the
    mean size of a dataset."""
    has = next(job for kind, job, _ in CASES if kind == "many-objects")
    like = next(r for r in has.rows if "BYTES_ASKED_WRITTEN" in r.values)
    rest = [replace(r, name=NAME) for r in has.rows if r.name == like.name]
    rest = [replace(r, values={**r.values, **MORE} if r.module == "LAYERS" else r.values)
            for r in rest]  # fmt: skip
    found = told(replace(has, rows=(*has.rows, *rest)), tmp_path)
    assert ", of 8 B each" in found["many-objects"].sentence
    assert "at least 1,001 datasets" in found["many-objects"].sentence


def test_a_cache_for_any_order_holds_all_chunks(tmp_path: Path) -> None:
    """If chunks are read again in random order although one fits into the cache, the remedy names a
    cache for all 16 chunks: one of 10 would be hardly better than the present one of 8."""
    has = next(job for kind, job, _ in CASES if kind == "chunk-cache")
    found = told(has.but(**SHUFFLED), tmp_path)["chunk-cache"]
    assert found.remedy and "in random order" in found.remedy.text
    assert f"H5Pset_chunk_cache(dapl, 12421, {16 * MIB}," in found.remedy.example
    assert "in random order" not in told(has, tmp_path)["chunk-cache"].remedy.text
