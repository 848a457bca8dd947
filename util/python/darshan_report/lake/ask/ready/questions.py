"""The ready queries: each has a name, a title, and SQL over the tables of a lake.

In the SQL, {jobs}, {layers} and so on become the tables with the filters of the command applied;
{since:jobs} becomes the rows of all jobs since the first day of the filters. $name is a value from
the command or the Python caller. The SQL runs in DuckDB and in Spark, and orders equal rows, so
that both return the same. ../engine.py adds functions that DuckDB lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....classes import dataclass
from .batch_jobs import QUESTIONS as ABOUT_BATCH_JOBS
from .by_sums import ON_MOUNTS, RAN
from .calls import QUESTIONS as ABOUT_CALLS
from .files import QUESTIONS as ABOUT_FILES
from .lines import LINES
from .load import QUESTIONS as ABOUT_LOAD
from .losses import COST, COSTLIEST, EACH
from .question import IO, MOVED, Question
from .training import QUESTIONS as ABOUT_TRAINING
from .trials import QUESTIONS as ABOUT_TRIALS

_ON_MOUNTS = ("files_posix", "files_stdio")  # tables that have mount points
TABLE = re.compile(r"\{(since:)?(\w+)\}")
WITHOUT_PROGRAM = frozenset(("batch_jobs", "server_load"))
SMALL = ("0_100", "100_1k", "1k_10k")  # size classes of small transfers: up to 10 KiB


_SMALL_CALLS = " + ".join(f"coalesce(writes_{end}, 0)" for end in SMALL)
_SMALL_BYTES = " + ".join(
    f"coalesce(writes_{end}, 0) * {most}" for end, most in zip(SMALL, (100, 1024, 10240))
)

# The standard error of a median of logarithms, from their median deviation.
_ERROR = (
    "1.2533e0 * 1.4826e0 * median(abs(logarithm - middle)) * paced / nullif(paced - 0.8e0, 0)"
    " / sqrt(nullif(paced, 0))"
)
# Half of the interval of a ratio, as a logarithm: 95 %, and wider where there are few runs.
_WIDTH = """(CASE WHEN least(a.paced, b.paced) >= 3
  THEN 1.96e0 * (1 + 4e0 / least(a.paced, b.paced))
    * sqrt(sa.error * sa.error + sb.error * sb.error) END)"""

QUESTIONS = (
    Question(
        "programs",
        "programs by bytes that they moved",
        f"""WITH one AS (
  SELECT program, count(*) AS jobs, count(DISTINCT "user") AS users,
    try_sum(bytes_read) AS r, try_sum(bytes_written) AS w,
    sum({IO}) AS io_seconds, sum(process_seconds) AS process_seconds,
    sum(CAST({MOVED} AS DOUBLE)) AS moved
  FROM {{jobs}} GROUP BY program)
SELECT program, jobs, users, r AS bytes_read, w AS bytes_written, io_seconds, process_seconds
FROM one ORDER BY moved DESC NULLS LAST, program LIMIT $top""",
    ),
    Question(
        "losses",
        "programs by time that a finding costs them, at most",
        f"""WITH {COST}
SELECT program, rule, max_by(title, {COSTLIEST}) AS finding, count(DISTINCT log) AS jobs,
  sum(lost) AS lost_seconds, sum(lost) FILTER (WHERE had > 0) / sum(had) AS share,
  max_by(remedy, {COSTLIEST}) AS remedy
FROM cost GROUP BY program, rule ORDER BY lost_seconds DESC, program, rule LIMIT $top""",
    ),
    Question(
        "small-writes",
        "programs by bytes written in pieces of at most 10 KiB (an upper bound, of sizes by class)",
        f"""SELECT program, count(DISTINCT log) AS jobs, try_sum(writes) AS writes,
  try_sum({_SMALL_CALLS}) AS small_writes,
  sum({_SMALL_CALLS}) / nullif(sum(writes), 0) AS share_of_writes,
  try_sum(least({_SMALL_BYTES}, bytes_written)) AS small_bytes,
  sum(least({_SMALL_BYTES}, bytes_written)) / nullif(sum(bytes_written), 0) AS share_of_bytes,
  sum(write_seconds) AS write_seconds
FROM {{layers}} WHERE layer IN ('POSIX', 'STDIO')
GROUP BY program HAVING sum({_SMALL_CALLS}) > 0
ORDER BY small_writes DESC, program LIMIT $top""",
    ),
    Question(
        "users",
        "users by time lost in what they could change, and where to begin",
        f"""WITH {RAN}, {EACH},
by_rule AS (
  SELECT "user", program, rule, max_by(title, {COSTLIEST}) AS title, sum(lost) AS sum_lost
  FROM found WHERE lost > 0 GROUP BY "user", program, rule),
worst AS (
  SELECT "user", max_by(program || ': ' || title,
    named_struct('lost', sum_lost, 'program', program, 'rule', rule)) AS begin_with
  FROM by_rule GROUP BY "user"),
lose AS (SELECT "user", sum(lost) AS sum_lost FROM each GROUP BY "user")
SELECT "user", CAST(sum(jobs) AS BIGINT) AS jobs, count(DISTINCT program) AS programs,
  try_sum(coalesce(r, 0) + coalesce(w, 0)) AS bytes, sum(io_seconds) AS io_seconds,
  max(sum_lost) AS lost_seconds, max(begin_with) AS begin_with
FROM ran LEFT JOIN worst USING ("user") LEFT JOIN lose USING ("user")
GROUP BY "user" ORDER BY lost_seconds DESC NULLS LAST, io_seconds DESC, "user" LIMIT $top""",
    ),
    Question(
        "file-systems",
        "file systems by bytes that were moved on them; of a mount point with several types, each",
        f"""WITH {ON_MOUNTS}
SELECT coalesce(mount, 'not known') AS mount, file_system,
  CAST(sum(n) AS BIGINT) AS records, try_sum(r) AS bytes_read,
  try_sum(w) AS bytes_written,
  sum(t) AS transfer_seconds, sum(m) AS meta_seconds
FROM one GROUP BY mount, file_system
ORDER BY sum(CAST(r AS DOUBLE)) + sum(CAST(w AS DOUBLE)) DESC NULLS LAST, mount,
  file_system NULLS LAST LIMIT $top""",
    ),
    Question(
        "growth",
        "weeks: jobs, bytes, time in file I/O",
        f"""SELECT CAST(date_trunc('week', day) AS DATE) AS week, count(*) AS jobs,
  count(DISTINCT "user") AS users, try_sum(bytes_read) AS bytes_read,
  try_sum(bytes_written) AS bytes_written, sum({IO}) AS io_seconds
FROM {{jobs}} WHERE day IS NOT NULL GROUP BY week ORDER BY week""",
    ),
    Question(
        "before-after",
        "programs whose runs changed on a day (--date), by medians; those that changed most first",
        f"""WITH run AS (
  SELECT program, day < $date AS before, {MOVED} AS moved, {IO} AS io, run_seconds,
    ln(nullif({IO}, 0) / nullif({MOVED}, 0)) AS logarithm
  FROM {{jobs}} WHERE day IS NOT NULL),
side AS (
  SELECT program, before, count(*) AS jobs, median(moved) AS bytes, median(io) AS io,
    median(run_seconds) AS run, median(io / nullif(moved, 0)) AS pace,
    median(logarithm) AS middle, count(logarithm) AS paced
  FROM run GROUP BY program, before),
spread AS (
  SELECT run.program AS program, run.before AS before, {_ERROR} AS error
  FROM run JOIN side ON side.program = run.program AND side.before = run.before
  GROUP BY run.program, run.before, paced)
SELECT b.program, b.jobs AS jobs_before, a.jobs AS jobs_after, b.bytes AS bytes_before,
  a.bytes AS bytes_after, b.io AS io_seconds_before, a.io AS io_seconds_after,
  b.run AS run_seconds_before, a.run AS run_seconds_after,
  a.pace / nullif(b.pace, 0) AS seconds_per_byte_ratio,
  a.pace / nullif(b.pace, 0) * exp(-{_WIDTH}) AS ratio_low,
  a.pace / nullif(b.pace, 0) * exp({_WIDTH}) AS ratio_high
FROM side b JOIN side a ON a.program = b.program AND b.before AND NOT a.before
LEFT JOIN spread sb ON sb.program = b.program AND sb.before
LEFT JOIN spread sa ON sa.program = a.program AND NOT sa.before
WHERE a.jobs >= $least AND b.jobs >= $least
ORDER BY abs(ln(nullif(greatest(a.pace, 1e-15) / greatest(b.pace, 1e-15), 0))) DESC NULLS LAST,
  b.program LIMIT $top""",
        ("date",),
        {"least": 3},
    ),
    Question(
        "between",
        "what ran between two moments (--from, --to), by bytes that it moved then, evenly spread",
        f"""WITH ran AS (
  SELECT *, (unix_micros(least(coalesce(ended, $to), $to))
    - unix_micros(greatest(started, $from))) / 1e6 AS inside
  FROM {{jobs}} WHERE started < $to AND (ended IS NULL OR ended > $from))
SELECT log, "user", program, job_id, started, ended, nprocs, inside AS seconds_inside,
  CAST(round(({MOVED}) * least(1, inside / nullif(run_seconds, 0))) AS BIGINT) AS bytes_inside,
  {IO} AS io_seconds, meta_seconds
FROM ran ORDER BY bytes_inside DESC NULLS LAST, log LIMIT $top""",
        ("from", "to"),
    ),
    Question(
        "outliers",
        "runs that took far longer for a byte than other runs of their program (logarithms, "
        "by median and median deviation)",
        f"""WITH run AS (
  SELECT log, "user", program, started, {MOVED} AS bytes, {IO} AS io_seconds,
    ln(({IO}) / nullif({MOVED}, 0)) AS pace FROM {{jobs}} WHERE {IO} > 0),
usual AS (SELECT program, median(pace) AS middle, count(pace) AS runs FROM run GROUP BY program),
spread AS (
  SELECT program, middle, runs, greatest(median(abs(pace - middle)) * 1.4826, 0.05) AS deviation
  FROM run JOIN usual USING (program) GROUP BY program, middle, runs)
SELECT program, log, "user", started, bytes, io_seconds, exp(pace - middle) AS times_the_usual,
  (pace - middle) / deviation AS deviations, runs
FROM run JOIN spread USING (program)
WHERE runs >= $least AND (pace - middle) / deviation > 3.5
ORDER BY io_seconds * (1 - exp(middle - pace)) DESC, log LIMIT $top""",
        (),
        {"least": 8},
    ),
    Question(
        "files",
        "files by bytes, of names like a pattern (--name '%/shared.h5')",
        """SELECT name, count(DISTINCT log) AS jobs, count(DISTINCT "user") AS users,
  file_system, try_sum(POSIX_BYTES_READ) AS bytes_read,
  try_sum(POSIX_BYTES_WRITTEN) AS bytes_written,
  sum(POSIX_F_READ_TIME + POSIX_F_WRITE_TIME + POSIX_F_META_TIME) AS io_seconds
FROM {files_posix} WHERE name LIKE $name
GROUP BY name, file_system
ORDER BY sum(CAST(POSIX_BYTES_READ AS DOUBLE)) + sum(CAST(POSIX_BYTES_WRITTEN AS DOUBLE)) DESC,
  name, file_system NULLS LAST
LIMIT $top""",
        ("name",),
    ),
    Question(
        "lines",
        "lines of code by time in their I/O calls, of runs with call sites",
        LINES,
    ),
    Question(
        "problems",
        "logs that could not be read, by reason",
        """SELECT problem, count(*) AS logs, min(path) AS one_of_them
FROM {problems} GROUP BY problem ORDER BY logs DESC, problem LIMIT $top""",
    ),
    *ABOUT_CALLS,
    *ABOUT_FILES,
    *ABOUT_LOAD,
    *ABOUT_BATCH_JOBS,
    *ABOUT_TRAINING,
    *ABOUT_TRIALS,
)
CHANGES = "changes"  # not a query in SQL: changes.py computes the result
BY_NAME = {question.name: question for question in QUESTIONS}


@dataclass(frozen=True)
class Filters:
    """Selects the jobs of a query. A field that is None restricts nothing."""

    since: str | None = None  # the first and the last day
    until: str | None = None
    user: str | None = None
    program: str | None = None
    mount: str | None = None  # jobs with a record of a file on this mount point
    kept: str = ""  # name of a table that already contains these jobs, for several queries

    def where(self) -> tuple[str, dict[str, Any]]:
        """Returns an SQL condition on rows of any table ("" for all), and its values by name."""
        rows = (
            ("day >= CAST($since AS DATE)", "since", self.since),
            ("day <= CAST($until AS DATE)", "until", self.until),
            ('"user" = $user', "user", self.user),
            ("program = $program", "program", self.program),
            (self._on_mount(), "mount", self.mount),
        )
        used = [(text, name, value) for text, name, value in rows if value is not None]
        values = {name: value for _, name, value in used}
        if self.since is not None or self.until is not None:
            months = [
                ("month >= $first", "first", self.since),
                ("month <= $last", "last", self.until),
            ]
            for text, name, value in months:
                if value is not None:  # so that only files of these months are opened
                    used.append((text, name, value))
                    values[name] = value[:7]
        return " AND ".join(text for text, *_ in used), values

    def _on_mount(self) -> str:
        return f"log IN ({f'SELECT log FROM {self.kept}' if self.kept else self.on_mount()})"

    def on_mount(self) -> str:
        """Returns an SQL query for the logs that have a record of a file on the mount point; its
        values are $mount, $first and $last."""
        months = " AND month >= $first" * (self.since is not None)
        months += " AND month <= $last" * (self.until is not None)
        logs = [f"SELECT log FROM {t} WHERE mount = $mount{months}" for t in _ON_MOUNTS]
        return " UNION ALL ".join(logs)


def query(
    question: Question, filters: Filters, values: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Returns the SQL of a ready query, with tables in place of its placeholders, and the values
    that it uses, by name. filters: select the jobs. values: given by the user, by name. Raises
    KeyError if a value is missing."""
    _, chosen = filters.where()
    # Tables without a program column have rows for all programs.
    of_no_program = replace(filters, program=None)
    of_all_jobs = Filters(filters.since)

    def table(found: re.Match[str]) -> str:
        name = found[2]
        some = of_no_program if name in WITHOUT_PROGRAM else filters
        where, _ = (of_all_jobs if found[1] else some).where()
        return f"(SELECT * FROM {name} WHERE {where}) AS {name}" if where else name

    sql = TABLE.sub(table, question.sql)
    known = {**question.defaults, **values, **chosen}
    return sql, {name: known[name] for name in set(re.findall(r"\$(\w+)", sql))}
