"""A week of a lake in numbers: sums, and the programs that lose time, with their findings."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...classes import dataclass
from .. import dates
from ..ask.engine import Asked
from ..ask.ready.by_sums import RAN, by_sums
from ..ask.ready.losses import COSTLIEST, EACH
from ..ask.ready.question import Question
from ..ask.ready.questions import BY_NAME, Filters, query
from ..commit.storage import LakeError

_DAYS = datetime.timedelta(days=7)
_MANY = 100_000  # more than any centre has mount points
_ALL = Filters()
_FIRST_YEAR = 1970

SUMS = Question(
    "sums",
    "what all jobs did",
    f"""WITH {RAN}
SELECT CAST(coalesce(sum(jobs), 0) AS BIGINT) AS jobs, count(DISTINCT program) AS programs,
  count(DISTINCT "user") AS users, coalesce(sum(r), 0)::DOUBLE AS bytes_read,
  coalesce(sum(w), 0)::DOUBLE AS bytes_written, coalesce(sum(io_seconds), 0) AS io_seconds,
  coalesce(sum(all_layers_seconds), 0) AS all_layers_seconds,
  coalesce(sum(process_seconds), 0) AS process_seconds,
  CAST(coalesce(sum(partial), 0) AS BIGINT) AS partial,
  CAST(coalesce(sum(not_looked), 0) AS BIGINT) AS not_looked
FROM ran""",
)
_LOST = Question(
    "lost",
    "programs by what they lose at most",
    f"""WITH {RAN}, {EACH},
whole AS (SELECT program, CAST(sum(jobs) AS BIGINT) AS jobs,
  sum(process_seconds) AS process_seconds FROM ran GROUP BY program)
SELECT program, any_value(whole.jobs) AS jobs, CAST(sum(costly) AS BIGINT) AS costly,
  sum(lost) AS lost_seconds, any_value(whole.process_seconds) AS process_seconds,
  max_by(log, named_struct('most', coalesce(most, -1), 'log', log,
    'program', program)) AS worst
FROM each LEFT JOIN whole USING (program)
GROUP BY program ORDER BY lost_seconds DESC, program LIMIT $top""",
)
_RULES = Question(
    "rules",
    "what programs lose by which finding",
    f"""WITH {EACH}
SELECT program, rule, max_by(title, {COSTLIEST}) AS title, CAST(sum(jobs) AS BIGINT) AS jobs,
  sum(lost) AS lost_seconds, max_by(remedy, {COSTLIEST}) AS remedy
FROM found WHERE lost > 0 AND program IN (SELECT unnest($programs::VARCHAR[]))
GROUP BY program, rule ORDER BY program, lost_seconds DESC, rule""",
)
_OWNERS_OF = Question(
    "owners",
    "whose runs of programs lose",
    f"""WITH {EACH}
SELECT program, "user", CAST(sum(costly) AS BIGINT) AS jobs, sum(lost) AS lost_seconds
FROM each WHERE program IN (SELECT unnest($programs::VARCHAR[]))
GROUP BY program, "user" ORDER BY program, lost_seconds DESC, "user" """,
)
_WORST = Question(
    "worst",
    "the jobs that lose most",
    """SELECT log, path, "user", job_id FROM {jobs}
WHERE log IN (SELECT unnest($logs::VARCHAR[]))""",
)
# Logs with a day, but with parts that could not be read. Logs without a day belong to no week.
_BROKEN = Question(
    "broken",
    "what could not be read",
    """SELECT problem, count(DISTINCT log) AS logs, min(path) AS path
FROM {problems} GROUP BY problem ORDER BY logs DESC, problem""",
)
_UNDATED = Question(
    "undated",
    "what could not be read, of logs that say no day",
    """SELECT problem, count(DISTINCT log) AS logs, min(path) AS path
FROM {problems} WHERE day IS NULL GROUP BY problem ORDER BY logs DESC, problem""",
)
_NEWEST = Question(
    "newest",
    "the last day on which a job began",
    f"""WITH {RAN}
SELECT coalesce(max(day) FILTER (WHERE day <= current_date + 1), max(day)) AS day FROM ran""",
)


@dataclass(frozen=True)
class Week:
    """Seven days in UTC, from Monday to Sunday. first: the Monday."""

    first: datetime.date

    @property
    def last(self) -> datetime.date:
        """The Sunday of the week."""
        return self.first + _DAYS - datetime.timedelta(days=1)

    @property
    def name(self) -> str:
        """The week's name in ISO 8601, 2026-W47."""
        year, week, _ = self.first.isocalendar()
        return f"{year}-W{week:02}"

    @property
    def before(self) -> Week:
        """The week before this one."""
        return Week(self.first - _DAYS)

    def of(self, chosen: Filters) -> Filters:
        """Returns a copy of the filters `chosen` with the days of this week."""
        return replace(chosen, since=str(self.first), until=str(self.last))


def of_day(day: datetime.date) -> Week:
    """Returns the week that contains a day."""
    return Week(day - datetime.timedelta(days=day.weekday()))


def named(text: str, today: datetime.date) -> Week:
    """Returns the week that a text names: 2026-W47, a day in the week, an age such as 14d, "this"
    or "last". Raises LakeError for other text."""
    ago = dates.ago(text, datetime.datetime.combine(today, datetime.time()))
    if ago is not None and ago.year >= _FIRST_YEAR:
        return of_day(ago.date())
    if text in ("this", "last"):
        this = of_day(today)
        return this if text == "this" else this.before
    try:
        if not str(_FIRST_YEAR) <= text[:4] < "9999":
            raise ValueError(text)
        found = re.fullmatch(r"(\d{4})-?W(\d\d)", text)
        if found:
            return Week(datetime.date.fromisocalendar(int(found[1]), int(found[2]), 1))
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return of_day(datetime.date.fromisoformat(text))
    except ValueError:
        pass
    raise LakeError(
        f"--week {text}: must be 2026-W47, a day in the week (2026-11-18, or 14d: fourteen days "
        "ago), this or last"
    )


Row = dict[str, Any]


@dataclass(frozen=True)
class Loser:
    """A program that loses time in a week. lost_seconds: the largest time that its findings may
    cost, of all processes. process_seconds: the working time of all its processes; None if
    unknown."""

    program: str
    jobs: int
    costly: int  # jobs that lose time
    lost_seconds: float
    process_seconds: float | None
    worst: Row  # the job that loses most: log, path, user, job_id
    findings: Sequence[Row]  # the costliest first, like owners
    owners: Sequence[Row]


@dataclass(frozen=True)
class Told:
    """All numbers of a week's digest. hidden: whether the lake's names are anonymized. sums,
    sums_before: of all jobs in this week and in the week before. broken: reasons why parts of the
    week's logs could not be read. undated: the same for logs of no known day."""

    week: Week
    hidden: bool
    sums: Row
    sums_before: Row
    losers: Sequence[Loser]
    # this week and the week before; {} for a week without records
    file_systems: Sequence[tuple[Row, Row]]
    broken: Sequence[Row]
    undated: Sequence[Row]
    newest: datetime.date | None  # the last day on which a job of the lake began


def rows(lake: Asked, question: Question, filters: Filters, **values: Any) -> list[Row]:
    """Returns the rows of a query. The query reads the tables of sums instead of single rows if
    these can answer it. values: of the query's other parameters."""
    if filters.mount is None and lake.has_sums():  # sums do not have the mounts of a job
        question = by_sums(question)
    return lake.sql(*query(question, filters, values)).rows()


# In a lake with anonymized names, whole sentences are anonymized, because they may contain names.
HIDDEN = "what to change is told in the guide diagnoses.md, under the finding's title."


def told_openly(lake: Asked, findings: list[Row]) -> list[Row]:
    """Returns findings as they may be shown. In an anonymized lake, changes them: they get no
    sentence and no example, and a reference to the guide as their remedy."""
    if lake.hidden:
        for one in findings:
            one.update(sentence=None, remedy=HIDDEN, example=None)
    return findings


def losers(lake: Asked, filters: Filters, top: int) -> list[Loser]:
    """Returns at most `top` programs that lose time, those that lose most first, each with its
    findings and users; [] if none loses time."""
    lost = rows(lake, _LOST, filters, top=top)
    names = [row["program"] for row in lost]
    if not names:
        return []
    rules = told_openly(lake, rows(lake, _RULES, filters, programs=names))
    owners = rows(lake, _OWNERS_OF, filters, programs=names)
    logs = [row["worst"] for row in lost]
    worst = {row["log"]: row for row in rows(lake, _WORST, filters, logs=logs)}
    return [
        Loser(
            row["program"], row["jobs"] or row["costly"], row["costly"], row["lost_seconds"],
            row["process_seconds"], worst.get(row["worst"], {"log": row["worst"]}),
            [r for r in rules if r["program"] == row["program"]],
            [o for o in owners if o["program"] == row["program"]],
        )
        for row in lost
    ]  # fmt: skip


def file_systems(lake: Asked, week: Week, chosen: Filters) -> list[tuple[Row, Row]]:
    """Returns a pair for each file system: the row of its sums in the week, and that of the week
    before. A row is {} if the file system has no records then. chosen: restricts the jobs."""
    question = BY_NAME["file-systems"]
    now, before = (
        {
            (row["mount"], row["file_system"]): row
            for row in rows(lake, question, one.of(chosen), top=_MANY)
        }
        for one in (week, week.before)
    )
    names = [*now, *(name for name in before if name not in now)]
    return [(now.get(name, {}), before.get(name, {})) for name in names]


def newest_day(lake: Asked) -> datetime.date | None:
    """Returns the last day on which a job began; None if the lake has no jobs. Days in the future
    come from damaged logs or wrong clocks, so they count only if there are no other days."""
    found: datetime.date | None = rows(lake, _NEWEST, _ALL)[0]["day"]
    return found


def tell(lake: Asked, week: Week, top: int, chosen: Filters = _ALL) -> Told:
    """Returns all numbers of a week's digest. top: number of programs to list. chosen: restricts
    the jobs."""
    filters = week.of(chosen)
    return Told(
        week,
        lake.hidden,
        rows(lake, SUMS, filters)[0],
        rows(lake, SUMS, week.before.of(chosen))[0],
        losers(lake, filters, top),
        file_systems(lake, week, chosen),
        rows(lake, _BROKEN, filters),
        rows(lake, _UNDATED, replace(chosen, since=None, until=None)),
        newest_day(lake),
    )
