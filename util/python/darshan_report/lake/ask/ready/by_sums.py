"""Makes queries read the tables of sums, which is faster. The SQL of a ready query contains parts
that read single rows. For each such part, this module has one that reads sums by day, user, program
and, where needed, file system, line of code or diagnosis."""

from __future__ import annotations

from dataclasses import replace

from .lines import EACH_LINE, PLACE, SPENT
from .losses import EACH
from .question import IO, Question

# A row for each job, or for many; `jobs` is their number.
RAN = f"""ran AS (
  SELECT day, program, "user", 1 AS jobs, bytes_read AS r, bytes_written AS w,
    {IO} AS io_seconds, greatest({IO}, coalesce(all_layers_seconds, 0)) AS all_layers_seconds,
    process_seconds, CASE WHEN partial THEN 1 ELSE 0 END AS partial,
    CASE WHEN problems IS NULL THEN 1 ELSE 0 END AS not_looked FROM {{jobs}})"""
_RAN = """ran AS (
  SELECT day, program, "user", jobs, CAST(bytes_read AS HUGEINT) AS r,
    CAST(bytes_written AS HUGEINT) AS w, io_seconds, all_layers_seconds, process_seconds, partial,
    not_looked FROM {sums_jobs})"""
# A row for each record of a file, or for many; `n` is their number.
ON_MOUNTS = """one AS (
  SELECT day, mount, file_system, 1 AS n, POSIX_BYTES_READ AS r, POSIX_BYTES_WRITTEN AS w,
    POSIX_F_READ_TIME + POSIX_F_WRITE_TIME AS t, POSIX_F_META_TIME AS m FROM {files_posix}
  UNION ALL
  SELECT day, mount, file_system, 1, STDIO_BYTES_READ, STDIO_BYTES_WRITTEN,
    STDIO_F_READ_TIME + STDIO_F_WRITE_TIME, STDIO_F_META_TIME FROM {files_stdio})"""
_ON_MOUNTS = """one AS (
  SELECT day, mount, file_system, records AS n, CAST(bytes_read AS HUGEINT) AS r,
    CAST(bytes_written AS HUGEINT) AS w, transfer_seconds AS t, meta_seconds AS m
  FROM {sums_files})"""


_EACH = """found AS (
  SELECT program, "user", rule, log, day, number, jobs, lost_seconds AS lost,
    most_seconds AS most, title, sentence, remedy, example
  FROM {sums_findings} WHERE rule IS NOT NULL),
each AS (
  SELECT program, "user", log, lost_seconds AS lost, most_seconds AS most, jobs AS costly
  FROM {sums_findings} WHERE rule IS NULL)"""


# Only the costliest lines are shown, so the other columns are added up for these lines only, in a
# second reading of the sums. `least` is null if there are fewer lines, or fewer with a time.
# Strings and integers are grouped before places are made from them, and added before they are cast;
# each saves a third of the time.
_LINE = "program, file, line, object, address, further, function, build"
_SAME = " AND ".join(
    f"sums.{name} IS NOT DISTINCT FROM costly.{name}" for name in _LINE.split(", ")
)
_EACH_LINE = f"""summed AS MATERIALIZED (
  SELECT {_LINE}, sum(seconds) AS spent FROM {{sums_lines}} GROUP BY {_LINE}),
least AS (SELECT CASE WHEN count(spent) = $top THEN min(spent) END AS spent
  FROM (SELECT spent FROM summed ORDER BY spent DESC NULLS LAST LIMIT $top)),
costly AS (SELECT {_LINE} FROM summed, least WHERE least.spent IS NULL
  OR summed.spent >= least.spent),
sums AS (SELECT * FROM {{sums_lines}}),
kept AS (SELECT sums.* FROM sums JOIN costly ON {_SAME}),
one AS (
  SELECT {_LINE}, CAST(sum(jobs) AS BIGINT) AS jobs, count(DISTINCT "user") AS users,
    sum(seconds) AS call_seconds, sum(gap_seconds) AS gap_seconds,
    CAST(sum(calls) AS HUGEINT) AS calls, CAST(sum(bytes_read) AS HUGEINT) AS bytes_read,
    CAST(sum(bytes_written) AS HUGEINT) AS bytes_written,
    max(struct_pack(lost := coalesce(most_seconds, -1), what := coalesce(called, ''),
      way := coalesce(through, ''))) AS most
  FROM kept GROUP BY {_LINE}),
each AS (
  SELECT *, {PLACE.format(further="further")} AS place, nullif(most.what, '') AS called,
    nullif(most.way, '') AS through FROM one)"""
_SPENT = "spent AS (SELECT day, seconds FROM {sums_lines})"


def by_sums(question: Question) -> Question:
    """Returns the ready query in which all parts that the tables of sums can answer are replaced;
    unchanged if there are none. Its result is the same."""
    sql = question.sql.replace(RAN, _RAN).replace(ON_MOUNTS, _ON_MOUNTS).replace(EACH, _EACH)
    sql = sql.replace(EACH_LINE, _EACH_LINE).replace(SPENT, _SPENT)
    return replace(question, sql=sql)
