"""The SQL that computes lost time (what findings say could be saved), for the ready queries, the
weekly digest and the pages.

A finding whose seconds another finding contains (same_as) is not added. If the log has the time of
a job's processes, each finding, and the sum of all findings of the job, is limited to it. The limit
is needed because a lake stores the values of the release that collected the log."""

from __future__ import annotations

# One row per finding that counts.
COST = """cost AS (
  SELECT program, "user", log, day, number, rule, title, sentence, remedy, example,
    least(stake_seconds, nullif(of_seconds, 0)) AS lost,
    least(stake_seconds, nullif(of_seconds, 0)) AS most, nullif(of_seconds, 0) AS had
  FROM {findings} WHERE kind = 'problem' AND same_as IS NULL)"""
# Orders the findings of a group: the costliest finding is shown; of equal findings, the last.
COSTLIEST = "named_struct('lost', coalesce(most, -1), 'log', log, 'number', number)"
# One row per job and rule. With sums (by_sums.py), a row represents many jobs; `log` is the job
# that loses most, and `most` its seconds.
_FOUND = f"""found AS (
  SELECT program, "user", rule, log, max(day) AS day, max(number) AS number, 1 AS jobs,
    sum(lost) AS lost, sum(lost) AS most, max_by(title, {COSTLIEST}) AS title,
    max_by(sentence, {COSTLIEST}) AS sentence, max_by(remedy, {COSTLIEST}) AS remedy,
    max_by(example, {COSTLIEST}) AS example
  FROM cost GROUP BY program, "user", rule, log)"""
# One row per job that loses time. With sums, a row represents many jobs, as above.
EACH = f"""{COST},
{_FOUND},
each AS (
  SELECT program, "user", log, lost, lost AS most, 1 AS costly FROM (
    SELECT program, "user", log, least(sum(lost), max(had)) AS lost FROM cost WHERE lost > 0
    GROUP BY program, "user", log) AS jobs_that_lose)"""
