"""The type of a ready query, and SQL that several queries share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ....classes import dataclass


@dataclass(frozen=True)
class Question:
    """A ready query of `darshan ask`: its name, title and SQL (ready/questions.py explains its
    placeholders), and the parameters that it needs."""

    name: str
    title: str
    sql: str
    needs: tuple[str, ...] = ()  # names of values without which the query makes no sense
    defaults: Mapping[str, Any] = field(default_factory=dict)  # values that the user may change


# The I/O time of the report if the lake has findings of the log, else the sums of the lowest
# layers.
IO = (
    "coalesce(io_seconds, coalesce(read_seconds, 0) + coalesce(write_seconds, 0)"
    " + coalesce(meta_seconds, 0))"
)
MOVED = "coalesce(bytes_read, 0) + coalesce(bytes_written, 0)"
# One row per file of POSIX or STDIO and rank.
RECORDS = """records AS (
  SELECT log, day, "user", program, id, rank, name, coalesce(mount, 'not known') AS mount,
    file_system, POSIX_BYTES_READ AS r, POSIX_BYTES_WRITTEN AS w,
    POSIX_F_READ_TIME + POSIX_F_WRITE_TIME AS t, POSIX_F_META_TIME AS m,
    POSIX_MAX_BYTE_READ AS last_read, POSIX_MAX_BYTE_WRITTEN AS last_written FROM {files_posix}
  UNION ALL
  SELECT log, day, "user", program, id, rank, name, coalesce(mount, 'not known'), file_system,
    STDIO_BYTES_READ, STDIO_BYTES_WRITTEN, STDIO_F_READ_TIME + STDIO_F_WRITE_TIME,
    STDIO_F_META_TIME, STDIO_MAX_BYTE_READ, STDIO_MAX_BYTE_WRITTEN FROM {files_stdio})"""
# The batch job of each log, from the scheduler's accounting. The number of a process may equal
# that of another user's job, or of an old job, so user and time must also match. One minute of
# difference is allowed, because clocks differ.
BATCH = """candidate AS (
  SELECT jobs.log AS log, batch_jobs.cluster, batch_jobs.job, batch_jobs.account,
    batch_jobs.project, batch_jobs.queue, batch_jobs.state, batch_jobs.nodes AS batch_nodes,
    batch_jobs.hosts AS batch_hosts, batch_jobs.energy_joules, batch_jobs.started AS batch_started,
    batch_jobs.ended AS batch_ended,
    row_number() OVER (PARTITION BY jobs.log ORDER BY batch_jobs.started DESC,
      batch_jobs.cluster NULLS LAST, batch_jobs.job, batch_jobs.submitted NULLS LAST) AS place
  FROM {jobs} JOIN batch_jobs ON batch_jobs.job_id = jobs.job_id
    AND batch_jobs."user" = jobs."user"
    AND unix_micros(jobs.started) >= unix_micros(batch_jobs.started) - 60000000
    AND (batch_jobs.ended IS NULL
      OR unix_micros(jobs.started) <= unix_micros(batch_jobs.ended) + 60000000)),
batch AS (SELECT * FROM candidate WHERE place = 1)"""
