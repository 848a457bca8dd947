"""The ready queries and the weekly digest find the stories of the corpus in a lake that also has
real logs."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from darshan_report import lake as lakes
from darshan_report.lake.ask.ready.questions import BY_NAME, QUESTIONS, Filters, query
from lab.command import finished
from sample import everything, turning
from tree import build_folder, real_log_paths

from .made import SECONDS, make

# Logs of the corpus.
LOGS = 300
# Columns for which any value is right.
_ANY = {"one_of_them", "finding", "file_system"}
# Seeds of the corpora.
SEEDS = (1, 2, 3, 4) if everything() else (1,)


@dataclass
class Centre:
    """A lake with the corpus and the real logs, and the expected answers (stories.json)."""

    lake: Any
    truth: dict[str, Any]
    path: Path  # of the lake
    logs: Path  # of the corpus

    def ask(self, question: str, filters: Filters | None = None, **values: Any) -> list[dict]:
        """Runs a ready query and returns its rows, each as a dictionary by column. filters: None
        for none; values: of the query's parameters."""
        sql, known = query(BY_NAME[question], filters or Filters(), {"top": 1000, **values})
        return self.lake.sql(sql, known).rows()

    @property
    def later(self) -> Filters:
        """Filters that leave out the real logs, which are older than the corpus."""
        return Filters(since=self.truth["begin"])

    @property
    def ours(self) -> str:
        """An SQL condition for the logs of the corpus."""
        return f"starts_with(path, '{self.logs}/')"

    def sql(self, text: str) -> list[dict]:
        """Runs an SQL query on the lake and returns its rows, each as a dictionary by column."""
        return self.lake.sql(text).rows()


def darshan(*words: str | Path) -> str:
    """Runs `darshan` with these words and returns its standard output; fails if it does not
    succeed."""
    inherited = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
    done = finished(
        [build_folder() / "darshan", *words],
        env={**inherited, "DARSHAN_PYTHON": sys.executable},
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=SEEDS)
def centre(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Centre]:
    """Makes a corpus by make-corpus, and collects it with the real logs by `darshan collect`.
    Yields the open lake and the expected answers."""
    folder = tmp_path_factory.mktemp("centre")
    done = make(folder / "logs", "--logs", str(LOGS), "--seed", str(request.param))
    assert done.returncode == 0, done.stderr
    into = ("--workers", "1", "--into", folder / "lake")
    darshan("collect", *into, folder / "logs", *real_log_paths())
    truth = json.loads((folder / "logs" / "stories.json").read_text())
    with lakes.open(folder / "lake") as lake:
        yield Centre(lake, truth, folder / "lake", folder / "logs")


def test_every_log_is_there(centre: Centre) -> None:
    """The lake has the exact bytes and number of jobs of each program's undamaged logs, and lists
    each damaged log in the table problems."""
    found = centre.sql(
        "SELECT program, count(*)::BIGINT AS jobs, sum(bytes_read + bytes_written)::BIGINT AS b "
        "FROM jobs WHERE log NOT IN (SELECT log FROM problems) "
        f"AND {centre.ours} GROUP BY program"
    )
    got = {row["program"]: {"jobs": row["jobs"], "bytes": row["b"]} for row in found}
    assert got == centre.truth["programs"]
    damaged = centre.truth["damaged"]
    (row,) = centre.sql(
        f"SELECT count(*) FILTER (WHERE {centre.ours}) AS ours, count(*) AS all_of_them "
        "FROM problems"
    )
    assert row["ours"] == sum(damaged.values()) > 0
    assert sum(row["logs"] for row in centre.ask("problems")) == row["all_of_them"]
    assert sum(damaged.values()) + sum(row["jobs"] for row in got.values()) == LOGS


def test_real_logs_are_there(centre: Centre) -> None:
    """Each real log has a row in the table jobs or in the table problems."""
    found = centre.sql("SELECT path FROM jobs UNION SELECT path FROM problems")
    there = {row["path"] for row in found}
    assert {os.path.abspath(path) for path in real_log_paths()} <= there


def test_of_all_kinds(centre: Centre) -> None:
    """The corpus has jobs of 1 to 10,000 ranks, logs of all formats, and both byte orders."""
    (row,) = centre.sql(
        f"SELECT min(nprocs) AS few, max(nprocs) AS many FROM jobs WHERE {centre.ours}"
    )
    assert (row["few"], row["many"]) == (1, 10_000)
    found = {
        (row["f"], row["s"])
        for row in centre.sql(
            f"SELECT DISTINCT format AS f, swapped AS s FROM jobs WHERE {centre.ours}"
        )
    }
    assert {f for f, _ in found} == {"3.00", "3.10", "3.21", "3.41"}
    assert {s for _, s in found} == {True, False}


def test_the_top_program(centre: Centre) -> None:
    """The query "programs" has the program that moves most bytes, climate, first."""
    known = centre.truth["programs"]
    top = max(known, key=lambda name: known[name]["bytes"])
    assert centre.ask("programs")[0]["program"] == top == "climate"


def test_who_writes_tiny_pieces(centre: Centre) -> None:
    """The queries "small-writes" and "losses" have the program and user of the story "tiny writes"
    first: many small writes cost the centre most time."""
    story = centre.truth["tiny writes"]
    first = centre.ask("small-writes", centre.later)[0]
    assert first["program"] == story["program"] and first["share_of_writes"] > 0.99
    first = centre.ask("losses", centre.later)[0]
    assert (first["program"], first["rule"]) == (story["program"], "small-accesses-write")
    first = centre.ask("users", centre.later)[0]
    assert first["user"] == story["user"]
    assert first["begin_with"] == f"{story['program']}: Many small writes"


def test_since_the_bug(centre: Centre) -> None:
    """The query "before-after" finds that only the program of the story "bug" became slower on that
    day; its jobs have the finding on small writes only since then."""
    story = centre.truth["bug"]
    first, *others = centre.ask("before-after", date=story["date"])
    assert first["program"] == story["program"] and first["seconds_per_byte_ratio"] > 5
    assert len(others) >= 4
    assert all(0.5 < row["seconds_per_byte_ratio"] < 2 for row in others), others
    assert first["ratio_low"] > 4
    assert all(row["ratio_low"] < 1.2 and row["ratio_high"] > 1 / 1.2 for row in others), others
    before = str(date.fromisoformat(story["date"]) - timedelta(days=1))
    for filters, is_there in ((Filters(until=before), False), (Filters(since=story["date"]), True)):
        rules = {
            row["rule"]
            for row in centre.ask("losses", filters)
            if row["program"] == story["program"]
        }
        assert ("small-accesses-write" in rules) == is_there


def test_the_slow_night(centre: Centre) -> None:
    """The query "between" for the slow night has the job that caused it first, and all jobs that
    ran then."""
    story = centre.truth["slow night"]
    first, *others = centre.ask("between", **{"from": story["from"], "to": story["to"]})
    assert (first["job_id"], first["program"], first["user"]) == (
        story["job"], story["program"], story["user"],
    )  # fmt: skip
    ran = {first["job_id"], *(row["job_id"] for row in others)}
    assert set(story["jobs"]) <= ran
    assert all(row["bytes_inside"] < first["bytes_inside"] for row in others)


def test_outliers(centre: Centre) -> None:
    """The query "outliers" finds the runs of the slow night of otherwise steady programs, and at
    most 1 % of all jobs besides."""
    slow = set(centre.truth["slow night"]["jobs"])
    unsteady = {"reshuffle", centre.truth["bug"]["program"]}
    jobs = {row["log"]: row for row in centre.sql("SELECT log, job_id, program FROM jobs")}
    known = {row["job_id"]: row["program"] for row in jobs.values()}
    runs = {name: row["jobs"] for name, row in centre.truth["programs"].items()}
    want = {job for job in slow if known[job] not in unsteady and runs[known[job]] >= 8}
    found = {jobs[row["log"]]["job_id"] for row in centre.ask("outliers")}
    assert want and want <= found
    damaged = {row["log"] for row in centre.sql("SELECT log FROM problems")}
    others = {row["job_id"] for log, row in jobs.items() if log not in damaged} & found - slow
    assert len(others) <= LOGS // 100


def test_growth(centre: Centre) -> None:
    """The query "growth" shows that the program of the story moves ever more bytes, and that the
    centre runs more jobs every week."""
    story = centre.truth["growth"]
    weeks = centre.ask("growth", Filters(program=story["program"]))
    begin = date.fromisoformat(centre.truth["begin"])
    when = [(row["week"] - begin).days / 7 for row in weeks]
    size = [math.log((row["bytes_read"] + row["bytes_written"]) / row["jobs"]) for row in weeks]
    slope = np.polyfit(when, size, 1, w=[row["jobs"] ** 0.5 for row in weeks])[0]
    assert math.exp(slope * centre.truth["weeks"]) == pytest.approx(story["times"], rel=0.35)
    jobs = [row["jobs"] for row in centre.ask("growth", centre.later)]
    half = len(jobs) // 2
    assert sum(jobs[half:]) > 1.2 * sum(jobs[:half])


def test_every_week(centre: Centre) -> None:
    """An SQL query on the lake finds on which weekday the program of the story "weekly" runs."""
    story = centre.truth["weekly"]
    found = centre.sql(
        "SELECT isodow(day) AS d, count(DISTINCT day) AS days FROM jobs "
        f"WHERE program = '{story['program']}' GROUP BY d"
    )
    assert [row["d"] for row in found] == [story["weekday"]]
    assert found[0]["days"] > centre.truth["weeks"] * 0.6


def test_files_and_file_systems(centre: Centre) -> None:
    """The query "files" finds a file that many runs share, and "file-systems" the file system with
    most bytes."""
    known = centre.truth["programs"]
    (mesh,) = centre.ask("files", name="%/mesh.h5")
    least = known["climate"]["jobs"] + known["solver"]["jobs"]
    assert least <= mesh["jobs"] <= least + sum(centre.truth["damaged"].values())
    found = centre.ask("file-systems", centre.later)
    assert [row["mount"] for row in found] == ["/scratch", "/home"]
    assert sum(row["bytes_read"] + row["bytes_written"] for row in found) >= sum(
        program["bytes"] for program in known.values()
    )


# Queries for which the corpus has no rows: it has no layouts of Lustre, no calls but reads, writes
# and opens, no call sites, trainings or trials, and no data of a site. Tests of lake/ run them.
_NO_ROWS = {"removals", "fsyncs", "checkpoints", "producers", "stripes", "targets", "nodes",
            "slow-with-others", "accounts", "energy", "lines", "epochs", "trials"}  # fmt: skip
# The other queries.
_ASKED = [question.name for question in QUESTIONS if question.name not in _NO_ROWS]


def values_of(centre: Centre, name: str) -> dict[str, str]:
    """Returns the values of the parameters that a ready query requires, such as the times of the
    slow night; {} if it requires none."""
    night, bug = centre.truth["slow night"], centre.truth["bug"]
    return {
        "between": {"from": night["from"], "to": night["to"]},
        "before-after": {"date": bug["date"]},
        "files": {"name": "%/mesh.h5"},
        "job": {"job": str(night["job"])},
        "run": {"job": str(night["job"])},
    }.get(name, {})


@pytest.mark.always
def test_questions_without_rows(centre: Centre) -> None:
    """Each ready query has rows for this lake, except those in the list of exceptions."""
    assert [name for name in _ASKED if not centre.ask(name, **values_of(centre, name))] == []


@pytest.mark.parametrize("name", turning(_ASKED, 0.2, "questions of stories"))
def test_the_command_says_the_same(centre: Centre, name: str) -> None:
    """`darshan ask --json` prints the rows that the Python interface returns for the same ready
    query."""
    values = values_of(centre, name)
    words = [word for key, value in values.items() for word in (f"--{key}", value)]
    said = json.loads(darshan("ask", centre.path, name, *words, "--top", "1000", "--json"))
    want = centre.ask(name, **values)
    assert len(said) == len(want) > 0
    for got, row in zip(said, want):
        assert list(got) == list(row)
        for key in row.keys() - _ANY:
            value = row[key].isoformat() if hasattr(row[key], "isoformat") else row[key]
            exact = not isinstance(value, float)
            assert got[key] == (value if exact else pytest.approx(value, rel=1e-9)), key


def test_the_text_of_a_week(centre: Centre) -> None:
    """The weekly digest names the largest losses with their causes and users; the story "bug" is in
    digests of the weeks since it began, and not before."""
    bug, tiny = centre.truth["bug"], centre.truth["tiny writes"]
    day = date.fromisoformat(bug["date"])
    lost = []
    for weeks in (-2, 1):
        monday = day + timedelta(weeks=weeks)
        said = darshan("digest", centre.path, "--week", str(monday))
        told = said.partition("## Programs that lose most")[2].partition("\n## ")[0]
        parts = {
            part.split("\n")[0].split()[-1].strip("`"): part for part in told.split("\n### ")[1:]
        }
        lost.append(parts)
        if tiny["program"] in parts:
            assert "Many small writes" in parts[tiny["program"]]
            assert f"`{tiny['user']}`" in parts[tiny["program"]]
    before, since = (parts.get(bug["program"], "") for parts in lost)
    assert "Many small writes" not in before and "Many small writes" in since
    assert any(tiny["program"] in parts for parts in lost)
