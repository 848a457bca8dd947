"""In compacted files the rows of one user and one program are neighbours, so that queries and pages
read few row groups."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import Filters
from darshan_report.lake.commit import cluster
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.compact import Compactor
from darshan_report.lake.serve import pages
from darshan_report.lake.serve.request import wanted
from darshan_report.lake.serve.server import Site
from darshan_report.lake.write.arrow import schema_of, shape

from .many import make_many
from .rows import make_logs
from .test_serve import table as table_of
from .test_sums import fill

_LOGS = 200


def some_logs(seed: int) -> pa.Table:
    """Returns random rows of 200 logs, ordered by day; a log has one to five rows."""
    draw = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for number in sorted(draw.randrange(30) for _ in range(_LOGS)):
        day = None if number == 0 else datetime.date(2026, 3, number)
        who = draw.choice([None, *(f"user{n}" for n in range(5))])
        log, program = f"{draw.randrange(16**8):08x}", f"program{draw.randrange(8)}"
        same = {"log": log, "day": day, "user": who, "program": program}
        rows += [{**same, "place": place} for place in range(draw.randrange(1, 6))]
    made = pa.Table.from_pylist(rows)
    texts = {name: made[name].dictionary_encode() for name in ("log", "user", "program")}
    return pa.table({**{name: made[name] for name in made.column_names}, **texts})


@pytest.mark.parametrize("seed", range(5))
def test_every_row_stays_with_its_log(seed: int) -> None:
    """Reordering rows for compaction keeps each row once. All rows of a log are neighbours in their
    order, even if they were in two input files."""
    rows = some_logs(seed)
    draw = random.Random(seed)
    cuts = sorted(draw.sample(range(1, len(rows)), 20))
    parts = [rows.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, len(rows)])]
    spans = list(cluster.clustered(parts, group=10))
    assert len(spans) > 3
    found = [row for span in spans for row in span.to_pylist()]
    assert sorted(map(str, found)) == sorted(map(str, rows.to_pylist()))
    seen: list[str] = []
    for row in found:
        if not seen or seen[-1] != row["log"]:
            seen.append(row["log"])
            assert row["place"] == 0
    assert len(seen) == len(set(seen)) == _LOGS
    inner = 0
    for span in spans:
        both = [((r["program"] or ""), (r["user"] or "")) for r in span.to_pylist()]
        inner += sum(one <= other for one, other in zip(both, both[1:]))
    assert inner >= len(rows) - 3 * len(spans)  # but for the logs at the edges


def groups_with(lake: Path, column: str, value: str) -> tuple[int, int]:
    """Returns how many row groups of jobs may contain a value of a column, according to their
    statistics, and how many row groups there are."""
    opened = whole = 0
    for file in Snapshot(str(lake)).of("jobs"):
        parquet = pq.ParquetFile(lake / file.path)
        place = parquet.schema_arrow.get_field_index(column)
        for number in range(parquet.num_row_groups):
            known = parquet.metadata.row_group(number).column(place).statistics
            opened += known.min <= value <= known.max
            whole += 1
    return opened, whole


def test_a_program_is_in_few_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a compacted lake, a query about one program or one user reads few row groups. The pages
    about the last jobs are the same with and without precomputed sums."""
    fill(tmp_path / "small", make_logs(tmp_path / "logs", 3))
    lake = tmp_path / "lake"
    make_many(tmp_path / "small", lake, 3000)
    monkeypatch.setattr("darshan_report.lake.commit.compact._FEW_ROWS", 1024)
    monkeypatch.setattr("darshan_report.lake.commit.compact._ROWS_FOR_A_COLUMN", 0)
    with Asked(lake) as asked:
        count = 'SELECT count(*), count(DISTINCT "user"), sum(nprocs) FROM jobs'
        before = [tuple(row) for row in asked.sql(count)]
    compactor = Compactor(Snapshot(str(lake)), schema_of, shape)
    for file in compactor.snapshot.of("jobs"):
        compactor.again(file)
    with Asked(lake) as asked:
        assert [tuple(row) for row in asked.sql(count)] == before
    opened, whole = groups_with(lake, "program", "program7")
    assert whole > 8 and opened < whole / 2, (opened, whole)  # two spans, and logs at edges
    last_jobs(lake, monkeypatch)


def last_jobs(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks that the page of the last jobs is the same with and without precomputed sums, and that
    a link leads to a job."""
    monkeypatch.setattr(pages, "_MOST", 20)
    asked_for: list[str | None] = []
    rows = pages.rows

    def counted(lake: Asked, question: Any, filters: Filters, **values: Any) -> list[Any]:
        if question.name == "jobs":
            asked_for.append(filters.since)
        return rows(lake, question, filters, **values)

    monkeypatch.setattr(pages, "rows", counted)
    with Asked(lake) as asked:
        site = Site(asked, "test")
        for address in ("/jobs", "/program?name=program7", "/user?name=user3&since=2026-09-01"):
            asked_for.clear()
            page = site.page(address).decode()
            found = table_of(page, "jobs")
            assert len(found) == 20 and len(asked_for) == 1
            assert (asked_for[0] or "") > "2026-09-01", address
            with monkeypatch.context() as patched:
                patched.setattr(Asked, "has_sums", lambda _: False)
                asked.refresh()
                assert table_of(pages.render(asked, wanted(address)), "jobs") == found
        link = found[0]["link"]
        assert "since=2026-1" in link
        first = site.page(f"/{link}").decode()
        other_day = link.replace("since=2026-1", "since=2020-1").replace("until=2026", "until=2020")
        assert site.page(f"/{other_day}").decode() == first
