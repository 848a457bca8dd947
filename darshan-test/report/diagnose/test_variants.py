"""Pairs of similar logs for which a finding must differ, or occurs for only one of the two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from logs.model import Heatmap, Module

from .build import MIB, Job, findings, number_of, row, shared
from .cases_over_time import waits

_RANKS = 8


def in_turn() -> Job:
    """Returns a job whose eight ranks read files of their own one after another, while the others
    wait."""
    pieces = (
        row("POSIX", f"/part{rank}", rank, OPENS=1, READS=8, SEQ_READS=7, BYTES_READ=8 * MIB,
            MAX_BYTE_READ=8 * MIB - 1, F_READ_TIME=0.7)
        for rank in range(_RANKS)
    )  # fmt: skip
    named = row("STDIO", "heatmap:POSIX")
    return Job((*pieces, named), nprocs=_RANKS, extra=waits(_RANKS, wait=True))


def test_collective_calls_are_no_turns(tmp_path: Path) -> None:
    """If all ranks make collective calls, below which one rank at a time does the I/O, this is not
    reported as ranks that wait for each other."""
    job = in_turn()
    together = tuple(
        shared("MPI-IO", f"/part{rank}", COLL_READS=64, BYTES_READ=8 * MIB, F_READ_TIME=0.1)
        for rank in range(_RANKS)
    )
    assert "ranks-wait-for-io" in findings(job, tmp_path)
    assert "ranks-wait-for-io" not in findings(replace(job, rows=job.rows + together), tmp_path)


@pytest.mark.parametrize("each, told", [(0.7, True), (5.0, False)])
def test_io_at_the_same_time_is_no_turn(each: float, told: bool, tmp_path: Path) -> None:
    """All ranks move bytes in each bin of the heat map. They take turns only if their I/O times
    together fit into the bins. each: seconds of a rank; told: whether the finding is expected."""
    job = in_turn()
    rows = tuple(
        replace(one, values={**one.values, "F_READ_TIME": each}) if one.module == "POSIX" else one
        for one in job.rows
    )
    bins = 56
    heats = Module(
        "HEATMAP",
        1,
        [
            Heatmap(
                number_of("heatmap:POSIX"), rank, 0.1, [MIB] * bins + [0] * bins, [0] * 2 * bins
            )
            for rank in range(_RANKS)
        ],
    )
    ns = [90_000_000] * bins + [0] * bins
    of_ranks = Module(
        "MPIWAIT",
        1,
        [
            Heatmap(number_of("heatmap:MPIWAIT"), rank, 0.1, ns, [0] * 2 * bins)
            for rank in range(_RANKS)
        ],
    )
    found = findings(replace(job, rows=rows, extra=(heats, of_ranks)), tmp_path)
    assert ("ranks-wait-for-io" in found) == told


def test_a_lock_that_processes_share(tmp_path: Path) -> None:
    """If several processes lock the file, the text must not say that no other process holds the
    lock."""
    alone = Job((row("POSIX_EXT", "/a", LOCKS=2_000_000, F_LOCK_TIME=16.0),), nprocs=4)
    several = Job((shared("POSIX_EXT", "/a", LOCKS=2_000_000, F_LOCK_TIME=16.0),), nprocs=4)
    name = "waits-for-locks-of-nobody"
    assert "nobody else" in findings(alone, tmp_path)[name].title
    found = findings(several, tmp_path)[name]
    assert "nobody else" not in found.title
    assert "as one block" in found.remedy.text


def test_a_file_that_is_mapped_again(tmp_path: Path) -> None:
    """For a file that is opened to map it, the remedy keeps the mapping; for others it keeps the
    descriptor."""
    opened = Job((row("POSIX", "/a", OPENS=5000, MMAPS=2000, F_META_TIME=4.0),))
    assert "descriptor" in findings(opened, tmp_path)["opened-again"].remedy.text
    found = findings(opened.but(MMAPS=5000), tmp_path)["opened-again"]
    assert "keep the mapping" in found.remedy.text


@pytest.mark.parametrize("files, waits", [(1, True), (3000, False)])
def test_who_asks_about_many_files_waits_for_none(files: int, waits: bool, tmp_path: Path) -> None:
    """The remedy for queries of one file is a notification, because the program may wait for it;
    that for thousands of files is not. waits: whether the remedy is a notification."""
    asked = Job(
        tuple(row("POSIX", f"/f{i}", STATS=5000, F_META_TIME=4.0 / files) for i in range(files))
    )
    assert ("inotify" in findings(asked, tmp_path)["opened-again"].remedy.text) == waits


def test_what_all_ranks_parse(tmp_path: Path) -> None:
    """If the calls of reads take little time, but each rank parses the same bytes for long, the
    potential saving is the parsing."""
    job = Job(
        (
            shared("POSIX", "/mesh", OPENS=4, READS=1280, BYTES_READ=40 * MIB,
                   MAX_BYTE_READ=10 * MIB - 1, F_READ_TIME=0.1),
            shared("SITES", "read;/v/site-packages/numpy/npyio.py:9:loadtxt;/a.py:3:load",
                   FRAMES=2, PROCESSES=4, READS=1280, BYTES_READ=40 * MIB,
                   F_READ_TIME=0.1, F_GAP_MEDIUM_TIME=12.0),
        ),
        nprocs=4,
    )  # fmt: skip
    found = findings(job, tmp_path)["read-by-all"]
    assert found.stake.run == pytest.approx(12.0 * 3 / 4 / 4, rel=0.05)
    assert "read and parse the file once" in found.remedy.text
    assert "read-by-all" not in findings(job.but(1, F_GAP_MEDIUM_TIME=0.5), tmp_path)


def test_a_view_of_small_pieces(tmp_path: Path) -> None:
    """If MPI-IO reads more bytes through a view than were requested, the finding says that it moved
    the gaps of the view as well, and counts their time as potential saving."""
    job = Job(
        (
            shared("MPI-IO", "/a", COLL_OPENS=4, VIEWS=4, INDEP_READS=4, BYTES_READ=30 * MIB,
                   F_READ_TIME=20.0),
            shared("POSIX", "/a", OPENS=4, READS=4, SEQ_READS=4, BYTES_READ=120 * MIB,
                   MAX_BYTE_READ=30 * MIB, SIZE_READ_10M_100M=4, F_READ_TIME=2.0),
        ),
        nprocs=4,
    )  # fmt: skip
    found = findings(job, tmp_path)["mpi-io-itself"]
    assert "30.0 MiB were asked for, and the POSIX calls moved 120 MiB" in found.sentence
    assert "contiguous rows" in found.remedy.text
    without = findings(job.but(0, VIEWS=0), tmp_path)["mpi-io-itself"]
    assert "MPI_COMM_SELF" in without.remedy.text
    # Three quarters of the bytes are gaps: that part of the POSIX time is at stake, too.
    slower = job.but(1, F_READ_TIME=7.0)
    found = findings(slower, tmp_path)["mpi-io-itself"]
    assert found.stake.seconds == pytest.approx(20.0 - 7.0 / 4)
    assert "mpi-io-itself" not in findings(slower.but(0, VIEWS=0), tmp_path)


def test_a_view_is_written_piece_by_piece(tmp_path: Path) -> None:
    """A few independent writes through a view are reported if they became a small POSIX write for
    each piece, and not if they became few or large ones."""
    split = Job(
        (
            shared("MPI-IO", "/a", INDEP_WRITES=4, VIEWS=4, BYTES_WRITTEN=8 * MIB,
                   F_WRITE_TIME=20.0),
            shared("POSIX", "/a", WRITES=MIB, BYTES_WRITTEN=8 * MIB, F_WRITE_TIME=18.0),
        ),
        nprocs=4,
    )  # fmt: skip
    found = findings(split, tmp_path)["independent-shared-write"]
    assert "MPI-IO made 1,048,576 POSIX writes of 8 B of them" in found.sentence
    assert "MPI_Alltoallv" in found.remedy.text
    assert "independent-shared-write" not in findings(split.but(1, WRITES=900), tmp_path)
    direct = split.but(1, BYTES_WRITTEN=80 * MIB)
    assert "independent-shared-write" not in findings(direct, tmp_path)


def test_whole_arrays_as_text(tmp_path: Path) -> None:
    """If the size of a large write of Fortran is not a multiple of the size of a number, the
    program converts numbers to text; otherwise the time between writes is not called conversion."""
    job = Job(
        (
            row("POSIX", "/a", OPENS=1, WRITES=128, BYTES_WRITTEN=64 * MIB, ACCESS1_ACCESS=524290,
                ACCESS1_COUNT=100, ACCESS2_ACCESS=131072, ACCESS2_COUNT=28),
            row("SITES", "write;/usr/lib/libgfortran.so.5+100;/a.f90:3:save", FRAMES=2, FILE_BITS=1,
                PROCESSES=1, WRITES=128, BYTES_WRITTEN=64 * MIB, F_GAP_MEDIUM_TIME=1.5,
                GAPS_MEDIUM=128,
                FILE1_BY_CALLS=number_of("/a"), FILE1_CALLS=128),
            row("USAGE", "app", F_USER_TIME=5.0),
        )
    )  # fmt: skip
    assert "conversion-writing" in findings(job, tmp_path)
    numbers = findings(job.but(ACCESS1_ACCESS=524288), tmp_path)
    assert "conversion-writing" not in numbers
    assert "between-calls-records" in numbers


@pytest.mark.parametrize(
    ("frames", "file", "told"),
    [
        ("PIL/ImageFile.py:9:ImageFile.load", "/a.jpg", True),
        (
            "PIL/ImageFile.py:9:ImageFile.load;/v/site-packages/PIL/Image.py:9:Image.thumbnail",
            "/a.jpg",
            False,
        ),
        ("PIL/Image.py:9:open", "/a.jpg", False),
        ("cv2/cv2.abi3.so+100", "/a.jpg", True),
        ("cv2/cv2.abi3.so+100", "/a.mp4", False),
    ],
)
def test_decoded_images(frames: str, file: str, told: bool, tmp_path: Path) -> None:
    """Time between the reads and closes of an image library counts as decoding
    (`conversion-reading`) if its loading function made the calls, and the file is an image. told:
    whether it counts."""
    inside = f"/v/site-packages/{frames};/a.py:3:load"
    same = {"FRAMES": 1 + inside.count(";"), "FILE1_BY_CALLS": number_of(file)}
    same |= {"PROCESSES": 1, "FILE_BITS": 1}
    job = Job(
        (
            row("POSIX", file, OPENS=1, READS=50, BYTES_READ=9 * MIB, F_READ_TIME=0.01),
            row("SITES", f"read;{inside}", READS=50, BYTES_READ=9 * MIB, F_GAP_MEDIUM_TIME=4.0,
                FILE1_CALLS=50, **same),
            row("SITES", f"close;{inside}", CLOSES=9, F_GAP_MEDIUM_TIME=1.0, FILE1_CALLS=9, **same),
        )
    )  # fmt: skip
    assert ("conversion-reading" in findings(job, tmp_path)) == told


@pytest.mark.parametrize(("medium", "told"), [(1.5, True), (0.06, False)])
def test_arrays_of_fortran(medium: float, told: bool, tmp_path: Path) -> None:
    """Time between Fortran's writes of full buffers is reported at the rate of single values. Whole
    arrays pass much faster: the time is that of their copies. medium: seconds between the calls."""
    job = Job(
        (
            row("POSIX", "/a.da", OPENS=1, WRITES=999, BYTES_WRITTEN=64 * MIB),
            row("SITES", "write;/usr/lib/libgfortran.so.5+100;/a.py:3:save", FRAMES=2,
                PROCESSES=1, WRITES=999, BYTES_WRITTEN=64 * MIB, F_GAP_MEDIUM_TIME=medium,
                GAPS_MEDIUM=999),
            row("USAGE", "app", F_USER_TIME=5.0),
        ),
        seconds=3 if told else 1,
    )  # fmt: skip
    assert ("between-calls-records" in findings(job, tmp_path)) == told


@pytest.mark.parametrize(("waited", "long"), [(0, 4.0), (16, 0.8)])
def test_conversion_of_a_busy_machine(waited: int, long: float, tmp_path: Path) -> None:
    """Long gaps of a library's calls contain waits for a processor, in the proportion of all waits
    to the processor time outside of shorter gaps; gaps below 10 ms contain none. waited: seconds;
    long: those of the 4 s in long gaps that count."""
    job = Job(
        (
            row("POSIX", "/a.csv", OPENS=1, READS=50, BYTES_READ=19 * MIB),
            row("SITES", "read;/v/site-packages/pandas/io/parsers.py:9:read_csv;/a.py:3:load",
                FRAMES=2, PROCESSES=1, READS=50, BYTES_READ=19 * MIB, F_GAP_MEDIUM_TIME=2.0,
                F_GAP_LONG_TIME=4.0),
            row("USAGE", "app", F_USER_TIME=6.0, F_RUNNABLE_TIME=waited, PREEMPTIONS=99),
        ),
        seconds=6 + waited,
    )  # fmt: skip
    found = findings(job, tmp_path)["conversion-reading"]
    assert found.stake.seconds == pytest.approx(2.0 + long, rel=0.02)


@pytest.mark.parametrize(("file", "told"), [("/a.bin", True), ("/a.db", False)])
def test_text_into_a_database(file: str, told: bool, tmp_path: Path) -> None:
    """The time between the reads of a text file is no hint at slow parsing if the program puts the
    text into a database at a usual rate. file: the name of the file that it writes."""
    job = Job(
        (
            row("POSIX", "/a.csv", OPENS=1, READS=500, BYTES_READ=55 * MIB, F_READ_TIME=0.1),
            row("POSIX", file, OPENS=1, WRITES=99, BYTES_WRITTEN=55 * MIB, F_WRITE_TIME=0.1),
            row("SITES", "read;/a.py:3:load", FRAMES=1, PROCESSES=1, READS=500, FILE_BITS=1,
                BYTES_READ=55 * MIB, F_GAP_MEDIUM_TIME=6.0, FILE1_BY_CALLS=number_of("/a.csv"),
                FILE1_CALLS=500),
        )
    )  # fmt: skip
    assert ("slow-text" in findings(job, tmp_path)) == told


def test_read_back(tmp_path: Path) -> None:
    """A file that is written again before each time that it is read has other bytes each time: it
    is not reported as the same bytes read again."""
    job = Job((
        row("POSIX", "/a", OPENS=32, READS=320, WRITES=32, BYTES_READ=320 * MIB,
            BYTES_WRITTEN=320 * MIB, MAX_BYTE_READ=10 * MIB, MAX_BYTE_WRITTEN=10 * MIB,
            F_READ_TIME=3.0),
    ))  # fmt: skip
    assert "same-bytes-again-read" not in findings(job, tmp_path)
    assert "same-bytes-again-read" in findings(job.but(BYTES_WRITTEN=10 * MIB), tmp_path)


@pytest.mark.parametrize(
    ("library", "told"), [("netCDF4/_netCDF4.abi3.so+100", True), ("grid/_g.abi3.so+100", False)]
)
def test_values_of_netcdf(library: str, told: bool, tmp_path: Path) -> None:
    """Scattered reads of the same bytes are reported as read again if they came from the netCDF
    library, which works on each value between them. Below another library only the calls count, and
    these took too little time here."""
    inside = f"/v/site-packages/netCDF4.libs/libnetcdf.so.22+10;/v/site-packages/{library}"
    inside = inside if told else inside.partition(";")[2]
    file = number_of("/a.nc")
    job = Job(
        (
            row("POSIX", "/a.nc", OPENS=1, READS=9000, SEEKS=9000, BYTES_READ=70 * MIB,
                MAX_BYTE_READ=MIB - 1, F_READ_TIME=0.1),
            row("SITES", f"read;{inside};/a.py:3:take", FRAMES=2 + told, PROCESSES=1, READS=9000,
                BYTES_READ=70 * MIB, F_READ_TIME=0.1, F_GAP_MEDIUM_TIME=5.0, FILE_BITS=1,
                FILE1_BY_CALLS=file, FILE1_CALLS=9000),
        )
    )  # fmt: skip
    assert ("same-bytes-again-read" in findings(job, tmp_path)) == told


@pytest.mark.parametrize(("short", "longer", "told"), [(0.01, 4.0, True), (1.0, 0.5, False)])
def test_slow_bindings(short: float, longer: float, told: bool, tmp_path: Path) -> None:
    """If nearly all gaps between HDF5 calls are long, the time in them is that of the Python
    binding; if most gaps are short, the long ones are the program's own work. short, longer:
    seconds in gaps of each kind."""
    job = Job(
        (
            row("LAYERS", "/f.h5:/d", UPPER_MODULE=4, READ_CALLS=20_000, BYTES_ASKED_READ=80_000,
                F_READ_TIME=1.0),
            row("H5D", "/f.h5:/d", file="/f.h5", OPENS=1, READS=20_000, BYTES_READ=80_000,
                F_READ_START_TIMESTAMP=1.0, F_READ_END_TIMESTAMP=9.0),
            row("SITES", "H5Dread;/v/site-packages/netCDF4/_netCDF4.abi3.so+100;/a.py:3:take",
                FRAMES=2, PROCESSES=1, READS=20_000, BYTES_READ=80_000, F_READ_TIME=1.0,
                F_GAP_SHORT_TIME=short, F_GAP_MEDIUM_TIME=longer),
        ),
        command=b"python a.py",
    )  # fmt: skip
    found = findings(job, tmp_path)
    assert ("in Python" in found["element-wise"].sentence) == told


def test_a_second_pass_is_no_search(tmp_path: Path) -> None:
    """Opening all datasets repeatedly is reported as a search only if their values are not read: a
    program that makes an index first and then reads them is not reported."""
    every: dict[str, float] = {"UPPER_MODULE": 4, "OPEN_CALLS": 6, "F_OPEN_TIME": 0.006}
    search = Job((
        row("LAYERS", "/f.h5", UPPER_MODULE=3), row("H5F", "/f.h5", OPENS=1),
        *(row("LAYERS", f"/f.h5:/{i}", **every) for i in range(400)),
        *(row("H5D", f"/f.h5:/{i}", file="/f.h5", OPENS=6) for i in range(400)),
    ))  # fmt: skip
    assert "objects-searched" in findings(search, tmp_path)
    every |= {"READ_CALLS": 3, "BYTES_ASKED_READ": 3 * 65536, "F_READ_TIME": 0.001}
    read = [row("LAYERS", f"/f.h5:/{i}", **every) for i in range(400)]
    read = [*search.rows[:2], *read, *search.rows[402:]]
    assert "objects-searched" not in findings(replace(search, rows=tuple(read)), tmp_path)


def test_the_cost_of_recording_is_that_of_this_runtime(tmp_path: Path) -> None:
    """Very many calls are said to have cost time by their recording only in logs of this runtime,
    which have records of USAGE; what Darshan 3.5 takes for a call is not known here."""
    job = Job(
        (
            row("STDIO", "/a", READS=90_000_000, BYTES_READ=90_000_000, F_READ_TIME=0.2),
            row("STDIO_EXT", "/a", FILLS=22_000, FILLED_BYTES=90_000_000),
        ),
        seconds=2,
    )
    own = replace(job, rows=(*job.rows, row("USAGE", "app", F_USER_TIME=1.8)))
    told = [findings(one, tmp_path)["character-calls"] for one in (job, own)]
    assert [finding.stake.slowed for finding in told] == [False, True]
    assert ["Recording" in finding.sentence for finding in told] == [False, True]
