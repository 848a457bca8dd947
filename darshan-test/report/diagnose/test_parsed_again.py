"""A file that is parsed again and again costs processor time rather than I/O, and the report says
so."""

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
# The call site of a user's line, below an installed library, with 8 seconds between its reads.
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
    """Without call sites, a notice without a potential saving names the file that was read 20
    times, how often it was read, and how many bytes."""
    found = told(PARSED, tmp_path)
    words = "/a.csv was read at least 20.0 times over (120 MiB in total, of at most 6.00 MiB)"
    assert words in found[AGAIN].sentence
    assert found[AGAIN].kind == NOTICE and not found[AGAIN].stake.seconds
    assert "again" not in found["fine"].title + found["fine"].sentence


def test_once(tmp_path: Path) -> None:
    """A file that is read once or twice is not reported as read again."""
    for times in (1, 2):
        found = told(PARSED.but(BYTES_READ=times * 6 * MIB, OPENS=times), tmp_path)
        assert AGAIN not in found
        assert "is not in this number" in found["fine"].sentence


def test_time_between_reads(tmp_path: Path) -> None:
    """With call sites, the time between reads in which an installed library parses counts as
    potential saving; the time in the user's own code does not, because it may compute."""
    found = told(Job((*PARSED.rows, SITE)), tmp_path)
    stake = found[AGAIN].stake
    assert 7 < stake.between < stake.seconds < 8.1
    own = row("SITES", SITE.name.replace("/usr/lib/python3/dist-packages", "/home/a"))
    found = told(Job((*PARSED.rows, row("SITES", own.name, **SITE.values))), tmp_path)
    assert AGAIN not in found
    assert "at most" not in found["fine"].sentence


def config(folder: Path, name: str, gap: float, *frames: str) -> float:
    """Returns the seconds between calls that a finding could save in a loop that opens a file of 1
    MiB 20 times. name: of the file. gap: the seconds between the reads and the program's closes, in
    total. frames: the frames of the reads above the user's."""
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
    """The time between the reads and the program's own close counts if a parser made the reads,
    or if the file's name is that of a text format, but at most as long as a parser takes for 20
    MiB."""
    load = "/usr/lib/python3.11/json/__init__.py:274:load"
    assert 0.7 < config(tmp_path, "/a.dat", 0.8, load) < 0.81
    assert 0.7 < config(tmp_path, "/a.json", 0.8) < 0.81
    assert 1 < config(tmp_path, "/a.dat", 8.0, load) < 1.3
    assert not config(tmp_path, "/a.dat", 0.8)
