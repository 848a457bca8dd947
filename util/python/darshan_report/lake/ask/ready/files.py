"""The ready queries about files: which programs write, read and share them, and where they are
stored."""

from __future__ import annotations

from .lineage import PRODUCERS
from .question import RECORDS, Question

# A name with each number as one #, so that the files of a series have one name.
_SERIES = "translate(name, '0123456789', '##########')"
for _long in (8, 4, 2, 2):
    _SERIES = f"replace({_SERIES}, '{'#' * _long}', '#')"
_SMALL = 1 << 20  # bytes: a file below this is small
# Orders the rows of a file by day; a row without a day comes first.
_LAST = (
    "named_struct('day', coalesce(day, DATE '1970-01-01'), 'user', coalesce(\"user\", ''), "
    "'log', log)"
)
_EACH_FILE = """file AS (
  SELECT log, id, min(program) AS program, count(DISTINCT rank) > 1 OR min(rank) < 0 AS shared,
    try_sum(coalesce(r, 0) + coalesce(w, 0)) AS moved FROM records GROUP BY log, id)"""

QUESTIONS = (
    Question(
        "never-read",
        "files that recorded programs wrote and none read (of all jobs), by bytes",
        f"""WITH {RECORDS},
readers AS (
  SELECT name FROM files_posix WHERE POSIX_BYTES_READ > 0 OR POSIX_MMAPS > 0
    OR POSIX_RENAME_SOURCES > 0
  UNION SELECT name FROM files_stdio WHERE STDIO_BYTES_READ > 0),
removed AS (SELECT DISTINCT name FROM files_posix_ext WHERE POSIX_EXT_UNLINKS > 0),
written AS (
  SELECT name, mount, count(DISTINCT log) AS jobs, try_sum(w) AS bytes_written,
    max_by("user", {_LAST}) AS last_user, max_by(program, {_LAST}) AS last_program,
    max(day) AS last_day
  FROM records WHERE w > 0 AND name IS NOT NULL AND name NOT LIKE '<%' GROUP BY name, mount)
SELECT written.name, mount, last_user, last_program, last_day, jobs, bytes_written,
  removed.name IS NOT NULL AS removed
FROM written LEFT JOIN readers ON readers.name = written.name
LEFT JOIN removed ON removed.name = written.name
WHERE readers.name IS NULL
ORDER BY bytes_written DESC NULLS LAST, written.name, mount LIMIT $top""",
    ),
    Question(
        "small-files",
        "users by files of less than 1 MiB",
        f"""WITH {RECORDS},
file AS (
  SELECT "user", name, min(program) AS program,
    greatest(max(CASE WHEN r > 0 THEN last_read END),
      max(CASE WHEN w > 0 THEN last_written END)) AS last_byte
  FROM records WHERE (r > 0 OR w > 0) AND name IS NOT NULL GROUP BY "user", name)
SELECT "user", count(DISTINCT program) AS programs, count(*) AS files,
  count(*) FILTER (WHERE last_byte < {_SMALL}) AS small_files,
  count(*) FILTER (WHERE last_byte < {_SMALL}) / CAST(count(*) AS DOUBLE) AS share_small,
  try_sum(CASE WHEN last_byte < {_SMALL} THEN last_byte + 1 END) AS bytes_in_small_files
FROM file GROUP BY "user" ORDER BY small_files DESC, "user" LIMIT $top""",
    ),
    Question(
        "checkpoints",
        "programs that write series of files: the time from one to the next (names differ by "
        "numbers, first writes at least a second apart)",
        f"""WITH one AS (
  SELECT log, "user", program, {_SERIES} AS series, name,
    min(POSIX_F_WRITE_START_TIMESTAMP) AS begun, try_sum(POSIX_BYTES_WRITTEN) AS w
  FROM {{files_posix}} WHERE POSIX_BYTES_WRITTEN > 0 AND POSIX_F_WRITE_START_TIMESTAMP > 0
    AND POSIX_F_WRITE_START_TIMESTAMP < 1e9
  GROUP BY log, "user", program, {_SERIES}, name),
step AS (
  SELECT one.*, begun - lag(begun) OVER (PARTITION BY log, series ORDER BY begun, name) AS gap
  FROM one),
run AS (
  SELECT log, "user", program, series, 1 + count(*) FILTER (WHERE gap >= 1) AS steps,
    median(CASE WHEN gap >= 1 THEN gap END) AS gap, CAST(try_sum(w) AS DOUBLE) AS w
  FROM step GROUP BY log, "user", program, series HAVING count(*) FILTER (WHERE gap >= 1) >= 2)
SELECT program, series, count(DISTINCT "user") AS users, count(*) AS jobs,
  median(steps) AS checkpoints, median(gap) AS seconds_between, min(gap) AS least_seconds_between,
  median(w / steps) AS bytes_per_checkpoint
FROM run GROUP BY program, series ORDER BY sum(w) DESC NULLS LAST, program, series LIMIT $top""",
    ),
    Question(
        "data-sets",
        "files that many jobs read (--least jobs), by jobs",
        f"""WITH {RECORDS}
SELECT name, mount, count(DISTINCT log) AS jobs, count(DISTINCT "user") AS users,
  count(DISTINCT program) AS programs, try_sum(r) AS bytes_read, max(day) AS last_day
FROM records WHERE r > 0 AND name IS NOT NULL GROUP BY name, mount
HAVING count(DISTINCT log) >= $least
ORDER BY jobs DESC, bytes_read DESC NULLS LAST, name, mount LIMIT $top""",
        (),
        {"least": 2},
    ),
    PRODUCERS,
    Question(
        "file-types",
        "endings of file names, by bytes",
        f"""WITH {RECORDS},
one AS (
  SELECT lower(regexp_extract(name, '[.]([A-Za-z][A-Za-z0-9_]{{0,9}})$', 1)) AS ending, log,
    name, r, w, t FROM records WHERE name IS NOT NULL)
SELECT CASE WHEN ending = '' THEN 'none' ELSE ending END AS ending, count(DISTINCT name) AS files,
  count(DISTINCT log) AS jobs, try_sum(r) AS bytes_read, try_sum(w) AS bytes_written,
  sum(t) AS transfer_seconds
FROM one GROUP BY ending
ORDER BY sum(CAST(r AS DOUBLE)) + sum(CAST(w AS DOUBLE)) DESC NULLS LAST, ending LIMIT $top""",
    ),
    Question(
        "sharing",
        "programs of several ranks by files that ranks share, and files of one rank",
        f"""WITH {RECORDS},
{_EACH_FILE}
SELECT file.program, count(DISTINCT file.log) AS jobs,
  count(*) FILTER (WHERE shared) AS common_files,
  try_sum(CASE WHEN shared THEN moved END) AS bytes_in_common_files,
  count(*) FILTER (WHERE NOT shared) AS files_of_one_rank,
  try_sum(CASE WHEN NOT shared THEN moved END) AS bytes_in_files_of_one_rank
FROM file JOIN {{jobs}} ON jobs.log = file.log WHERE nprocs > 1
GROUP BY file.program
ORDER BY sum(CAST(moved AS DOUBLE)) DESC NULLS LAST, file.program LIMIT $top""",
    ),
    Question(
        "stripes",
        "files of Lustre by the stripes of their widest component",
        f"""WITH {RECORDS},
layout AS (
  SELECT log, id, max(LUSTRE_COMP_STRIPE_COUNT) AS stripes FROM {{files_lustre}} GROUP BY log, id),
moved AS (
  SELECT log, id, min(name) AS name, try_sum(r) AS r, try_sum(w) AS w, sum(t) AS t FROM records
  GROUP BY log, id)
SELECT stripes, count(DISTINCT name) AS files, count(DISTINCT layout.log) AS jobs,
  try_sum(r) AS bytes_read, try_sum(w) AS bytes_written, sum(t) AS transfer_seconds
FROM layout LEFT JOIN moved ON moved.log = layout.log AND moved.id = layout.id
GROUP BY stripes ORDER BY stripes""",
    ),
    Question(
        "targets",
        "storage targets (OSTs) of Lustre by bytes, those of a file spread evenly over its targets",
        f"""WITH {RECORDS},
of_file AS (
  SELECT DISTINCT log, id, mount, target FROM (
    SELECT log, id, coalesce(mount, 'not known') AS mount, explode(split(osts, ',')) AS target
    FROM {{files_lustre}} WHERE osts IS NOT NULL AND osts <> '') AS each_component),
wide AS (SELECT log, id, count(*) AS targets FROM of_file GROUP BY log, id),
moved AS (
  SELECT log, id, sum(CAST(r AS DOUBLE)) AS r, sum(CAST(w AS DOUBLE)) AS w FROM records
  GROUP BY log, id)
SELECT of_file.mount, target, count(*) AS files, count(DISTINCT of_file.log) AS jobs,
  sum(r / targets) AS bytes_read, sum(w / targets) AS bytes_written
FROM of_file JOIN wide ON wide.log = of_file.log AND wide.id = of_file.id
JOIN moved ON moved.log = of_file.log AND moved.id = of_file.id
GROUP BY of_file.mount, target
ORDER BY coalesce(sum(r / targets), 0) + coalesce(sum(w / targets), 0) DESC, mount, target
LIMIT $top""",
    ),
)
