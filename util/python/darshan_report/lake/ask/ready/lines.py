"""The SQL of the lines of code that cost most, for the ready query and the pages."""

from __future__ import annotations

# The text for a place: a line of source code, or an address in a program or library.
_PLACE = """CASE WHEN file IS NOT NULL THEN concat(file, ':', line)
    WHEN object IS NOT NULL THEN concat(object, '+', lower(hex(address)))
    WHEN number IS NULL THEN '(further lines)' ELSE '(no line)' END"""
_MOST = "named_struct('lost', coalesce(seconds, -1), 'log', log, 'number', coalesce(number, 0))"
# Engines differ in what the largest of nulls is, so '' stands for them.
LINES = f"""WITH one AS (
  SELECT *, {_PLACE} AS place, substr(build_id, 1, 8) AS build,
    coalesce(called, '') AS what, coalesce(through, '') AS way FROM {{sites}})
SELECT program, place, function, nullif(max_by(what, {_MOST}), '') AS called,
  nullif(max_by(way, {_MOST}), '') AS through, count(DISTINCT log) AS jobs,
  count(DISTINCT "user") AS users, sum(seconds) AS call_seconds, sum(gap_seconds) AS gap_seconds,
  try_sum(calls) AS calls, try_sum(bytes_read) AS bytes_read,
  try_sum(bytes_written) AS bytes_written, build
FROM one GROUP BY program, place, function, build
ORDER BY call_seconds DESC NULLS LAST, program, place, function NULLS LAST, build NULLS LAST
LIMIT $top"""
