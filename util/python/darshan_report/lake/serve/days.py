"""The chart of a page: bytes that jobs moved, or time of their calls, on each day."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

from ..ask.engine import Asked
from ..ask.ready.by_sums import ON_MOUNTS, RAN
from ..ask.ready.lines import SPENT
from ..ask.ready.question import Question
from ..ask.ready.questions import Filters
from ..look.week import rows
from .blocks import Made, Row

_MOUNTS = 6  # number of mount points with their own lines, those with most bytes
_LONGEST = 3660  # days
_ONE_DAY = datetime.timedelta(days=1)
_MOVED = Question(
    "moved",
    "bytes that jobs moved, by day",
    f"""WITH {RAN}
SELECT day, CAST(sum(jobs) AS BIGINT) AS jobs, sum(r)::DOUBLE AS read, sum(w)::DOUBLE AS written
FROM ran WHERE day IS NOT NULL GROUP BY day ORDER BY day""",
)
_ON_MOUNTS = Question(
    "moved-on-mounts",
    "bytes that jobs moved on the mount points that moved most, by day",
    f"""WITH {ON_MOUNTS},
by_day AS (
  SELECT day, coalesce(mount, 'not known') AS mount,
    coalesce(sum(r)::DOUBLE, 0) + coalesce(sum(w)::DOUBLE, 0) AS moved
  FROM one WHERE day IS NOT NULL GROUP BY ALL),
most AS (
  SELECT mount, sum(moved) AS whole FROM by_day GROUP BY mount
  ORDER BY whole DESC, mount LIMIT {_MOUNTS})
SELECT day, mount, moved FROM by_day JOIN most USING (mount) ORDER BY whole DESC, mount, day""",
)
_IN_LINES = Question(
    "seconds-in-lines",
    "seconds in I/O calls of runs with call sites, by day",
    f"""WITH {SPENT}
SELECT day, sum(seconds) AS seconds FROM spent WHERE day IS NOT NULL GROUP BY day ORDER BY day""",
)


def _days(found: Iterable[Row]) -> list[datetime.date]:
    """Returns all days from the first to the last of these rows, including days without jobs. If
    the span is longer than `_LONGEST` days, returns only days that have rows, at most the last
    `_LONGEST`."""
    known = {row["day"] for row in found}
    first, last = min(known), max(known)
    if (last - first).days > _LONGEST:  # clocks of damaged logs
        return sorted(known)[-_LONGEST:]
    return [first + number * _ONE_DAY for number in range((last - first).days + 1)]


def _add(made: Made, found: list[Row], kind: str, lines: Sequence[tuple[str, list[Row], str]],
         said: str) -> None:  # fmt: skip
    """Adds the chart if the rows have at least two days. found: rows with all its days. kind: unit
    of the values. lines: the name, rows and column of each line. said: a description of the
    chart."""
    days = _days(found)
    if len(days) < 2:  # a point is no line
        return
    series = []
    for name, some, column in lines:
        values = {row["day"]: row[column] for row in some}
        series.append([name, [values.get(day) or 0 for day in days]])
    made.add('<div class="picture" id="days"></div>')
    made.data["days"] = {"days": list(map(str, days)), "kind": kind, "lines": series, "said": said}


def add_moved(made: Made, lake: Asked, filters: Filters, when: str = "") -> None:
    """Adds the chart of the bytes that jobs read and wrote on each day. when: text to append to its
    description, about which days these are."""
    found = rows(lake, _MOVED, filters)
    if found:
        lines = [("read", found, "read"), ("written", found, "written")]
        _add(made, found, "amount", lines, f"bytes that the jobs of each day moved{when}")


def add_moved_on_mounts(made: Made, lake: Asked, filters: Filters) -> None:
    """Adds the chart of the bytes that were moved each day on the mount points that moved most."""
    found = rows(lake, _ON_MOUNTS, filters)
    if found:
        mounts = dict.fromkeys(row["mount"] for row in found)
        lines = [(m, [row for row in found if row["mount"] == m], "moved") for m in mounts]
        _add(made, found, "amount", lines, "bytes that the jobs of each day moved on mount points")


def add_in_lines(made: Made, lake: Asked, filters: Filters) -> None:
    """Adds the chart of the seconds in I/O calls on each day, of runs with call sites."""
    found = rows(lake, _IN_LINES, filters)
    if found:
        lines = [("in calls", found, "seconds")]
        _add(made, found, "seconds", lines, "seconds in I/O calls of the jobs of each day")
