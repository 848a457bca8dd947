"""Queries and pages that take too much time or memory are stopped, and leave neither files nor
threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.limits import LimitExceeded, Limits
from darshan_report.lake.commands import arguments, digest
from darshan_report.lake.serve import server as serving
from darshan_report.lake.serve.request import Wanted
from darshan_report.lake.serve.server import Site

from .conftest import SECONDS, Run
from .rows import committed, make_logs, whole
from .test_commits import fill
from .test_crowd import served
from .test_digest import collected, week_of_logs
from .test_serve import ask

# Queries that would take hours.
COUNTS = (
    "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE hash(a.range + b.range) % 7 = 3"
)
ROWS = "SELECT a.range, b.range FROM range(1000000) a, range(1000000) b"
ONE_CALL = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"
FOR_HOURS = {"counts": COUNTS, "writes rows": ROWS, "cannot be interrupted": ONE_CALL}
# A query whose result needs 14 GB, which DuckDB's own limit does not count.
LARGE = "SELECT len(range(1800000000))"
STOPPED = "darshan ask: the query was stopped after 0.5 s (--timeout); select fewer days"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake with jobs of two weeks. Returns the lake's path."""
    top = tmp_path_factory.mktemp("stopped")
    collected(top / "lake", week_of_logs(top))
    return top / "lake"


@pytest.mark.parametrize("query", FOR_HOURS.values(), ids=FOR_HOURS)
def test_a_query_is_stopped(query: str, lake: Path, tmp_path: Path, darshan: Run) -> None:
    """A query that exceeds --timeout is stopped: a line says so, no output is written, and no
    temporary file stays."""
    spill = tmp_path / "spill"
    spill.mkdir()
    begun = time.monotonic()
    done = darshan(
        "ask", lake, "--sql", query, "--timeout", "0.5", "-o", tmp_path / "out.csv",
        environment={"TMPDIR": str(spill)},
    )  # fmt: skip
    assert time.monotonic() - begun < SECONDS / 2
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith(STOPPED) and done.stderr.count("\n") == 1, done.stderr
    assert os.listdir(tmp_path) == ["spill"] and os.listdir(spill) == []


def test_a_reader_that_waits_is_no_excuse(build: Path, lake: Path) -> None:
    """The time limit includes writing the result: it also ends a query whose output nobody
    reads."""
    with subprocess.Popen(
        [build / "darshan", "ask", lake, "--sql", ROWS, "--csv", "--timeout", "0.5"],
        env={**os.environ, "DARSHAN_PYTHON": sys.executable},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as command:  # fmt: skip
        assert command.wait(SECONDS) == 1
        assert command.stderr is not None and command.stderr.read().startswith(STOPPED)


def test_no_thread_stays_when_the_queries_are_over(lake: Path) -> None:
    """After a block with limits, the thread that watches the time has ended. If such a thread still
    existed when Python ends, DuckDB would print 43 lines."""
    with Asked(str(lake)) as asked:
        before = threading.active_count()
        with asked.limited(Limits(SECONDS)):
            assert asked.sql("SELECT 1 AS one").rows() == [{"one": 1}]
            assert threading.active_count() == before + 1
        assert threading.active_count() == before


def test_a_query_in_time_is_not_stopped(lake: Path, darshan: Run) -> None:
    """A time limit that is not reached does not change the result; a limit of 0 means none."""
    query = "SELECT count(*) AS n FROM range(100000000) WHERE hash(range) % 7 = 3"
    some = [
        darshan("ask", lake, "--sql", query, "--csv", *limit)
        for limit in ((), ("--timeout", "0"), ("--timeout", str(SECONDS)))
    ]
    assert [one.returncode for one in some] == [0, 0, 0]
    assert len({one.stdout for one in some}) == 1
    for wrong in ("-1", "soon", "nan"):
        assert darshan("ask", lake, "users", "--timeout", wrong).returncode == 2
        assert darshan("serve", lake, "--timeout", wrong).returncode == 2


def test_stopped_changes_are_a_failure(lake: Path, darshan: Run) -> None:
    """`darshan ask LAKE changes` exits with 2 if it was stopped, because 1 means that there are
    changes."""
    done = darshan("ask", lake, "changes", "--since", "7d", "--timeout", "0.000001")
    assert done.returncode in (0, 2)  # 0: the query took less than a look at the clock
    assert (done.returncode == 2) == done.stderr.startswith("darshan ask: the query was stopped")


def test_a_text_of_a_week_is_stopped(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`darshan digest` that exceeds --timeout prints a line and writes no text."""

    def long(asked: Asked, *_: object) -> None:
        asked.sql(COUNTS)

    monkeypatch.setattr(digest, "tell", long)
    out = tmp_path / "week.md"
    for top in ("1", "5"):
        given = arguments.digest([str(lake), "--timeout", "0.5", "--top", top, "-o", str(out)])
        assert digest.main(given) == 1
        printed = capsys.readouterr()
        assert printed.out == "" and not out.exists()
        line = "darshan digest: the query was stopped after 0.5 s (--timeout); select a user\n"
        assert printed.err == line


def test_a_text_of_a_week_in_time(lake: Path, darshan: Run) -> None:
    """A limit that is not reached does not change the text."""
    some = [darshan("digest", lake, "--week", "2023-W47", *limit)
            for limit in ((), ("--timeout", str(SECONDS)), ("--memory", "1GB"))]  # fmt: skip
    assert [one.returncode for one in some] == [0, 0, 0]
    assert len({one.stdout for one in some}) == 1
    for wrong in (("--timeout", "nan"), ("--memory", "much")):
        assert darshan("digest", lake, *wrong).returncode in (1, 2)


@pytest.mark.parametrize("what", ["compact", "publish"])
def test_maintenance_is_stopped(what: str, darshan: Run, tmp_path: Path) -> None:
    """`darshan lake` that exceeds --timeout ends with a line, even while it waits for a file: here
    for a pipe without a writer, in the place of a table's file."""
    fill(tmp_path / "lake", make_logs(tmp_path / "logs", 2))
    fill(tmp_path / "lake", make_logs(tmp_path / "logs", 2, first=2))
    (file, *_) = committed(tmp_path / "lake")["jobs"]
    path = tmp_path / "lake" / file
    path.unlink()
    os.mkfifo(path)
    begun = time.monotonic()
    done = darshan("lake", what, "lake", "--timeout", "2")
    assert time.monotonic() - begun < SECONDS / 2
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"darshan lake: {what} was stopped after 2 s (--timeout); ")
    assert done.stderr.count("\n") == 1


def test_stopped_maintenance_loses_nothing(darshan: Run, tmp_path: Path) -> None:
    """A compaction may be stopped at any moment: the lake is whole and has each log once, and the
    next compaction completes it."""
    made = make_logs(tmp_path / "logs", 20)
    for place in range(0, 20, 2):
        fill(tmp_path / "lake", made[place : place + 2])
    for limit in (0.01, 0.05, 0.1, 0.2, 0.4):
        assert darshan("lake", "compact", "lake", "--timeout", str(limit)).returncode in (0, 1)
        whole(tmp_path / "lake", made)
        assert darshan("lake", "check", "--deep", "lake").returncode == 0
    assert darshan("lake", "compact", "lake", "--timeout", "1e300").returncode == 0
    assert len(committed(tmp_path / "lake")["jobs"]) == 2  # months
    whole(tmp_path / "lake", made)
    assert darshan("lake", "compact", "lake", "--timeout", "-1").returncode == 2


def test_memory_is_limited(lake: Path, darshan: Run) -> None:
    """With --memory 200MB, a query that needs 14 GB is stopped when the process exceeds its limit
    by about 1 GiB, also for memory that DuckDB does not count."""
    done = darshan("ask", lake, "--sql", LARGE, "--memory", "200MB")
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("darshan ask: the query was stopped, because it took 1.")
    assert "--memory" in done.stderr and done.stderr.count("\n") == 1


def test_later_queries_are_answered(lake: Path) -> None:
    """A time limit stops the queries of its own `with` block only, and no later query."""
    with Asked(lake) as asked:
        for _ in range(3):
            with pytest.raises(LimitExceeded), asked.limited(Limits(0.2)):
                asked.sql(COUNTS)
            with pytest.raises(LimitExceeded), asked.limited(Limits(0.2)):
                while True:
                    asked.sql("SELECT 1")  # each is over soon
            assert len(asked.sql("SELECT count(*) FROM jobs")) == 1


def test_a_page_is_given_up(
    lake: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A page that takes longer than the server's limit is stopped, and the reply has status 504;
    afterwards other pages are served."""

    def long(asked: Asked, _: Wanted) -> str:
        asked.sql(COUNTS)
        raise AssertionError

    monkeypatch.setitem(serving._OTHERS, "jobs", long)
    with Asked(lake) as asked, served(Site(asked, "test", 0.5)) as port:
        for _ in range(2):
            reply, text = ask(port, "/jobs")
            assert (reply.status, text.count("\n")) == (504, 1)
            assert "stopped after 0.5 s" in text and "select fewer days" in text
            assert reply.headers["Retry-After"] is None
            assert ask(port, "/users")[0].status == 200
            assert ask(port, "/programs")[0].status == 200
    assert capfd.readouterr().err.count("test: /jobs: LimitExceeded: ") == 2
