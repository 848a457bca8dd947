"""The finding on datasets that every process reads whole. cases_jobs.py has the basic case, in
which each rank reads the dataset with one call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from .build import MIB, Job, Row, findings, row, shared
from .cases import CASES

NAME = "dataset-read-by-all"
WHOLE = next(having for name, having, _ in CASES if name == NAME)


def layers(distinct: float, filters: int) -> Row:
    """Returns the LAYERS record of the dataset's reads, which spent 7.5 of 8 seconds in HDF5
    itself. distinct: different bytes read from storage; filters: the number of HDF5 filters."""
    return row(
        "LAYERS", "/f.h5:/x", -1, UPPER_MODULE=4, LAYOUT=2, FILTERS=filters, READ_CALLS=64,
        CHUNK_BYTES=2 * MIB, CHUNK_CACHE_BYTES=64 * MIB, BYTES_ASKED_READ=128 * MIB,
        READ_POSIX_BYTES_READ=distinct, DISTINCT_BYTES_READ=distinct, F_READ_TIME=8.0,
        F_READ_POSIX_TIME=0.5,
    )  # fmt: skip


def stored(size: float, moved: float) -> Row:
    """Returns the POSIX record of the HDF5 file. size: bytes of the file up to the last one read;
    moved: bytes read in total."""
    return shared("POSIX", "/f.h5", OPENS=4, READS=64, BYTES_READ=moved, MAX_BYTE_READ=size - 1,
                  SIZE_READ_100K_1M=64, F_READ_TIME=0.5)  # fmt: skip


def pieces(*more: Row) -> Job:
    """Returns the job in which each rank reads the dataset in 16 pieces. more: further records."""
    job = WHOLE.but(READS=64, ACCESS1_ACCESS=2 * MIB, ACCESS1_COUNT=64)
    return replace(job, rows=(*job.rows, *more))


def test_the_stake_is_the_work_of_all_but_one(tmp_path: Path) -> None:
    """The potential saving is the time of all processes but one."""
    found = findings(WHOLE, tmp_path)[NAME]
    assert found.stake.seconds == pytest.approx(8.0 * 3 / 4)
    assert "4 processes read all 32.0 MiB of /f.h5:/x, each for itself" in found.sentence
    assert "128 MiB in 4 reads, 4.0 times the dataset" in found.sentence


def test_pieces_that_cover_the_dataset(tmp_path: Path) -> None:
    """If the different bytes that were read equal the dataset's size for each rank, each rank read
    all of it. If they are a quarter, each rank read its own part four times, and there is no
    finding."""
    found = findings(pieces(layers(128 * MIB, 0)), tmp_path)[NAME]
    assert "7.50 s (93.8 %) in HDF5 itself" in found.sentence
    assert NAME not in findings(pieces(layers(32 * MIB, 0)), tmp_path)


def test_packed_pieces(tmp_path: Path) -> None:
    """The stored size of compressed values is known, and the finding possible, only if the file has
    no other data."""
    each = 12 * MIB
    assert NAME in findings(pieces(layers(4 * each, 1), stored(each, 4 * each)), tmp_path)
    assert NAME not in findings(pieces(layers(4 * each, 1), stored(5 * each, 4 * each)), tmp_path)


def test_the_file_is_told_once(tmp_path: Path) -> None:
    """A file that is slow because every rank reads a dataset of it is reported once, as the finding
    on the dataset."""
    slow = replace(stored(32 * MIB, 128 * MIB))
    slow = replace(slow, values={**slow.values, "F_READ_TIME": 6.0})
    alone = replace(WHOLE, rows=(slow,))
    assert "read-by-all" in findings(alone, tmp_path)
    both = findings(replace(WHOLE, rows=(*WHOLE.rows, slow)), tmp_path)
    assert NAME in both and "read-by-all" not in both


def test_one_rank_that_reads_again(tmp_path: Path) -> None:
    """If one of four ranks read the dataset four times, the ranks moved uneven numbers of bytes:
    there is no finding."""
    uneven = (32 * MIB) ** 2 * 3.0
    assert NAME not in findings(WHOLE.but(F_VARIANCE_RANK_BYTES=uneven), tmp_path)


def test_variables_of_pnetcdf(tmp_path: Path) -> None:
    """A variable of PnetCDF has the finding, with a call of PnetCDF as remedy, but not if it has
    records."""
    variable = row(
        "PNETCDF_VAR", "/f.nc:x", -1, "/f.nc", OPENS=4, COLL_READS=4, BYTES_READ=128 * MIB,
        NPOINTS=4 * MIB, DATATYPE_SIZE=8, ACCESS1_ACCESS=32 * MIB, ACCESS1_COUNT=4, F_READ_TIME=8.0,
    )  # fmt: skip
    job = replace(WHOLE, rows=(variable,))
    assert "read all 32.0 MiB of /f.nc:x" in findings(job, tmp_path)[NAME].sentence
    assert "ncmpi_get_vara" in findings(job, tmp_path)[NAME].remedy.example
    assert NAME not in findings(job.but(IS_RECORD_VAR=1), tmp_path)


def test_the_size_of_a_rewritten_file(tmp_path: Path) -> None:
    """For a file of at most 20 KiB that four processes read and write with each of 2,400 opens, the
    finding names a lower bound of the times that it was rewritten, from its bytes, and does not say
    that its size stayed the same."""
    moved = 30 * MIB
    state = shared("POSIX", "/state", OPENS=2400, READS=2400, WRITES=2400, BYTES_READ=moved,
                   BYTES_WRITTEN=moved, MAX_BYTE_READ=20479, MAX_BYTE_WRITTEN=20479,
                   F_READ_TIME=2.0, F_WRITE_TIME=2.0, F_META_TIME=4.0)  # fmt: skip
    found = findings(Job((state,), nprocs=4), tmp_path)["rewritten-whole-edited"].sentence
    assert f"at least {moved / 20480:,.0f} times (its size was at most 20.0 KiB)" in found
    assert "kept its size" not in found
