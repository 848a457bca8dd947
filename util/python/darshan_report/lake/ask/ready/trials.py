"""The ready query about what remedies gained in `darshan try`."""

from __future__ import annotations

from .question import Question

QUESTIONS = (
    Question(
        "trials",
        "remedies that darshan try applied, by the time that they gained",
        """SELECT program, remedy, rule, count(DISTINCT log) AS jobs,
  count(DISTINCT "user") AS users,
  sum(CASE WHEN helped THEN 1 ELSE 0 END) AS helped,
  sum(CASE WHEN same_output THEN 0 WHEN same_output IS NULL THEN 0 ELSE 1 END) AS changed_output,
  median(ratio) AS ratio, min(ratio_low) AS least_ratio,
  median(baseline_seconds) AS baseline_seconds,
  sum(CASE WHEN helped THEN gain_seconds ELSE 0 END) AS gained_seconds, max(tried) AS newest
FROM {trials} GROUP BY program, remedy, rule
ORDER BY gained_seconds DESC NULLS LAST, helped DESC, program, remedy, rule NULLS LAST
LIMIT $top""",
    ),
)
