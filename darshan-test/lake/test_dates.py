"""All commands accept the same ages ("7d") in place of dates, and `darshan lake prune` never
removes more than the user meant."""

from __future__ import annotations

import csv
import datetime
import io
import re
import time
from pathlib import Path

import pytest
from darshan_report.lake import dates
from darshan_report.lake.commands import arguments
from darshan_report.lake.commit.storage import LakeError
from darshan_report.lake.look.week import named, of_day
from darshan_report.lake.serve.request import Refused, wanted
from logs.content import standard_log
from logs.encode import encode

from .conftest import Run
from .rows import committed

DAY = datetime.timedelta(days=1)
# Ages of the jobs in the lake, in days.
AGES = (0, 3, 10, 40)


@pytest.fixture
def lake(darshan: Run, tmp_path: Path) -> Path:
    """Makes a lake with a job of each age of AGES, none of which is close to midnight. Returns the
    lake's path."""
    (tmp_path / "logs").mkdir()
    for age in AGES:
        noon = (dates.utc() - age * DAY).replace(hour=12, minute=0)
        begun = int(min(noon, dates.utc()).timestamp())
        log = standard_log({"POSIX": 1}, seed=age, start=(begun, 0), end=(begun + 1, 0))
        (tmp_path / "logs" / f"user_{age}_id{age}-1_1-1-1-1_1.darshan").write_bytes(encode(log))
    done = darshan("collect", "--into", "lake", "--workers", "1", "logs")
    assert done.returncode == 0, done.stderr
    return tmp_path / "lake"


@pytest.mark.usefixtures("lake")
def test_ask(darshan: Run) -> None:
    """`darshan ask` accepts an age, such as 7d, in place of a day."""
    for options, number in (
        (("--since", "7d"), 2), (("--since", "2w"), 3), (("--since", "1y"), 4),
        (("--until", "1w"), 2), (("--since", "5w", "--until", "4d"), 1),
        (("--since", "999999y"), 4),
    ):  # fmt: skip
        done = darshan("ask", "lake", "--csv", *options, "--sql", "SELECT count(*) n FROM jobs")
        assert done.returncode == 0, done.stderr
        assert list(csv.DictReader(io.StringIO(done.stdout))) == [{"n": str(number)}], options
    done = darshan("ask", "lake", "between", "--from", "100h", "--to", "30h", "--csv")
    assert len(list(csv.DictReader(io.StringIO(done.stdout)))) == 1, done
    done = darshan("ask", "lake", "programs", "--since", "7 days")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "7d" in done.stderr


def test_collect_digest_and_serve() -> None:
    """The commands collect, digest and serve accept the same ages."""
    for text, long in (("36h", 1.5 * DAY), ("7d", 7 * DAY), ("2w", 14 * DAY), ("1y", 365 * DAY)):
        since = arguments.collect(["--since", text, "logs"]).since
        assert abs(since / 1e9 - (time.time() - long.total_seconds())) < 60
        today = datetime.date(2026, 11, 22)
        noon = datetime.datetime(2026, 11, 22) - long
        assert named(text, today) == of_day(noon.date())
        assert wanted(f"/programs?since={text}").filters.since == str(dates.day(text))
    for text in ("7", "d", "-7d", "7D", "1.5d", "\u0667d", "9999999d"):
        with pytest.raises(LakeError):
            named(text, datetime.date(2026, 11, 22))
        with pytest.raises(Refused):
            wanted(f"/programs?since={text}")
        with pytest.raises(SystemExit):
            arguments.collect([f"--since={text}", "logs"])
    with pytest.raises(LakeError):
        named("999999y", datetime.date(2026, 11, 22))


@pytest.mark.parametrize(
    "command",
    [
        ["ask", "lake", "programs", "--since"],
        ["ask", "lake", "between", "--to", "0h", "--from"],
        ["digest", "lake", "--week"],
    ],
    ids=["since", "from", "week"],
)
@pytest.mark.usefixtures("lake")
def test_the_message_names_an_age(darshan: Run, command: list[str]) -> None:
    """The message about an invalid date contains an age exactly as the option accepts it."""
    done = darshan(*command, "soon")
    age = re.search(r"\d+[hdwy]\b(?: ago)?", done.stderr)
    assert done.returncode == 1 and age, done.stderr
    assert darshan(*command, age[0]).returncode == 0


def test_prune_wants_a_day(darshan: Run, lake: Path) -> None:
    """`darshan lake prune` refuses an age of less than a day, which would remove everything. With
    --dry-run it lists the jobs that would be removed, and removes none."""
    before = committed(lake)
    for words in ("0d", "0h", "23h"):
        done = darshan("lake", "prune", "--older", words, "lake")
        assert done.returncode == 2 and f"--older {words}: must be at least a day" in done.stderr
    said = {
        words: darshan("lake", "prune", "--dry-run", "--older", words, "lake").stdout
        for words in ("1w", "999999y")
    }
    assert ": 2 logs" in said["1w"] and said["1w"].endswith("would go\n")
    assert ": 0 logs" in said["999999y"]
    assert darshan("lake", "info", "--dry-run", "lake").returncode == 2
    assert committed(lake) == before
    done = darshan("lake", "prune", "--older", "1w", "lake")
    assert done.returncode == 0 and done.stdout == said["1w"].replace("would go", "are gone")
