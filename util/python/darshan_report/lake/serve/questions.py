"""The queries of the pages."""

from __future__ import annotations

from ..ask.ready.by_sums import RAN
from ..ask.ready.losses import COSTLIEST, EACH
from ..ask.ready.question import IO, Question

PROGRAMS = Question(
    "programs",
    "programs by time lost, with the finding that costs most",
    f"""WITH {RAN}, {EACH},
by_rule AS (
  SELECT program, rule, max_by(title, {COSTLIEST}) AS title, sum(lost) AS sum_lost
  FROM found WHERE lost > 0 GROUP BY program, rule),
worst AS (SELECT program, max_by(title, named_struct('lost', sum_lost, 'rule', rule,
  'title', title)) AS finding FROM by_rule GROUP BY program),
lose AS (SELECT program, sum(lost) AS sum_lost FROM each GROUP BY program)
SELECT program, CAST(sum(jobs) AS BIGINT) AS jobs, count(DISTINCT "user") AS users,
  sum(r)::DOUBLE AS bytes_read, sum(w)::DOUBLE AS bytes_written,
  sum(io_seconds) AS io_seconds, sum(process_seconds) AS process_seconds,
  any_value(sum_lost) AS lost_seconds, any_value(finding) AS finding
FROM ran LEFT JOIN worst USING (program) LEFT JOIN lose USING (program)
GROUP BY program ORDER BY lost_seconds DESC NULLS LAST, io_seconds DESC, program LIMIT $top""",
)
# The costliest findings of a user or a program.
CHANGES = Question(
    "changes",
    "findings by what they cost together",
    f"""WITH {EACH}
SELECT program, rule, max_by(title, {COSTLIEST}) AS title,
  max_by(sentence, {COSTLIEST}) AS sentence, max_by(remedy, {COSTLIEST}) AS remedy,
  max_by(example, {COSTLIEST}) AS example, max_by(log, {COSTLIEST}) AS log,
  max_by(coalesce(day, DATE '1970-01-01'), {COSTLIEST}) AS day,
  CAST(sum(jobs) AS BIGINT) AS jobs, count(DISTINCT "user") AS users, sum(lost) AS lost_seconds
FROM found GROUP BY program, rule
ORDER BY lost_seconds DESC NULLS LAST, jobs DESC, program, rule LIMIT $top""",
)
_EACH_JOB = f"""SELECT log, day, program, "user", job_id, started, epoch(started) AS seconds,
  nprocs, run_seconds, bytes_read::DOUBLE AS bytes_read, bytes_written::DOUBLE AS bytes_written,
  {IO} AS io_seconds, process_seconds, problems, stake_seconds
FROM {{jobs}} """
JOBS = Question(
    "jobs",
    "jobs, the last first",
    f"{_EACH_JOB} ORDER BY started DESC NULLS LAST, log LIMIT $top",
)
# The identities of logs are hashes, so the smallest ones are spread evenly over all days.
SOME = Question(
    "some",
    "as many as a picture has room for",
    f"{_EACH_JOB} WHERE started IS NOT NULL ORDER BY log LIMIT $top",
)
# Jobs by day, so that the jobs of the last days are found without reading the others.
DAYS = Question(
    "days",
    "jobs of each day, the last first",
    f"""WITH {RAN}
SELECT day, CAST(sum(jobs) AS BIGINT) AS jobs FROM ran WHERE day IS NOT NULL
GROUP BY day ORDER BY day DESC""",
)
JOB = Question("job", "a job", "SELECT * FROM {jobs} WHERE log = $log LIMIT 1")
FINDINGS = Question(
    "findings", "what was found", "SELECT * FROM {findings} WHERE log = $log ORDER BY number"
)
TRIALS = Question(
    "trials",
    "what was tried",
    "SELECT * FROM {trials} WHERE log = $log ORDER BY helped DESC, ratio DESC, remedy",
)
LAYERS = Question("layers", "what the layers did", "SELECT * FROM {layers} WHERE log = $log")
BROKEN = Question(
    "broken",
    "what could not be read",
    "SELECT problem, module FROM {problems} WHERE log = $log ORDER BY module LIMIT 50",
)
