"""A file that is parsed again and again costs processor time and not I/O; the report says so."""

from __future__ import annotations

from pathlib import Path

from darshan_report import Log
from darshan_report.diagnose.finding import NOTICE, Finding
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, row, write

AGAIN = "same-bytes-again-read"
PARSED = Job(
    (
        row(
            "POSIX",
            "/a.csv",
            OPENS=20,
            READS=480,
            CONSEC_READS=460,
            BYTES_READ=120 * MIB,
            MAX_BYTE_READ=6 * MIB - 1,
            F_READ_TIME=0.03,
        ),
    )
)
# The line of the user, a library that is installed, and 8 seconds between its reads.
SITE = row(
    "SITES",
    "read;/usr/lib/python3/dist-packages/tables/parse.py:7:parse;/home/a/run.py:3:column",
    FRAMES=2,
    PROCESSES=1,
    READS=480,
    BYTES_READ=120 * MIB,
    F_READ_TIME=0.03,
    F_GAP_MEDIUM_TIME=8.0,
)


def told(job: Job, folder: Path) -> dict[str, Finding]:
    """Returns the findings by name."""
    with Log(write(job, folder / "log.darshan")) as log:
        return {found.name: found for found in diagnose(log)}


def test_twenty_times(tmp_path: Path) -> None:
    """Without call sites a notice names the file, how often it was read, and how many bytes."""
    found = told(PARSED, tmp_path)
    words = "/a.csv was read at least 20.0 times over (120 MiB in total, of at most 6.00 MiB)"
    assert words in found[AGAIN].sentence
    assert found[AGAIN].kind == NOTICE and not found[AGAIN].stake.seconds
    assert "again" not in found["fine"].title + found["fine"].sentence


def test_once(tmp_path: Path) -> None:
    """A file that is read once or twice is not reported."""
    for times in (1, 2):
        found = told(PARSED.but(BYTES_READ=times * 6 * MIB, OPENS=times), tmp_path)
        assert AGAIN not in found
        assert "is not in this number" in found["fine"].sentence


def test_time_between_reads(tmp_path: Path) -> None:
    """With call sites the time in which a library parses is at stake, and that of a user's own code
    is not: it may compute."""
    found = told(Job((*PARSED.rows, SITE)), tmp_path)
    stake = found[AGAIN].stake
    assert 7 < stake.between < stake.seconds < 8.1
    own = row("SITES", SITE.name.replace("/usr/lib/python3/dist-packages", "/home/a"))
    found = told(Job((*PARSED.rows, row("SITES", own.name, **SITE.values))), tmp_path)
    assert AGAIN not in found
    assert "at most" not in found["fine"].sentence
