"""A file that is parsed again and again costs processor time and not I/O; the report says so."""

from __future__ import annotations

from pathlib import Path

from darshan_report import Log
from darshan_report.diagnose.finding import Finding
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, row, write

PARSED = Job(
    (
        row(
            "POSIX",
            "/a.csv",
            OPENS=20,
            READS=480,
            BYTES_READ=120 * MIB,
            MAX_BYTE_READ=6 * MIB - 1,
            F_READ_TIME=0.03,
        ),
    )
)


def fine(job: Job, folder: Path) -> Finding:
    """Returns the finding that nothing is wrong."""
    with Log(write(job, folder / "log.darshan")) as log:
        return next(f for f in diagnose(log) if f.name == "fine")


def test_twenty_times(tmp_path: Path) -> None:
    """The finding names the file, how often it was read, and how many bytes."""
    found = fine(PARSED, tmp_path)
    words = "/a.csv was read at least 20.0 times over (120 MiB in total, of at most 6.00 MiB)"
    assert words in found.sentence
    assert "would gain nothing" not in found.sentence


def test_once(tmp_path: Path) -> None:
    """A file that is read once or twice is not reported."""
    for times in (1, 2):
        found = fine(PARSED.but(BYTES_READ=times * 6 * MIB, OPENS=times), tmp_path)
        assert "other I/O calls would gain nothing" in found.sentence
