"""`darshan ask`: results of the predefined queries equal sums that are computed in Python over the
rows of the tables, and no query reads more than it may."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from darshan_report import lake as lakes
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import CHANGES, QUESTIONS, Filters, query
from darshan_report.lake.commit.storage import LakeError
from logs.content import standard_log
from logs.encode import encode
from sample import turning
from tree import SOURCE

from .conftest import Run
from .rows import make_logs, rows
from .test_commits import fill

JOBS = 24


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of programs with several runs each, and a damaged log. Returns the lake's
    path."""
    folder = tmp_path_factory.mktemp("asked")
    paths = []
    for number in range(JOBS):
        begun = 1_700_000_000 + number * 86_400
        log = standard_log(
            {"POSIX": 4, "STDIO": 2, "MPI-IO": 3}, seed=number, start=(begun, 0),
            end=(begun + 60, 0), exe=f"/bin/program{number % 3} x".encode(),
        )  # fmt: skip
        paths.append(folder / f"user{number % 4}_program_id{number}-1_1-1-1-1_1.darshan")
        paths[-1].write_bytes(encode(log))
    paths.append(folder / "damaged.darshan")
    paths[-1].write_bytes(b"no log")
    fill(folder / "lake", paths)
    return folder / "lake"


def answer(lake: Path, name: str, filters: Filters | None = None, **values: Any) -> list[dict]:
    """Returns the rows of a ready query. name: of the query. values: its arguments."""
    question = next(q for q in QUESTIONS if q.name == name)
    with lakes.open(lake) as opened:
        return opened.sql(*query(question, filters or Filters(), {"top": 100, **values})).rows()


def total(row: dict[str, Any], *names: str) -> float:
    """Returns the sum of some columns of a row; null counts as 0."""
    return sum(row[n] or 0 for n in names)


def test_programs(lake: Path) -> None:
    """The bytes of each program are right, and the programs are in descending order of bytes."""
    want: dict[str, float] = defaultdict(float)
    for row in rows(lake, "jobs"):
        want[row["program"]] += total(row, "bytes_read", "bytes_written")
    got = answer(lake, "programs")
    assert {r["program"]: total(r, "bytes_read", "bytes_written") for r in got} == want
    assert [r["program"] for r in got] == sorted(want, key=lambda p: -want[p])
    assert sum(r["jobs"] for r in got) == JOBS


def test_filters(lake: Path) -> None:
    """The filters of `darshan ask` select a user's jobs of some days."""
    days = sorted(row["day"] for row in rows(lake, "jobs"))
    filters = Filters(since=str(days[5]), until=str(days[15]), user="user1")
    want = [
        r for r in rows(lake, "jobs") if r["user"] == "user1" and days[5] <= r["day"] <= days[15]
    ]
    assert sum(r["jobs"] for r in answer(lake, "programs", filters)) == len(want) > 0


def test_small_writes(lake: Path) -> None:
    """The query `small-writes` counts the writes below 10 KB of POSIX and STDIO, by program."""
    want: dict[str, int] = defaultdict(int)
    for row in rows(lake, "layers"):
        if row["layer"] in ("POSIX", "STDIO"):
            want[row["program"]] += int(
                total(row, "writes_0_100", "writes_100_1k", "writes_1k_10k")
            )
    got = {r["program"]: r["small_writes"] for r in answer(lake, "small-writes")}
    assert got == {program: number for program, number in want.items() if number}


def test_file_systems(lake: Path) -> None:
    """The query `file-systems` has the bytes of each mount point; values that are unknown count as
    0."""
    want: dict[str, float] = defaultdict(float)
    for prefix in ("POSIX", "STDIO"):
        for row in rows(lake, f"files_{prefix.lower()}"):
            mount = row["mount"] or "not known"
            want[mount] += total(row, f"{prefix}_BYTES_READ", f"{prefix}_BYTES_WRITTEN")
    got = {
        r["mount"]: total(r, "bytes_read", "bytes_written") for r in answer(lake, "file-systems")
    }
    assert got == want


def test_growth(lake: Path) -> None:
    """Every job is counted in the week of its day."""
    want: dict[tuple[int, int], int] = defaultdict(int)
    for row in rows(lake, "jobs"):
        want[row["day"].isocalendar()[:2]] += 1
    assert {r["week"].isocalendar()[:2]: r["jobs"] for r in answer(lake, "growth")} == want


def test_before_and_after(lake: Path) -> None:
    """The question before-after counts the jobs before and after a day separately."""
    days = sorted(row["day"] for row in rows(lake, "jobs"))
    got = answer(lake, "before-after", date=days[10], least=1)
    assert sum(r["jobs_before"] for r in got) == 10
    assert sum(r["jobs_after"] for r in got) == JOBS - 10
    for row in got:
        want = interval(rows(lake, "jobs"), row["program"], days[10])
        found = [row[name] for name in ("seconds_per_byte_ratio", "ratio_low", "ratio_high")]
        assert found == pytest.approx(want, nan_ok=True), row


def interval(jobs: list[dict[str, Any]], program: str, day: Any) -> list[float | None]:
    """Returns the median of seconds per byte from a day on, divided by the median before it, and
    the bounds of the ratio's interval, as doc/centre.md defines it. The bounds are None if one side
    has fewer than three runs."""
    sides = []
    for before in (True, False):
        some = [r for r in jobs if r["program"] == program and (r["day"] < day) == before]
        bytes_of = [total(r, "bytes_read", "bytes_written") for r in some]
        spent = [total(r, "read_seconds", "write_seconds", "meta_seconds") for r in some]
        sides.append(np.array([s / b for s, b in zip(spent, bytes_of) if b]))
    fewest = min(map(len, sides))
    ratio = float(np.median(sides[1]) / np.median(sides[0]))
    if fewest < 3:
        return [ratio, None, None]
    error = 0.0
    for side in sides:
        logs = np.log(side)
        spread = 1.4826 * np.median(abs(logs - np.median(logs))) * len(logs) / (len(logs) - 0.8)
        error += (1.2533 * spread) ** 2 / len(logs)
    width = 1.96 * (1 + 4 / fewest) * math.sqrt(error)
    return [ratio, ratio * math.exp(-width), ratio * math.exp(width)]


def test_between(lake: Path) -> None:
    """The query `between`, for an interval that contains half of a job's run time, has half of the
    job's bytes."""
    one = min(rows(lake, "jobs"), key=lambda r: r["started"])
    middle = one["started"] + (one["ended"] - one["started"]) / 2
    got = answer(lake, "between", **{"from": middle, "to": one["ended"]})
    assert [r["log"] for r in got] == [one["log"]]
    assert got[0]["bytes_inside"] == pytest.approx(
        total(one, "bytes_read", "bytes_written") / 2, rel=0.02
    )


def test_a_user_sees_no_others(lake: Path) -> None:
    """With a connection that is limited to one user, no table has rows of other users."""
    with Asked(lake, user="user2") as asked:
        for name in asked.tables:
            users = asked.sql(f'SELECT DISTINCT "user" AS u FROM {name}').rows()
            assert [r["u"] for r in users] in ([], ["user2"]), name


@pytest.mark.parametrize(
    "query",
    [
        "COPY jobs TO 'out.csv'",
        "EXPLAIN ANALYZE COPY jobs TO 'out.csv'",
        "COPY (SELECT 1) TO '{lake}/jobs/x.parquet'",
        "SELECT 1; EXPORT DATABASE 'out'",
        "ATTACH 'out.db' AS o",
        "CREATE TABLE x AS SELECT 1",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '{log}'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT content FROM read_text('/etc/passwd')",
        "SELECT * FROM 'http://127.0.0.1:9/x.parquet'",
        "SELECT * FROM files",  # a Python variable of the package
    ],
)
def test_a_query_reads_the_lake_and_nothing_else(lake: Path, query: str, tmp_path: Path) -> None:
    """A query can neither read nor write other files than those of the lake, nor change the
    settings that prevent this."""
    files = sorted(lake.rglob("*"))
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with lakes.open(lake) as asked, pytest.raises(LakeError):
        asked.sql(query.format(lake=lake, log=tmp_path / "x.csv"))
    assert sorted(lake.rglob("*")) == files
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"] and not Path("out.csv").exists()


def test_what_a_query_may(lake: Path) -> None:
    """Queries in SQL that only read are permitted."""
    with lakes.open(lake) as asked:
        for query in (
            "FROM jobs",
            "WITH a AS (SELECT 1 AS n) SELECT n FROM a, unnest([1, 2])",
            'PIVOT (SELECT program, "user", nprocs FROM jobs) ON "user" USING sum(nprocs)',
            "DESCRIBE jobs",
            "SUMMARIZE jobs",
            "SHOW TABLES",
            "EXPLAIN ANALYZE SELECT * FROM jobs",
            f"SELECT count(*) FROM read_parquet('{asked.files('jobs')[0]}')",
        ):
            assert len(asked.sql(query)) > 0, query


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_parquet('{lake}/jobs/*/*.parquet')",
        "SELECT * FROM '{file}'",
        'SELECT * FROM "{file}"',
        "SELECT (SELECT count(*) FROM parquet_scan('{file}'))",
        "WITH a AS (FROM '{file}') SELECT * FROM a",
        "SELECT * FROM query('FROM jobs')",
        "DESCRIBE '{file}'",
        "SELECT * FROM memory.main.jobs, duckdb_views()",
        "PIVOT (FROM '{file}') ON program",
        "SELECT sql FROM sqlite_master",
        "SELECT sql FROM DuckDB_views",
        "WITH a AS (WITH sqlite_schema AS (SELECT 1) SELECT 1) FROM sqlite_schema",
    ],
)
def test_a_user_comes_to_no_rows_of_others(lake: Path, query: str) -> None:
    """With a connection that is limited to one user, a query cannot read rows of other users by
    naming a file of the lake or a system view."""
    with Asked(lake, user="user2") as asked:
        [file] = asked.files("jobs")[:1]
        with pytest.raises(LakeError, match="limited to one user"):
            asked.sql(query.format(lake=lake, file=file))


def test_a_user_learns_nothing_of_others_from_statistics(darshan: Run, tmp_path: Path) -> None:
    """With a connection that is limited to one user, a query sees no column statistics, because
    they cover all rows of a file."""
    make_logs(tmp_path / "logs", 3)
    done = darshan("collect", "--into", "lake", "logs")
    assert done.returncode == 0, done.stderr
    query = 'SELECT stats("user")::VARCHAR || stats(path)::VARCHAR FROM jobs'
    for user, there in ((None, True), ("user1", False)):
        with Asked(tmp_path / "lake", user=user) as asked:
            assert len(asked.files("jobs")) == 1
            assert ("user2" in str(asked.sql(query).rows())) is there


def test_words_that_are_no_utf8(lake: Path, darshan: Run) -> None:
    """A name in an option (--user, --program, --name) that is not UTF-8 is escaped as in the
    tables; a query that is not UTF-8 is refused."""
    name = os.fsdecode(b"jane\xff")
    for more in (["--user", name], ["--program", name]):
        done = darshan("ask", lake, "--sql", "SELECT count(*) AS n FROM jobs", *more, "--csv")
        assert (done.stdout, done.stderr) == ("n\n0\n", "")
        assert darshan("ask", lake, "users", *more).returncode == 0
    assert darshan("ask", lake, "files", "--name", name).returncode == 0
    assert darshan("digest", lake, "--user", name).returncode == 0
    done = darshan("ask", lake, "--sql", f"SELECT '{name}'")
    assert (done.returncode, done.stderr) == (1, "darshan ask: the query is not valid UTF-8\n")


def test_a_value_that_python_has_not(lake: Path, darshan: Run) -> None:
    """If a value of a result cannot be represented in Python, the command prints an error of one
    line."""
    for odd in ("SELECT DATE '-infinity'", "SELECT * FROM test_all_types()"):
        done = darshan("ask", lake, "--sql", odd)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert "cannot write a value of the result" in done.stderr


def test_filters_are_for_sql_too(lake: Path, darshan: Run, tmp_path: Path) -> None:
    """The options --since, --until and --user apply to SQL queries, and a file of the user can be
    joined with tables."""
    days = sorted(row["day"] for row in rows(lake, "jobs"))
    query = 'SELECT count(*) AS n, count(DISTINCT "user") AS u FROM jobs'
    filters = ["--since", str(days[5]), "--until", str(days[15]), "--user", "user1"]
    done = darshan("ask", lake, "--sql", query, *filters, "--csv")
    want = [r for r in rows(lake, "jobs")
            if r["user"] == "user1" and days[5] <= r["day"] <= days[15]]  # fmt: skip
    assert done.stdout == f"n,u\n{len(want)},1\n" and want
    (tmp_path / "pro jects.csv").write_text("user,project\nuser1,climate\nuser2,water\n")
    query = """SELECT project, count(*) AS n FROM jobs JOIN "pro jects" USING (user)
        GROUP BY ALL ORDER BY ALL"""
    done = darshan("ask", lake, "--sql", query, "--with", "pro jects.csv", "--csv")
    assert done.stdout == "project,n\nclimate,6\nwater,6\n", done
    (tmp_path / "pro jects.csv").rename(tmp_path / "jobs.csv")
    done = darshan("ask", lake, "--sql", query, "--with", "jobs.csv")
    assert done.returncode == 1 and "the lake has a table" in done.stderr


def test_every_question_in_every_form(lake: Path, darshan: Run, tmp_path: Path) -> None:
    """The result of each predefined query has the same rows in each output form, and is a table on
    a terminal."""
    more = ["--date", "2023-12-01", "--from", "2023-11-20", "--to", "2023-12-01", "--name", "%",
            "--job", "4242"]  # fmt: skip
    first = darshan("ask", lake)
    assert [line.split()[0] for line in first.stdout.splitlines()] == [
        *(q.name for q in QUESTIONS),
        CHANGES,
    ]
    for question in turning(QUESTIONS, 0.1, "lake questions"):
        done = darshan("ask", lake, question.name, *more, "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        done = darshan("ask", lake, question.name, *more, "-o", "answer.csv")
        assert (done.returncode, done.stdout) == (0, "")
        lines = list(csv.DictReader(io.StringIO((tmp_path / "answer.csv").read_text())))
        assert len(lines) == len(found)
        assert [set(line) for line in lines] == [set(row) for row in found]
    done = darshan("ask", lake, "--sql", "SELECT count(*) AS n FROM jobs", "-o", "n.parquet")
    assert pq.read_table(tmp_path / "n.parquet").to_pylist() == [{"n": JOBS}]
    done = darshan("ask", lake, "programs")
    assert done.stdout.splitlines()[0].split()[:2] == ["program", "jobs"]
    assert len(done.stdout.splitlines()) == 4


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nonsense"], "unknown question nonsense"),
        (["files"], "needs --name"),
        (["--sql", "SELECT x FROM nothing"], "nothing"),
        (["between", "--from", "yesterday", "--to", "2023-01-01"], "must be a time like"),
        (["programs", "--since", "1.1.2023"], "must be a day like"),
        (["programs", "--memory", "-1"], "must be a size like"),
        (["--sql", "SELECT " + "(" * 20_000 + "1"], "nested more than 500 deep"),
    ],
)
def test_what_cannot_be_answered(
    arguments: list[str], words: str, lake: Path, darshan: Run
) -> None:
    """A query that cannot be answered causes a message of one line that names the reason."""
    done = darshan("ask", lake, *arguments)
    assert done.returncode == 1 and words in done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""


def test_nothing_but_the_answer(lake: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The database engine prints no progress bar into the result of a slow query."""
    with lakes.open(lake) as asked:
        # A query cannot set the delay of the bar (two seconds), so the test checks the setting.
        assert asked.sql("SELECT current_setting('enable_progress_bar') AS bar").rows() == [
            {"bar": False}
        ]
        assert asked.sql("SELECT sum(hash(range)) FROM range(5000000)").rows()
    assert capfd.readouterr() == ("", "")


def test_the_notebook(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell of the example notebook runs, in order."""
    cells = json.loads((SOURCE / "doc" / "centre.ipynb").read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    monkeypatch.setenv("DARSHAN_LAKE", str(lake))
    names: dict[str, Any] = {}
    for cell in code:
        exec(compile(cell, "centre.ipynb", "exec"), names)
    assert list(names["programs"]["jobs"]) == [JOBS // 3] * 3
    assert len(names["sizes"]) == 10 and len(names["losses"].columns) == 7


@pytest.mark.needs("polars")
def test_frames_of_polars(lake: Path) -> None:
    """A result as a polars frame has the same rows, with dates, times, booleans, strings and
    integers as such."""
    with lakes.open(lake) as opened:
        found = opened.sql(
            "SELECT program, job_id, sum(bytes_written) AS bytes, max(day) AS day, "
            "max(started) AS began, bool_or(partial) AS flag FROM jobs GROUP BY ALL ORDER BY job_id"
        )
        frame = found.polars()
        assert frame.rows() == list(found) and frame.columns == found.columns
        kinds = ["String", "Int64", "Int64", "Date", "Datetime", "Boolean"]
        assert [str(kind).partition("(")[0] for kind in frame.dtypes] == kinds
        for name in opened.tables:
            every = opened.sql(f'SELECT * FROM "{name}"')
            assert every.polars().shape == (len(every), len(every.columns))
        assert opened.sql("SELECT * FROM jobs WHERE false").polars().is_empty()


def test_the_program_that_was_started(darshan: Run, tmp_path: Path) -> None:
    """A job has the name of the program that the user means, not that of `env`, of a shell, or of
    the small program by which a version manager starts it."""
    shim = tmp_path / "shims" / "train"
    shim.parent.mkdir()
    shim.write_text('#!/usr/bin/env bash\nexec "$@"\n')
    shim.chmod(0o755)
    (tmp_path / "work.sh").write_text(": > made\n")
    begun = [("env", "A=1"), ("sh", "-c"), (shim, "env"), ()]
    for words in begun:
        command = ("A=1 sh work.sh",) if "-c" in words else ("sh", "work.sh")
        assert darshan("run", "-o", "logs", "--", *words, *command).returncode == 0
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    found = sorted(row["program"] for row in rows(tmp_path / "lake", "jobs"))
    assert found == ["train", "work.sh", "work.sh", "work.sh"]
