"""The ready queries about time: load per hour, change over months, and a run compared with
others."""

from __future__ import annotations

from .question import BATCH, IO, MOVED, RECORDS, Question

_HOUR = 3_600_000_000  # microseconds
_LONGEST = 100 * 24 * _HOUR  # of a job that is spread over hours
# The share of each run in each hour, as if a run's I/O were spread evenly over its time.
_PARTS = f"""ran AS (
  SELECT log, unix_micros(started) AS a,
    greatest(unix_micros(ended), unix_micros(started) + 1) AS b,
    coalesce(bytes_read, 0) AS r, coalesce(bytes_written, 0) AS w
  FROM {{jobs}} WHERE started IS NOT NULL AND ended IS NOT NULL
    AND unix_micros(ended) - unix_micros(started) BETWEEN 0 AND {_LONGEST}),
hours AS (
  SELECT ran.*, explode(sequence(CAST(floor(a / 3.6e9) AS BIGINT),
    CAST(floor((b - 1) / 3.6e9) AS BIGINT))) AS hour FROM ran),
part AS (
  SELECT log, hour, r, w, least(b, (hour + 1) * {_HOUR}) - greatest(a, hour * {_HOUR}) AS inside,
    b - a AS whole FROM hours)"""
_SERVED = "CAST(floor(unix_micros(began) / 3.6e9) AS BIGINT)"


def _measures(names: tuple[str, ...]) -> str:
    """Returns SQL with a row for each measure of a run: its value, and the median, the least and
    the largest value of the runs before it. names: columns of the measures."""
    parts = [
        f"""SELECT run.log AS log, {place} AS place, '{name}' AS measure,
    CAST(max(run.{name}) AS DOUBLE) AS this_run, median(earlier.{name}) AS usual,
    min(earlier.{name}) AS least, max(earlier.{name}) AS most, count(earlier.{name}) AS runs
  FROM run LEFT JOIN earlier ON earlier.this = run.log GROUP BY run.log"""
        for place, name in enumerate(names)
    ]
    return "\n  UNION ALL ".join(parts)


_MEASURED = ("run_seconds", "io_seconds", "meta_seconds", "bytes_read", "bytes_written",
             "seconds_per_gib")  # fmt: skip
_MEASURES = f"""log, program, started, nprocs, CAST(run_seconds AS DOUBLE) AS run_seconds,
    {IO} AS io_seconds, meta_seconds, CAST(bytes_read AS DOUBLE) AS bytes_read,
    CAST(bytes_written AS DOUBLE) AS bytes_written,
    ({IO}) * 1073741824 / nullif({MOVED}, 0) AS seconds_per_gib"""

QUESTIONS = (
    Question(
        "load",
        "load per hour: bytes of the jobs, evenly spread over their time, and what servers say",
        f"""WITH {_PARTS},
served AS (
  SELECT {_SERVED} AS hour, try_sum(bytes_read) AS r, try_sum(bytes_written) AS w,
    try_sum(operations) AS n FROM server_load GROUP BY {_SERVED}),
load AS (
  SELECT hour, count(DISTINCT log) AS jobs, sum(inside) / 3.6e9 AS mean_jobs,
    sum(CAST(r AS DOUBLE) * inside / whole) AS bytes_read,
    sum(CAST(w AS DOUBLE) * inside / whole) AS bytes_written FROM part GROUP BY hour)
SELECT timestamp_micros(load.hour * {_HOUR}) AS hour, jobs, mean_jobs, bytes_read, bytes_written,
  served.r AS server_bytes_read, served.w AS server_bytes_written, n AS server_operations
FROM load LEFT JOIN served ON served.hour = load.hour ORDER BY load.hour""",
    ),
    Question(
        "load-file-systems",
        "load per hour and file system",
        f"""WITH {_PARTS},
{RECORDS},
moved AS (
  SELECT log, mount, sum(CAST(r AS DOUBLE)) AS r, sum(CAST(w AS DOUBLE)) AS w FROM records
  GROUP BY log, mount),
served AS (
  SELECT {_SERVED} AS hour, mount, try_sum(bytes_read) AS r, try_sum(bytes_written) AS w,
    try_sum(operations) AS n FROM server_load GROUP BY {_SERVED}, mount),
load AS (
  SELECT hour, mount, count(DISTINCT part.log) AS jobs, sum(moved.r * inside / whole) AS bytes_read,
    sum(moved.w * inside / whole) AS bytes_written
  FROM part JOIN moved ON moved.log = part.log GROUP BY hour, mount)
SELECT timestamp_micros(load.hour * {_HOUR}) AS hour, load.mount, jobs, bytes_read, bytes_written,
  served.r AS server_bytes_read, served.w AS server_bytes_written, n AS server_operations
FROM load LEFT JOIN served ON served.hour = load.hour AND served.mount = load.mount
ORDER BY load.hour, load.mount""",
    ),
    Question(
        "concurrency",
        "file systems by jobs that had files on them at the same time",
        f"""WITH {RECORDS},
used AS (SELECT DISTINCT log, mount FROM records),
ran AS (
  SELECT used.log AS log, mount, unix_micros(started) AS a, unix_micros(ended) AS b
  FROM used JOIN {{jobs}} ON jobs.log = used.log
  WHERE started IS NOT NULL AND ended IS NOT NULL AND started <= ended),
act AS (
  SELECT mount, a AS moment, 1 AS more FROM ran UNION ALL SELECT mount, b, -1 FROM ran),
at_once AS (
  SELECT mount, moment, sum(more) OVER (PARTITION BY mount ORDER BY moment, more
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n FROM act),
peak AS (SELECT mount, max(n) AS n FROM at_once GROUP BY mount),
first AS (
  SELECT peak.mount AS mount, max(peak.n) AS n, min(moment) AS moment
  FROM peak JOIN at_once ON at_once.mount = peak.mount AND at_once.n = peak.n GROUP BY peak.mount),
whole AS (
  SELECT mount, count(*) AS jobs, CAST(sum(b - a) AS DOUBLE) / nullif(max(b) - min(a), 0) AS mean
  FROM ran GROUP BY mount)
SELECT whole.mount, jobs, mean AS mean_at_a_time, n AS most_at_a_time,
  timestamp_micros(moment) AS most_since
FROM whole JOIN first ON first.mount = whole.mount
ORDER BY most_at_a_time DESC, whole.mount LIMIT $top""",
    ),
    Question(
        "node-hours",
        "programs by node-hours in I/O: nodes from the scheduler, else the hosts in the log",
        f"""WITH {BATCH},
run AS (
  SELECT program, run_seconds * coalesce(batch_nodes, hosts) / 3600 AS hours,
    least(({IO}) / nullif(process_seconds, 0), 1) AS part
  FROM {{jobs}} LEFT JOIN batch ON batch.log = jobs.log)
SELECT program, count(*) AS jobs, count(hours * part) AS jobs_with_nodes,
  sum(hours) AS node_hours, sum(hours * part) AS io_node_hours,
  sum(hours * part) / nullif(sum(hours) FILTER (WHERE part IS NOT NULL), 0) AS share_in_io
FROM run GROUP BY program ORDER BY io_node_hours DESC NULLS LAST, program LIMIT $top""",
    ),
    Question(
        "drift",
        "programs over months: medians of their runs, against their first month (--least runs)",
        f"""WITH run AS (
  SELECT program, CAST(date_trunc('month', day) AS DATE) AS month_begin, run_seconds,
    {MOVED} AS moved, ({IO}) * 1073741824 / nullif({MOVED}, 0) AS pace
  FROM {{jobs}} WHERE day IS NOT NULL),
one AS (
  SELECT program, month_begin, count(*) AS jobs, median(run_seconds) AS run,
    median(moved) AS moved, median(pace) AS pace
  FROM run WHERE pace > 0 GROUP BY program, month_begin HAVING count(*) >= $least),
drift AS (
  SELECT one.*, pace / first_value(pace) OVER (PARTITION BY program ORDER BY month_begin) AS ratio,
    count(*) OVER (PARTITION BY program) AS months FROM one),
far AS (SELECT program, max(abs(ln(ratio))) AS far FROM drift GROUP BY program)
SELECT drift.program, month_begin AS month, jobs, run AS run_seconds, moved AS bytes,
  pace AS seconds_per_gib, ratio AS ratio_to_first_month
FROM drift JOIN far ON far.program = drift.program WHERE months > 1
ORDER BY far DESC, drift.program, month_begin LIMIT $top""",
        (),
        {"least": 3},
    ),
    Question(
        "run",
        "a run against up to 50 earlier runs of its program with half to twice its ranks "
        "(--job: the log, or the job's number)",
        f"""WITH run AS (
  SELECT {_MEASURES} FROM {{jobs}} WHERE log = $job OR CAST(job_id AS STRING) = $job),
before AS (
  SELECT run.log AS this, other.*,
    row_number() OVER (PARTITION BY run.log ORDER BY other.started DESC, other.log) AS place
  FROM run JOIN (SELECT {_MEASURES} FROM jobs) AS other
    ON other.program = run.program AND other.started < run.started
    AND other.nprocs >= run.nprocs / 2 AND other.nprocs <= run.nprocs * 2),
earlier AS (SELECT * FROM before WHERE place <= 50),
measured AS (
  {_measures(_MEASURED)})
SELECT measured.log, program, started, measure, this_run, usual, this_run / nullif(usual, 0) AS
  ratio, least, most, runs
FROM measured JOIN {{jobs}} ON jobs.log = measured.log
ORDER BY started, measured.log, place LIMIT $top""",
        ("job",),
    ),
    Question(
        "slow-with-others",
        "slow runs (1.5 times the usual seconds per byte), and what others moved on their servers "
        "meanwhile",
        f"""WITH {RECORDS},
pace AS (
  SELECT log, program, "user", started, ended, ln(({IO}) / nullif({MOVED}, 0)) AS pace
  FROM {{jobs}} WHERE {IO} > 0 AND started IS NOT NULL AND ended IS NOT NULL),
usual AS (SELECT program, median(pace) AS middle, count(pace) AS runs FROM pace GROUP BY program),
slow AS (
  SELECT pace.*, exp(pace - middle) AS times FROM pace JOIN usual ON usual.program = pace.program
  WHERE runs >= $least AND pace - middle >= ln(1.5)),
own AS (
  SELECT records.log AS log, mount, sum(CAST(coalesce(r, 0) AS DOUBLE)) +
    sum(CAST(coalesce(w, 0) AS DOUBLE)) AS bytes
  FROM records JOIN slow ON slow.log = records.log GROUP BY records.log, mount),
span AS (
  SELECT mount, unix_micros(began) AS a, max(seconds) AS seconds,
    sum(CAST(coalesce(bytes_read, 0) AS DOUBLE)) + sum(CAST(coalesce(bytes_written, 0) AS DOUBLE))
    AS bytes FROM server_load WHERE seconds > 0 GROUP BY mount, began),
usually AS (SELECT mount, median(bytes / seconds) AS rate FROM span GROUP BY mount),
during AS (
  SELECT own.log AS log, own.mount AS mount, max(own.bytes) AS own_bytes,
    sum(span.bytes * (least(a + seconds * 1e6, unix_micros(ended))
      - greatest(a, unix_micros(started))) / (seconds * 1e6)) AS bytes,
    sum(least(a + seconds * 1e6, unix_micros(ended)) - greatest(a, unix_micros(started))) / 1e6
      AS seconds
  FROM own JOIN slow ON slow.log = own.log JOIN span ON span.mount = own.mount
    AND a < unix_micros(ended) AND a + seconds * 1e6 > unix_micros(started)
  GROUP BY own.log, own.mount),
beside AS (
  SELECT during.*, greatest(bytes - own_bytes, 0) AS others,
    greatest(bytes - own_bytes, 0) / nullif(during.seconds, 0) / nullif(rate, 0) AS ratio
  FROM during JOIN usually ON usually.mount = during.mount)
SELECT program, slow.log, "user", started, times AS times_the_usual, mount, own_bytes,
  bytes AS server_bytes, others / nullif(bytes, 0) AS share_of_others,
  ratio AS others_ratio_to_usual_load,
  CASE WHEN ratio >= 1.5 THEN 'load of others' ELSE 'something else' END AS because
FROM slow JOIN beside ON beside.log = slow.log
ORDER BY times DESC, slow.log, mount LIMIT $top""",
        (),
        {"least": 8},
    ),
)
