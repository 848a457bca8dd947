"""A finding about one kind of I/O advises a change only if counters show that the change is
possible; otherwise it states a fact. The programs that these logs resemble are healthy rows of
verdicts/."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import FACT, NOTICE, Finding
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, findings, row, write
from .cases import CASES

JOBS = {name: job for name, job, _ in CASES}


def finding(job: Job, name: str, path: Path) -> Finding:
    """Returns the finding `name` of a job. path: for its log."""
    with open_log(write(job, path)) as log:
        return next(f for f in diagnose(log) if f.name == name)


def _few() -> list[tuple[str, Job]]:
    """Returns jobs that spend as much time as a case, but in so few or so large calls that no
    advice applies, each with the finding's name."""
    syncs = JOBS["costly-syncs"].but(0, FSYNCS=1, BYTES_WRITTEN=400 * MIB)
    hdf5 = JOBS["costly-hdf5"].but(BYTES_ASKED_READ=20 * MIB)
    return [
        ("costly-reads", JOBS["costly-reads"].but(READS=9, BYTES_READ=9000)),
        ("costly-reads", JOBS["costly-reads"].but(BYTES_READ=900 * MIB, MAX_BYTE_READ=900 * MIB)),
        ("costly-writes", JOBS["costly-writes"].but(WRITES=9, BYTES_WRITTEN=9000)),
        ("costly-opens", JOBS["costly-opens"].but(OPENS=1, SEEKS=0)),
        ("costly-lookups", JOBS["costly-lookups"].but(MISSES=9)),
        ("costly-listings", JOBS["costly-listings"].but(DIR_REOPENS=0)),
        ("costly-syncs", syncs),
        ("costly-hdf5", hdf5),
        ("costly-mpiio", JOBS["costly-mpiio"].but(1, BYTES_WRITTEN=200 * MIB)),
    ]


@pytest.mark.parametrize(("name", "job"), _few())
def test_few_calls_are_a_fact(name: str, job: Job, tmp_path: Path) -> None:
    """If no advice applies to the calls, a notice becomes a fact without a remedy. name: of the
    finding. job: with few such calls."""
    advised = finding(JOBS[name], name, tmp_path / "advised")
    assert advised.kind == NOTICE and advised.remedy.text
    told = finding(job, name, tmp_path / "told")
    assert told.kind == FACT, told.remedy
    assert not told.remedy.text and not told.remedy.example and not told.stake.text
    assert told.sentence.endswith(".")


@pytest.mark.parametrize("more", [{"BYTES_WRITTEN": 100 * MIB}, {"WRITES": 1600}])
def test_groups_of_writes(more: dict[str, int], tmp_path: Path) -> None:
    """A file that is synchronized once for a group of writes, as a database's journal is, is a fact
    and not a problem. more: larger or more writes for each fsync."""
    job = JOBS["syncs"].but(0, **more)
    assert "syncs" not in findings(job, tmp_path)
    told = finding(job, "costly-syncs", tmp_path / "told")
    assert told.kind == FACT and "Larger groups wait less often" in told.sentence
    # A stream has the bytes if the program syncs its descriptor.
    stream = row("STDIO", "/a", WRITES=9000, BYTES_WRITTEN=100 * MIB)
    drains = row("STDIO_EXT", "/a", DRAINS=1600, DRAINED_BYTES=100 * MIB)
    synced = JOBS["syncs"].but(0, WRITES=0, BYTES_WRITTEN=0)
    assert "syncs" not in findings(replace(job, rows=(*synced.rows, stream, drains)), tmp_path)
    # The journal beside it is not taken for one because of a large file that is saved once.
    rows = (*JOBS["syncs"].rows, row("POSIX", "/b", WRITES=64, BYTES_WRITTEN=64 * MIB, FSYNCS=1))
    assert "syncs" in findings(replace(job, rows=rows), tmp_path)


def test_a_notice_is_not_contradicted(tmp_path: Path) -> None:
    """After a notice with advice, the last finding of a report does not say "No known problem";
    after a fact, it does."""
    told = finding(JOBS["costly-reads"], "fine", tmp_path / "much")
    assert told.title == "No other problem is known"
    few = JOBS["costly-reads"].but(READS=9, BYTES_READ=9000)  # a fact, without a change to propose
    assert finding(few, "fine", tmp_path / "few").title == "No known problem"


@pytest.mark.parametrize(
    ("name", "words"), [("/data/heat.csv", "as binary"), ("/data/heat.bin", "")]
)
def test_numbers_as_text(name: str, words: str, tmp_path: Path) -> None:
    """The advice to write numbers as binary is given for a text file, and not for others."""
    job = Job((row("POSIX", name, OPENS=1, WRITES=900, SEQ_WRITES=900, BYTES_WRITTEN=900 * MIB,
                   MAX_BYTE_WRITTEN=900 * MIB - 1, F_WRITE_TIME=2.0),))  # fmt: skip
    told = finding(job, "costly-writes", tmp_path / "log")
    assert words in told.remedy.text and bool(told.remedy.text) == bool(words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/tmp/imageio{}.tmp", "ImageIO copies"),
        ("/tmp/sh-thd.{}", "here-document"),
        ("/tmp/RtmpAbC/file{}", "textConnection"),
        ("/tmp/part{}", "through a pipe"),
    ],
)
def test_temporary_files(name: str, words: str, tmp_path: Path) -> None:
    """The advice for many temporary files is in the words of the library or language that makes
    them, which their names tell."""
    names = [name.format(number) for number in range(1000, 2500)]
    rows = [
        row("POSIX", one, OPENS=2, READS=1, WRITES=1, BYTES_READ=900, BYTES_WRITTEN=900,
            MAX_BYTE_READ=899, MAX_BYTE_WRITTEN=899, F_META_TIME=0.002)
        for one in names
    ]  # fmt: skip
    job = Job((*rows, *(row("POSIX_EXT", one, UNLINKS=1) for one in names)))
    remedy = finding(job, "many-small-files", tmp_path / "log").remedy
    assert words in remedy.text


def test_conversion(tmp_path: Path) -> None:
    """If HDF5 reads a contiguous dataset in pieces below one call, the advice is about converted
    types, because HDF5 reads in pieces only to convert. Other datasets get no such advice."""
    name, file = "/f.h5:/d", "/f.h5"
    layers = row("LAYERS", name, UPPER_MODULE=4, READ_CALLS=1, READ_POSIX_READS=62, LAYOUT=1,
                 BYTES_ASKED_READ=32 * MIB, DISTINCT_BYTES_READ=32 * MIB,
                 READ_POSIX_BYTES_READ=32 * MIB, F_READ_TIME=2.0)  # fmt: skip
    job = Job((layers, row("H5D", name, file=file, READS=1, BYTES_READ=32 * MIB)))
    told = finding(job, "costly-hdf5", tmp_path / "log")
    assert "converts nothing" in told.remedy.text and "larger" not in told.remedy.text
    packed = job.but(FILTERS=1, DISTINCT_BYTES_READ=8 * MIB)
    for other in (job.but(READ_POSIX_READS=1), packed, job.but(LAYOUT=2)):
        assert finding(other, "costly-hdf5", tmp_path / "other").kind == FACT


@pytest.mark.parametrize(("seconds", "words"), [(0.3, "few calls gains"), (0.4, "change gains")])
def test_little_is_no_advice(seconds: float, words: str, tmp_path: Path) -> None:
    """If I/O takes a small part of the run, or has few calls, the report says that less I/O would
    gain little, and gives no advice."""
    posix = row("POSIX", "/data/a", OPENS=2, READS=90, BYTES_READ=90 * MIB, SEQ_READS=90,
                MAX_BYTE_READ=90 * MIB, F_META_TIME=seconds, F_READ_TIME=0.25)  # fmt: skip
    job = Job((posix,), seconds=5 if words.startswith("few") else 10)
    told = finding(job, "fine", tmp_path / "log").sentence
    assert words in told and "would help" not in told


def test_fact_in_the_report(build: Path, tmp_path: Path) -> None:
    """A finding without a problem and a remedy is marked as a fact in the report's text and web
    page."""
    log = write(_few()[1][1], tmp_path / "log.darshan")
    page = tmp_path / "page.html"
    report = [build / "darshan", "report"]
    text = subprocess.run([*report, "--text", log], check=True, capture_output=True, text=True)
    assert "fact: Reading takes much of the run, in large calls" in text.stdout
    assert "notice: " not in text.stdout and "remedy: " not in text.stdout
    subprocess.run([*report, "--html", "-o", page, log], check=True, capture_output=True)
    assert "<h3>Fact: Reading takes" in page.read_text("utf-8")


def test_small_reads_at_random(tmp_path: Path) -> None:
    """The remedy for random small reads does not begin with larger blocks, which move more."""
    forward = JOBS["small-accesses-read"].but(
        SEQ_READS=JOBS["small-accesses-read"].rows[0].values["READS"]
    )
    told = finding(forward, "small-accesses-read", tmp_path / "forward").remedy
    assert told.text.startswith(("Read more", "Move larger"))
    told = finding(forward.but(SEQ_READS=0, MAX_BYTE_READ=900 * MIB), "small-accesses-read",
                   tmp_path / "random").remedy  # fmt: skip
    assert told.text.startswith("The offsets are random. If the file fits into memory")


@pytest.mark.parametrize(("files", "words"), [
    (0, "The others share records named by their folder"),
    (1, "1 of them shares a record named by its folder"),
    (7616, "7,616 of them share records"),
])  # fmt: skip
def test_datasets_past_the_limit(files: int, words: str, tmp_path: Path) -> None:
    """The log may not have the number of datasets that share a record; they are no files."""
    rest = row("H5D", "<overflow>", OPENS=9000)
    group = row("GROUP", "<overflow>", KIND=3, FILES=files)
    told = finding(Job((rest, group), partial=("H5D",)), "incomplete", tmp_path / "log")
    assert told.title == "The log lacks records of some datasets"
    assert words in told.sentence and "more datasets than" in told.sentence


@pytest.mark.parametrize(("other", "words"), [("ed", ""), ("sed", "several calls")])
def test_calls_of_a_program(other: str, words: str, tmp_path: Path) -> None:
    """The advice to do the work of several calls of sed in one is given if sed ran twice. It is not
    given if one of two programs is ed, whose name is a part of that of sed."""
    processes = [
        row("PROCESS", f"host: {command}", rank, COUNT=1, PROGRAMS=1, ENDED=1, OPENS=1,
            PARENT_RANK=rank - 1, F_END_TIMESTAMP=10.0, F_READ_TIME=2.0 * (rank == 1))
        for rank, command in enumerate(("bash make.sh", "sed -i s/a/b/ a", f"{other} b"))
    ]  # fmt: skip
    (stream, extra) = JOBS["costly-buffers"].rows
    streams = [replace(one, rank=1) for one in (stream, extra)]
    told = finding(Job((*streams, *processes), nprocs=3), "costly-buffers", tmp_path / "log")
    assert words in told.remedy.text and bool(told.remedy.text) == bool(words)
