"""A file that is parsed again and again costs processor time and not I/O; the report says so."""

from __future__ import annotations

from pathlib import Path

from darshan_report import Log
from darshan_report.diagnose.finding import NOTICE, Finding
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, number_of, row, write

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


def config(folder: Path, name: str, gap: float, *frames: str) -> float:
    """Returns the seconds between calls that are at stake in a loop that opens a file of 1 MiB 20
    times; its own closes come so many seconds after the reads, which these frames made."""
    user, file = "/home/a/run.py:3:step", number_of(name)
    read = {"READS": 40, "BYTES_READ": 20 * MIB, "F_READ_TIME": 0.3}
    same = {"PROCESSES": 1, "FILE_BITS": 1, "FILE1_BY_CALLS": file, "FILE1_CALLS": 20}
    job = Job(
        (
            row("POSIX", name, OPENS=20, MAX_BYTE_READ=MIB - 1, F_META_TIME=0.3, **read),
            row("SITES", f"open;{user}", FRAMES=1, OPENS=20, F_OPEN_TIME=0.3,
                **same),
            row("SITES", ";".join(("read", *frames, user)), FRAMES=1 + len(frames),
                **read, **same),
            row("SITES", f"close;{user}", FRAMES=1, CLOSES=20, F_GAP_LONG_TIME=gap,
                **same),
        )
    )  # fmt: skip
    found = told(job, folder)
    return found["opened-again"].stake.between if "opened-again" in found else 0.0


def test_parser_before_a_close(tmp_path: Path) -> None:
    """The time before the program's own close is at stake if a parser made the reads, or if the
    name of the file is that of a text, but no longer than a parser takes for 20 MiB."""
    load = "/usr/lib/python3.11/json/__init__.py:274:load"
    assert 0.7 < config(tmp_path, "/a.dat", 0.8, load) < 0.81
    assert 0.7 < config(tmp_path, "/a.json", 0.8) < 0.81
    assert 1 < config(tmp_path, "/a.dat", 8.0, load) < 1.3
    assert not config(tmp_path, "/a.dat", 0.8)
