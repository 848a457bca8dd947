"""The ready queries about batch jobs. They join logs with the accounting of the batch scheduler."""

from __future__ import annotations

from .question import BATCH, IO, MOVED, Question

# Seconds in which the scheduler's nodes were given to a batch job.
_NODE_HOURS = "nodes * (unix_micros(ended) - unix_micros(started)) / 3.6e9"
# The energy of a batch job is divided among its logs by their run times. Time in which no recorded
# program ran takes its part, which no program gets.
_ENERGY = """energy AS (
  SELECT batch.log AS log, energy_joules * run_seconds / nullif(greatest(
    sum(run_seconds) OVER (PARTITION BY cluster, job, batch_started),
    (unix_micros(batch_ended) - unix_micros(batch_started)) / 1e6), 0) AS joules
  FROM batch JOIN {jobs} ON jobs.log = batch.log WHERE energy_joules IS NOT NULL)"""

QUESTIONS = (
    Question(
        "accounts",
        "accounts, projects and queues: batch jobs, logs of them, node-hours, I/O, energy",
        f"""WITH {BATCH},
run AS (
  SELECT account, project, queue, count(*) AS logs, sum(CAST({MOVED} AS DOUBLE)) AS moved,
    sum({IO}) AS io, sum(process_seconds) AS had
  FROM batch JOIN {{jobs}} ON jobs.log = batch.log GROUP BY account, project, queue),
given AS (
  SELECT account, project, queue, count(*) AS batch_jobs, count(DISTINCT "user") AS users,
    sum({_NODE_HOURS}) AS node_hours, sum(energy_joules) AS joules
  FROM {{batch_jobs}} GROUP BY account, project, queue)
SELECT given.account, given.project, given.queue, users, batch_jobs, coalesce(logs, 0) AS logs,
  node_hours, moved AS bytes, io AS io_seconds, io / nullif(had, 0) AS share_in_io,
  joules AS energy_joules
FROM given LEFT JOIN run ON run.account IS NOT DISTINCT FROM given.account
  AND run.project IS NOT DISTINCT FROM given.project
  AND run.queue IS NOT DISTINCT FROM given.queue
ORDER BY node_hours DESC NULLS LAST, given.account NULLS LAST, given.project NULLS LAST,
  given.queue NULLS LAST LIMIT $top""",
    ),
    Question(
        "job",
        "all logs of a batch job (--job: its number)",
        f"""WITH {BATCH}
SELECT jobs.log, jobs.job_id, batch.job AS batch_job, account, project, queue, state,
  batch_nodes AS nodes, "user", program, jobs.started, jobs.ended, nprocs,
  bytes_read, bytes_written, {IO} AS io_seconds, jobs.path
FROM {{jobs}} LEFT JOIN batch ON batch.log = jobs.log
WHERE CAST(jobs.job_id AS STRING) = $job OR batch.job = $job
ORDER BY jobs.started NULLS LAST, jobs.log LIMIT $top""",
        ("job",),
    ),
    Question(
        "nodes",
        "nodes by jobs on them, and the pace of these jobs beside other runs of their programs",
        f"""WITH {BATCH},
name AS (
  SELECT log, explode(split(value, ',')) AS name FROM {{log_metadata}}
  WHERE key IN ('host', 'hosts')
  UNION ALL SELECT log, explode(split(batch_hosts, ',')) FROM batch),
at_host AS (
  SELECT DISTINCT log, regexp_extract(name, '^[^.]+', 0) AS host FROM name
  WHERE name IS NOT NULL AND name NOT IN ('', '...')),
pace AS (
  SELECT log, program, ({IO}) / nullif({MOVED}, 0) AS pace FROM {{jobs}} WHERE {IO} > 0),
usual AS (
  SELECT program, median(pace) AS middle, count(pace) AS runs FROM pace GROUP BY program)
SELECT host, count(*) AS jobs, count(DISTINCT jobs."user") AS users,
  sum(run_seconds) / 3600 AS node_hours, max(jobs.day) AS last_day,
  median(CASE WHEN runs >= $least THEN pace / middle END) AS times_the_usual,
  count(CASE WHEN runs >= $least THEN pace END) AS compared_jobs
FROM at_host JOIN {{jobs}} ON jobs.log = at_host.log
LEFT JOIN pace ON pace.log = at_host.log LEFT JOIN usual ON usual.program = pace.program
GROUP BY host ORDER BY times_the_usual DESC NULLS LAST, jobs DESC, host LIMIT $top""",
        (),
        {"least": 8},
    ),
    Question(
        "energy",
        "programs by energy of their batch jobs, and how much of it passed in I/O",
        f"""WITH {BATCH},
{_ENERGY}
SELECT program, count(*) AS jobs, sum(joules) AS energy_joules,
  sum(joules * least(({IO}) / nullif(process_seconds, 0), 1)) AS io_energy_joules,
  sum(joules) / nullif(sum(CAST({MOVED} AS DOUBLE)), 0) * 1073741824 AS joules_per_gib
FROM energy JOIN {{jobs}} ON jobs.log = energy.log
GROUP BY program ORDER BY energy_joules DESC NULLS LAST, program LIMIT $top""",
    ),
)
