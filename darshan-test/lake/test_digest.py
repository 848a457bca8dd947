"""`darshan digest` of a week is compared with sums that are computed in Python over the rows of the
tables."""

from __future__ import annotations

import datetime
import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.look.week import Told, Week, named, tell
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, make
from darshan_report.units import amount, count
from logs.content import standard_log
from logs.encode import encode
from markdown_it import MarkdownIt

from .conftest import Run
from .rows import rows

MONDAY = datetime.date(2026, 11, 9)
WEEK = Week(MONDAY)
JOBS = 28  # two weeks, two jobs a day
# A program with markup, a table cell, a new line and a terminal command in its name.
HOSTILE = b"/x/a`b|c<script>**@all\x1b[31m\n#d"


def collected(lake: Path, paths: list[Path], key: str = "") -> None:
    """Collects logs into a new lake, with findings. key: the key by which names are anonymized; ""
    for plain names."""
    storage.make(str(lake), {"hidden": bool(key)})
    publisher = Publisher(str(lake))
    found = [files.named(str(path)) for path in paths]
    publisher.publish(make(found, Options(str(lake), key=key), publisher.seen.has))


def week_of_logs(folder: Path) -> list[Path]:
    """Writes 28 logs of two weeks, of three users and four programs, one of which has a name with
    markup, a truncated log, and a file that is not a log. Returns their paths."""
    paths = []
    begun = datetime.datetime(2026, 11, 2, 0, 30, tzinfo=datetime.timezone.utc).timestamp()
    for number in range(JOBS):
        start = int(begun) + number * 43_200
        exe = HOSTILE if number % 4 == 3 else f"/bin/program{number % 4} x".encode()
        log = standard_log(
            {"POSIX": 4, "STDIO": 2},
            files=2 + number % 4,
            seed=number,
            start=(start, 0),
            end=(start + 60, 0),
            exe=exe,
        )
        paths.append(folder / f"user{number % 3}_p_id{number}-1_1-1-1-1_1.darshan")
        content = encode(log)
        paths[-1].write_bytes(content if number != JOBS - 2 else content[: len(content) * 3 // 4])
    paths.append(folder / "no log; really.darshan")
    paths[-1].write_bytes(b"nothing")
    os.utime(paths[-1], (begun + 8 * 86_400,) * 2)  # only this time determines its week
    return paths


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Writes the logs from which the tests of this file make lakes; returns their paths."""
    return week_of_logs(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def lake(logs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of all logs of two weeks. Returns the lake's path."""
    made = tmp_path_factory.mktemp("digest") / "lake"
    collected(made, logs)
    return made


@pytest.fixture(scope="module")
def told(lake: Path) -> Told:
    """Returns the digest of the second week, with at most 10 rows in each table."""
    with Asked(lake) as asked:
        return tell(asked, WEEK, 10)


def _is_in(row: dict[str, Any], week: Week) -> bool:
    """Returns whether a row is of a day of the week."""
    return row["day"] is not None and week.first <= row["day"] <= week.last


def test_sums(lake: Path, told: Told) -> None:
    """The digest has the right numbers of jobs, users, programs and bytes for its week and for the
    week before."""
    for week, sums in ((WEEK, told.sums), (WEEK.before, told.sums_before)):
        jobs = [r for r in rows(lake, "jobs") if _is_in(r, week)]
        assert sums["jobs"] == len(jobs) == JOBS // 2
        assert sums["users"] == 3 and sums["programs"] == 4
        for name in ("bytes_read", "bytes_written"):
            assert sums[name] == sum(r[name] or 0 for r in jobs) > 0
        assert sums["partial"] == sum(r["partial"] for r in jobs)
    assert told.sums["partial"] >= 1  # the truncated log


def test_sums_above_64_bits(lake: Path) -> None:
    """A sum of bytes that exceeds 64 bits is returned as an integer, and the digest can print
    it."""
    most = (1 << 63) - 1
    with Asked(lake) as asked:
        (row,) = asked.sql(f"SELECT sum({most}::BIGINT) AS n FROM jobs").rows()
    assert type(row["n"]) is int and row["n"] >= JOBS * most
    assert amount(row["n"]).endswith("EiB")


def test_losses(lake: Path, told: Told) -> None:
    """In the digest no job loses more time than its run took, and no second is counted for two
    findings."""
    lost: dict[tuple[str, str], float] = defaultdict(float)
    had: dict[tuple[str, str], float] = defaultdict(float)
    by_rule: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows(lake, "findings"):
        if _is_in(row, WEEK) and row["kind"] == "problem" and row["same_as"] is None:
            key = row["program"], row["log"]
            lost[key] += row["stake_seconds"]
            had[key] = max(had[key], row["of_seconds"])
            by_rule[row["program"], row["rule"]] += row["stake_seconds"]
    want: dict[str, float] = defaultdict(float)
    for key, seconds in lost.items():
        want[key[0]] += min(seconds, had[key])
    want = {program: seconds for program, seconds in want.items() if seconds > 0}
    assert len(want) >= 3
    assert {p.program: p.lost_seconds for p in told.losers} == pytest.approx(want)
    assert [p.program for p in told.losers] == sorted(want, key=lambda p: (-want[p], p))
    for loser in told.losers:
        for finding in loser.findings:
            seconds = by_rule[loser.program, finding["rule"]]
            assert finding["lost_seconds"] == pytest.approx(seconds)
        first = max(s for (program, _), s in by_rule.items() if program == loser.program)
        assert loser.findings[0]["lost_seconds"] == pytest.approx(first)
        of_jobs = {k: min(s, had[k]) for k, s in lost.items() if k[0] == loser.program}
        worst = of_jobs[loser.program, loser.worst["log"]]
        assert worst == pytest.approx(max(of_jobs.values()))
        assert loser.worst["path"].endswith(".darshan")


def test_file_systems(lake: Path, told: Told) -> None:
    """The bytes of each file system are right, for the week and for the week before."""
    for place_, week in enumerate((WEEK, WEEK.before)):
        want: dict[str, int] = defaultdict(int)
        for module in ("POSIX", "STDIO"):
            for row in rows(lake, f"files_{module.lower()}"):
                if _is_in(row, week):
                    for kind in ("READ", "WRITTEN"):
                        want[row["mount"] or "not known"] += row[f"{module}_BYTES_{kind}"] or 0
        got = {
            pair[place_]["mount"]: (pair[place_]["bytes_read"] or 0)
            + (pair[place_]["bytes_written"] or 0)
            for pair in told.file_systems
            if pair[place_]
        }
        assert got == want


def inline(text: str) -> tuple[set[str], str]:
    """Returns the kinds of markup that a Markdown parser finds in a digest, and the name with
    markup as the parser shows it."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    assert not [t for t in tokens if t.type in ("html_block", "code_block", "fence", "hr")]
    inner = [child for t in tokens for child in t.children or ()]
    return {t.type for t in inner}, [t.content for t in inner if "script" in t.content][-1]


def test_markdown_and_mail(lake: Path, told: Told, darshan: Run, tmp_path: Path) -> None:
    """Markdown and mail have the same text; a name is never interpreted as markup, as a new line or
    as a terminal command."""
    done = darshan("digest", lake, "--week", "2026-11-12")
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    assert text.startswith("# I/O of week 2026-W46, 2026-11-09 to 2026-11-15\n")
    assert f"| Jobs | {JOBS // 2} | {JOBS // 2} | same |" in text
    assert f"| Read | {amount(told.sums['bytes_read'])} |" in text
    kinds, code = inline(text)
    assert kinds == {"text", "code_inline", "strong_open", "strong_close"}
    assert "script" in code and "script" not in text.replace(code, "")
    outside = re.sub(r"`[^`\n]*`", "", text)
    assert "script" not in outside and "@" not in outside and "\x1b" not in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {line.count("|") for line in block.splitlines()}
        assert len(widths) == 1, block
    for loser in told.losers:
        for finding in loser.findings[:3]:
            assert finding["title"].replace("_", r"\_") in text
    assert "1 log: " in text and "'" in text and "no log; really.darshan'" in text  # quoted
    assert f"{count(told.sums['partial'])} of {JOBS // 2} logs are incomplete" in text
    done = darshan("digest", lake, "--week", "2026W46", "-o", "week.txt")
    assert (done.returncode, done.stdout) == (0, "")
    mail = (tmp_path / "week.txt").read_text("utf-8")
    assert "\x1b" not in mail and "**Tell" not in mail
    plain = [line for line in mail.splitlines() if "/" not in line and "  " not in line]
    assert max(map(len, plain)) <= 72
    flat = " ".join(mail.split())
    for loser in told.losers:
        assert " ".join(loser.findings[0]["remedy"].split()) in flat


@pytest.mark.parametrize("words", ["digest LAKE", "lake views LAKE", "ask LAKE losses --csv"])
def test_who_reads_ends(build: Path, lake: Path, words: str) -> None:
    """If the reader of a pipe closes it early, the command ends by SIGPIPE without a message."""
    read, write = os.pipe()
    os.close(read)
    command = words.replace("LAKE", str(lake)).split()
    done = subprocess.run(
        [build / "darshan", *command], stdout=write, stderr=subprocess.PIPE, check=False,
        env={**os.environ, "DARSHAN_PYTHON": sys.executable, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_a_user_alone(lake: Path, darshan: Run) -> None:
    """The digest for one user has no name of another user."""
    done = darshan("digest", lake, "--week", "2026-W46", "--user", "user1")
    assert "`user1`" in done.stdout
    assert "user0" not in done.stdout and "user2" not in done.stdout


def test_a_week_without_jobs(lake: Path, darshan: Run, tmp_path: Path) -> None:
    """The digest of a week without jobs says that there are none, and names the last day with jobs;
    the digest of an empty lake says that the lake is empty."""
    done = darshan("digest", lake, "--week", "2025-W01")
    assert done.returncode == 0
    assert "The lake has no job of this week" in done.stdout
    assert "began on 2026-11-15" in done.stdout
    assert "Programs that lose" not in done.stdout
    storage.make(str(tmp_path / "none"), {})
    done = darshan("digest", "none", "--week")
    assert done.returncode == 0 and "no job with a day at all" in done.stdout


def test_hidden_names(logs: list[Path], darshan: Run, tmp_path: Path) -> None:
    """The digest of a lake with anonymized names has no name of a user, program or file, and says
    that names are hidden."""
    collected(tmp_path / "hidden", logs, key="a key")
    done = darshan("digest", "hidden", "--week", "2026-W46")
    assert done.returncode == 0 and "names in this lake are anonymized" in done.stdout
    for word in ("user1", "program1", "darshan report", "really", str(logs[0].parent)):
        assert word not in done.stdout, word
    told = re.findall(r"^\*\*Tell\*\* .*: (.*)$", done.stdout, re.MULTILINE)
    assert told and all("diagnoses.md" in words for words in told)  # no word that says nothing


@pytest.mark.parametrize("text", ["2026-W54", "2026-13-01", "next", "0001-01-01", "9999-W52", ""])
def test_what_is_no_week(text: str, lake: Path) -> None:
    """An invalid week is refused."""
    from darshan_report.lake import LakeError  # noqa: PLC0415 - as a caller has it

    with pytest.raises(LakeError, match="must be 2026-W47"):
        named(text, MONDAY)


def test_names_of_weeks() -> None:
    """Weeks begin on Mondays; the first week of a year is the one that contains January 4."""
    assert named("last", datetime.date(2026, 11, 16)) == WEEK
    assert named("this", datetime.date(2026, 11, 15)) == WEEK
    assert named("2026-11-15", MONDAY) == WEEK and WEEK.name == "2026-W46"
    assert named("2027-01-03", MONDAY).name == "2026-W53"


def test_what_cannot_be_written(lake: Path, darshan: Run) -> None:
    """If the output cannot be written, the week is invalid or the lake missing, the command prints
    one line and exits with 1."""
    for more in (["-o", "/nowhere/x.md"], ["--week", "soon"]):
        done = darshan("digest", lake, *more)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    done = darshan("digest", "nothing")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
