"""What findings cost, in SQL: one reckoning for questions, for the text of a week, for pages.

A finding that claims the seconds of another (same_as) is not added.  Neither a finding nor all
of a job's together lose more than its processes had, where the log tells that: a lake keeps
what was claimed when a log was collected, by whatever release.
"""

from __future__ import annotations

# A row per finding that counts.
COST = """cost AS (
  SELECT program, "user", log, number, rule, title, sentence, remedy, example,
    least(stake_seconds, nullif(of_seconds, 0)) AS lost, nullif(of_seconds, 0) AS had
  FROM {findings} WHERE kind = 'problem' AND same_as IS NULL)"""
# Of which finding of a group something is told: the costliest, of several the last in order.
COSTLIEST = "named_struct('lost', coalesce(lost, -1), 'log', log, 'number', number)"
# And a row per job that loses something.
EACH = f"""{COST},
each AS (
  SELECT program, "user", log, least(sum(lost), max(had)) AS lost FROM cost WHERE lost > 0
  GROUP BY program, "user", log)"""
