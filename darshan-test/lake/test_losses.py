"""The time that users and programs lose according to findings is the same number in queries, in the
digest of a week and on the pages."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters
from darshan_report.lake.look.week import losers
from darshan_report.lake.look.week import rows as answered
from darshan_report.lake.serve import questions

from .rows import committed, rows
from .test_digest import collected, week_of_logs

ALL = Filters()
MOST = 1000


def _claimed(number: int, row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row of the table findings, changed so that some problems claim more time than their
    job took. For every third job the time is unknown (0), as in lakes of older releases. number: of
    the row."""
    if row["kind"] != "problem":
        return row
    known = int(row["log"], 16) % 3 != 0
    more = {"stake_seconds": row["of_seconds"] * (0.7 + number % 5 / 10), "same_as": None}
    return {**row, **more, "of_seconds": row["of_seconds"] if known else 0.0}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of two weeks, some of whose findings claim more time than their jobs took.
    Returns the lake's path."""
    folder = tmp_path_factory.mktemp("losses")
    logs = week_of_logs(folder)
    collected(folder / "lake", logs)
    for name in committed(folder / "lake")["findings"]:
        path = folder / "lake" / name
        found = pq.read_table(path, partitioning=None)
        changed = [_claimed(*pair) for pair in enumerate(found.to_pylist())]
        pq.write_table(pa.Table.from_pylist(changed, found.schema), path)
    return folder / "lake"


def _lost(lake: Path, by: str) -> dict[str, float]:
    """Returns the lost seconds of each user or program, computed independently: no finding and no
    job loses more than the known time of the job. by: "user" or "program"."""
    jobs: dict[tuple[str, str], list[float]] = defaultdict(list)
    had: dict[str, float] = {}
    for row in rows(lake, "findings"):
        if row["kind"] == "problem" and row["same_as"] is None and row["stake_seconds"] > 0:
            had[row["log"]] = row["of_seconds"] or float("inf")
            jobs[row[by], row["log"]].append(min(row["stake_seconds"], had[row["log"]]))
    want: dict[str, float] = defaultdict(float)
    assert any(sum(lost) > had[log] for (_, log), lost in jobs.items())
    for (name, log), lost in jobs.items():
        want[name] += min(sum(lost), had[log])
    return want


def test_users(lake: Path) -> None:
    """The query `users`, which a page shows, and the digest have the lost seconds of each user."""
    want = _lost(lake, "user")
    with Asked(lake) as asked:
        found = answered(asked, BY_NAME["users"], ALL, top=MOST)
    assert {r["user"]: r["lost_seconds"] for r in found} == pytest.approx(want)
    for user, lost in want.items():
        with Asked(lake, user=user) as asked:
            assert sum(p.lost_seconds for p in losers(asked, ALL, MOST)) == pytest.approx(lost)


def test_programs(lake: Path) -> None:
    """The digest, the page and the query `losses` have the same lost seconds for each program and
    each finding."""
    want = _lost(lake, "program")
    with Asked(lake) as asked:
        told = losers(asked, ALL, MOST)
        page = answered(asked, questions.PROGRAMS, ALL, top=MOST)
        ready = answered(asked, BY_NAME["losses"], ALL, top=MOST)
        changes = answered(asked, questions.CHANGES, ALL, top=MOST)
    assert {p.program: p.lost_seconds for p in told} == pytest.approx(want)
    assert {r["program"]: r["lost_seconds"] for r in page} == pytest.approx(want)
    by_rule = {(r["program"], r["rule"]): r["lost_seconds"] for r in ready}
    assert {(r["program"], r["rule"]): r["lost_seconds"] for r in changes} == pytest.approx(by_rule)
    said = {(p.program, f["rule"]): f["lost_seconds"] for p in told for f in p.findings}
    assert said == pytest.approx({key: lost for key, lost in by_rule.items() if lost > 0})
    assert all(r["share"] is None or r["share"] <= 1 for r in ready)
