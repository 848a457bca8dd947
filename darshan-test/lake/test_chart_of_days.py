"""The charts over days on the pages of `darshan serve` are compared with sums over the rows of the
tables."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.serve.server import Site

from .rows import make_logs, rows
from .test_serve import data
from .test_sums import fill, with_lines


def summed(some: list[dict[str, Any]], *columns: str) -> dict[str, float]:
    """Returns the sum of these columns for each day. some: rows of the table jobs."""
    found: dict[str, float] = defaultdict(float)
    for row in some:
        found[str(row["day"])] += sum(row[column] or 0 for column in columns)
    return found


def chart(site: Site, address: str) -> dict[str, dict[str, float]]:
    """Returns the lines of a page's chart: by the line's name the values by day. Days without a
    value are left out."""
    days = data(site.page(address).decode())["days"]
    return {
        name: {day: value for day, value in zip(days["days"], values) if value}
        for name, values in days["lines"]
    }


@pytest.mark.parametrize("by_sums", [True, False])
def test_charts(by_sums: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chart of each page has the sums of the page's jobs, both with precomputed sums and
    without."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 8)
    fill(lake, [*made, *(with_lines(tmp_path / "logs", number) for number in range(3))])
    if not by_sums:
        monkeypatch.setattr(Asked, "has_sums", lambda _: False)
    jobs, every = rows(lake, "jobs"), "since=2000-01-01"
    name = jobs[0]["program"]
    pages = {
        "users?": jobs,
        "programs?user=user1&": [r for r in jobs if r["user"] == "user1"],
        f"program?name={name}&": [r for r in jobs if r["program"] == name],
    }
    with Asked(lake) as asked:
        site = Site(asked, "test")
        for address, some in pages.items():
            found = chart(site, f"/{address}{every}")
            for kind, column in (("read", "bytes_read"), ("written", "bytes_written")):
                want = {day: value for day, value in summed(some, column).items() if value}
                assert found[kind] == want, (address, kind)
        mounts = chart(site, f"/file-systems?{every}")
        records = [
            {"mount": row["mount"] or "not known", "day": row["day"],
             "moved": (row[f"{prefix}_BYTES_READ"] or 0) + (row[f"{prefix}_BYTES_WRITTEN"] or 0)}
            for prefix in ("POSIX", "STDIO") for row in rows(lake, f"files_{prefix.lower()}")
        ]  # fmt: skip
        assert mounts
        for mount, values in mounts.items():
            of = [row for row in records if row["mount"] == mount]
            assert values == pytest.approx(summed(of, "moved"))
        days = {str(row["day"]) for row in rows(lake, "sites")}
        page = data(site.page(f"/lines?{every}").decode())
        if len(days) > 1:
            assert chart(site, f"/lines?{every}")["in calls"] == pytest.approx(
                summed(rows(lake, "sites"), "seconds")
            )
        else:
            assert "days" not in page  # a single day is no line
