"""The SQL of the lines of code that cost most, for a ready query and for pages."""

from __future__ import annotations

# The text for a place: a line of source code, or an address in a program or library.
PLACE = """CASE WHEN file IS NOT NULL THEN concat(file, ':', line)
    WHEN object IS NOT NULL THEN concat(object, '+', lower(hex(address)))
    WHEN {further} THEN '(further lines)' ELSE '(no line)' END"""
# Selects the costliest row, whose call is shown. Engines order nulls differently, so '' replaces
# nulls.
_MOST = (
    "named_struct('lost', coalesce(seconds, -1), 'what', coalesce(called, ''), "
    "'way', coalesce(through, ''))"
)
_OF_MOST = "named_struct('lost', most, 'what', what, 'way', way)"
# One row per program and line, as in the sums (by_sums.py).
EACH_LINE = f"""one AS (
  SELECT program, "user", {PLACE.format(further="number IS NULL")} AS place, function,
    substr(build_id, 1, 8) AS build, 1 AS jobs, sum(seconds) AS seconds,
    max(coalesce(seconds, -1)) AS most, max_by(coalesce(called, ''), {_MOST}) AS what,
    max_by(coalesce(through, ''), {_MOST}) AS way, sum(gap_seconds) AS gap_seconds,
    try_sum(calls) AS calls, try_sum(bytes_read) AS r, try_sum(bytes_written) AS w
  FROM {{sites}} GROUP BY log, program, "user", place, function, build),
each AS (
  SELECT program, place, function, build, nullif(max_by(what, {_OF_MOST}), '') AS called,
    nullif(max_by(way, {_OF_MOST}), '') AS through, CAST(sum(jobs) AS BIGINT) AS jobs,
    count(DISTINCT "user") AS users, sum(seconds) AS call_seconds, sum(gap_seconds) AS gap_seconds,
    try_sum(calls) AS calls, try_sum(r) AS bytes_read, try_sum(w) AS bytes_written
  FROM one GROUP BY program, place, function, build)"""
# The time of each line and day.
SPENT = "spent AS (SELECT day, seconds FROM {sites})"
LINES = f"""WITH {EACH_LINE}
SELECT program, place, function, called, through, jobs, users, call_seconds, gap_seconds, calls,
  bytes_read, bytes_written, build
FROM each
ORDER BY call_seconds DESC NULLS LAST, program, place, function NULLS LAST, build NULLS LAST
LIMIT $top"""
