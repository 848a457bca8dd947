"""The ready queries about machine-learning trainings and checkpoints."""

from __future__ import annotations

from .question import Question

QUESTIONS = (
    Question(
        "epochs",
        "training loops of PyTorch by the time that they waited for data",
        """WITH loop AS (SELECT * FROM {epochs} WHERE epoch IS NULL AND rank IS NULL),
slowest AS (SELECT log, number, max(wait_seconds) AS most, avg(wait_seconds) AS mean
  FROM {epochs} WHERE rank IS NOT NULL GROUP BY log, number)
SELECT program, CASE WHEN file IS NOT NULL THEN concat(file, ':', line) END AS place,
  count(DISTINCT log) AS jobs, count(DISTINCT "user") AS users, try_sum(epochs) AS epochs,
  sum(seconds) AS epoch_seconds, sum(wait_seconds) AS wait_seconds,
  sum(wait_seconds) / nullif(sum(seconds), 0) AS wait_share, sum(first_seconds) AS first_seconds,
  max(most / nullif(mean, 0)) AS slowest_rank_times_mean
FROM loop LEFT JOIN slowest USING (log, number)
GROUP BY program, place
ORDER BY wait_seconds DESC NULLS LAST, program, place NULLS LAST LIMIT $top""",
    ),
    Question(
        "saves",
        "saved states (checkpoints) by the time that saving took",
        """SELECT program, saved_by, count(DISTINCT log) AS jobs, count(DISTINCT "user") AS users,
  try_sum(saves) AS saves, try_sum(bytes_written) AS bytes_written, sum(seconds) AS seconds,
  sum(CASE WHEN beside THEN 0 ELSE seconds END) AS waited_seconds,
  median(interval_seconds) AS interval_seconds
FROM {checkpoints} GROUP BY program, saved_by
ORDER BY seconds DESC NULLS LAST, program, saved_by NULLS LAST LIMIT $top""",
    ),
)
