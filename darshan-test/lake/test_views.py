"""The views that `darshan lake views` prints: Spark and DuckDB give equal results for all tables
and predefined queries."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from darshan_report import lake as lakes
from darshan_report.lake import columns
from darshan_report.lake.ask.ready.questions import QUESTIONS, Filters, query
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.write.arrow import schema_of, shape
from lab.command import finished

from .conftest import Run
from .questions import VALUES, equal_rows
from .rows import committed, make_logs
from .spark import Standalone
from .test_commits import fill

# Name of the lake's folder, with characters that are special in patterns, lists or SQL strings.
NAME = "a {lake}, it's [odd]*?"


def made(folder: Path, darshan: Run) -> Path:
    """Makes a lake of several commits with findings, problems, replaced files, a file without a
    commit, and tables without files. Returns its path."""
    lake = folder / NAME
    logs = make_logs(folder / "logs", 60)
    fill(lake, logs[:20])
    compact(str(lake), schema_of, shape)
    (folder / "logs" / "user1_x_id1-1_1-1-1-1_1.darshan").write_bytes(b"damaged")
    assert darshan("collect", "--into", lake, folder / "logs").returncode == 0
    _of_the_site(folder, lake, darshan)
    file = lake / committed(lake)["jobs"][0]
    shutil.copy(file, file.parent / f"{'0' * 32}.parquet")
    return lake


def _of_the_site(folder: Path, lake: Path, darshan: Run) -> None:
    """Adds batch jobs, one for every third log, and a time series of a server."""
    begun = 1_700_000_000
    header = "JobIDRaw|User|Account|NNodes|NodeList|Start|End|ConsumedEnergyRaw"
    lines = [f"4242|user{n % 3}|a{n % 2}|{1 + n % 4}|n[1-4]|{begun + n * 86_400 - 9}|"
             f"{begun + n * 86_400 + 90}|{1000 + n}" for n in range(0, 60, 3)]  # fmt: skip
    (folder / "sacct.txt").write_text("\n".join([header, *lines]) + "\n")
    series = [f"{begun + n * 20_000},{n * 10**9},{n * 10**8}" for n in range(200)]
    (folder / "series.csv").write_text("\n".join(["time,read,write", *series]) + "\n")
    done = darshan("collect", "--into", lake, "--scheduler", "sacct.txt", "--servers", "series.csv",
                   "--servers-mount", "/scratch")  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_views_name_what_is_committed(darshan: Run, tmp_path: Path) -> None:
    """The script of views names exactly the committed files of the lake."""
    lake = made(tmp_path, darshan)
    done = darshan("lake", "views", lake)
    assert done.returncode == 0
    named = set(re.findall(r"month=[\w-]+/\w+\.parquet", done.stdout))
    wanted = {path.partition("/")[2] for paths in committed(lake).values() for path in paths}
    assert named == wanted
    assert darshan("lake", "views", "nowhere").returncode == 1


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """Starts a master with two workers; yields it and ends it after the tests."""
    with Standalone(tmp_path_factory.mktemp("spark")) as spark:
        yield spark


@pytest.mark.needs("spark")
def test_spark_answers_as_duckdb(standalone: Standalone, darshan: Run, tmp_path: Path) -> None:
    """Every predefined query with and without filters, and every cell of every table, are equal."""
    lake = made(tmp_path, darshan)
    spark = lakes.on_spark(standalone.session, lake)
    assert standalone.workers() == 2
    with lakes.open(lake) as opened:
        span = next(iter(opened.sql("SELECT min(started), max(ended), median(day) FROM jobs")))
        values = {**VALUES, "from": span[0], "to": span[1], "date": span[2].date()}
        filters = Filters("2023-11-20", "2023-12-20", "user1", "app", "/scratch")
        for question in QUESTIONS:
            for chosen in (Filters(), filters):
                want = opened.sql(*query(question, chosen, values))
                got = spark.ask(question.name, chosen, **values)
                assert got.columns == want.columns
                found = [tuple(row) for row in got.collect()]
                equal_rows(found, [_plain(row) for row in want], question.name)
        assert _answered(opened, values) > 5
        for name in columns.tables():
            want = opened.sql(f'SELECT * FROM "{name}"')
            got = standalone.session.sql(f'SELECT * FROM "{name}"')
            assert got.columns == want.columns, name
            found = [tuple(row) for row in got.collect()]
            assert sorted(map(_shown, found)) == sorted(map(_shown, want)), name


def _answered(opened: Any, values: dict[str, Any]) -> int:
    """Returns how many predefined queries have rows; comparing empty results would prove
    nothing."""
    return sum(1 for q in QUESTIONS if len(opened.sql(*query(q, Filters(), values))))


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the row without time zones: the zone is UTC in both engines, but Spark's timestamps
    do not have it."""
    return tuple(v.replace(tzinfo=None) if getattr(v, "tzinfo", None) else v for v in row)


def _shown(row: tuple[Any, ...]) -> str:
    """Returns a row of cells of any type as text."""

    def cell(value: Any) -> Any:
        if isinstance(value, (bytes, bytearray)):
            return bytes(value).hex()
        if isinstance(value, list):
            return [tuple(v.values()) if isinstance(v, dict) else tuple(v) for v in value]
        return str(value)

    return str([cell(value) for value in _plain(row)])


@pytest.mark.needs("spark")
def test_the_script_runs_in_spark_sql(standalone: Standalone, darshan: Run, tmp_path: Path) -> None:
    """spark-sql runs the script of views as doc/centre.md describes, and then a query on them."""
    lake = made(tmp_path, darshan)
    (tmp_path / "views.sql").write_text(darshan("lake", "views", lake).stdout)
    (tmp_path / "ask.sql").write_text('SELECT count(*), count(DISTINCT "user") FROM jobs;\n')
    done = finished(
        [*standalone.program("spark-sql"), "-i", "views.sql", "-f", "ask.sql"],
        cwd=tmp_path,
        env=standalone.environment,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split()[-2:] == ["60", "3"]
