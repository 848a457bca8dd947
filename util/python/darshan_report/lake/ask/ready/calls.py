"""The ready queries about operations: how programs and users do their I/O."""

from __future__ import annotations

from ....measure.layers.layers import SIZES
from .question import Question

_OTHERS = " + ".join(
    f"coalesce(POSIX_EXT_{name}, 0)"
    for name in (
        "ACCESSES", "MISSES", "TRUNCATES", "UNLINKS", "RMDIRS", "LINKS", "MKDIRS", "SETATTRS",
        "DIR_OPENS",
    )
)  # fmt: skip
_EXT_SYNCS = " + ".join(
    f"coalesce(POSIX_EXT_{name}, 0)" for name in ("MSYNCS", "RANGE_SYNCS", "SYNCS")
)


def _share_of_random(kind: str) -> str:
    """Returns an SQL expression: the fraction of reads or writes that did not begin after the end
    of the previous one. kind: READ or WRITE."""
    all_, in_order = f"coalesce(POSIX_{kind}S, 0)", f"coalesce(POSIX_SEQ_{kind}S, 0)"
    return (
        f"CAST(try_sum(greatest({all_} - {in_order}, 0)) AS DOUBLE)"
        f" / nullif(CAST(try_sum({all_}) AS DOUBLE), 0)"
    )


def _sizes() -> str:
    """Returns SQL with a row for each size class of each layer of each log: layer, place (order of
    the class), size (its name), and numbers of reads and writes (r, w)."""
    parts = [
        f"SELECT layer, {place} AS place, '{words}' AS size, reads_{end.lower()} AS r, "
        f"writes_{end.lower()} AS w FROM {{layers}}"
        for place, (end, words) in enumerate(SIZES)
    ]
    return "\n  UNION ALL ".join(parts)


QUESTIONS = (
    Question(
        "metadata",
        "users and programs by metadata operations: opens, stats and other calls on names",
        f"""WITH one AS (
  SELECT log, "user", program, coalesce(POSIX_OPENS, 0) AS o, coalesce(POSIX_STATS, 0) AS s,
    coalesce(POSIX_RENAME_SOURCES, 0) AS x, POSIX_F_META_TIME AS t FROM {{totals_posix}}
  UNION ALL SELECT log, "user", program, coalesce(STDIO_OPENS, 0), 0, 0, STDIO_F_META_TIME
  FROM {{totals_stdio}}
  UNION ALL SELECT log, "user", program, 0, 0, {_OTHERS}, 0.0e0 FROM {{totals_posix_ext}})
SELECT "user", program, count(DISTINCT log) AS jobs, try_sum(o + s + x) AS operations,
  try_sum(o) AS opens, try_sum(s) AS stats, try_sum(x) AS others, sum(t) AS meta_seconds
FROM one GROUP BY "user", program
ORDER BY operations DESC NULLS LAST, "user", program LIMIT $top""",
    ),
    Question(
        "removals",
        "users and programs by names that they removed or changed",
        """WITH one AS (
  SELECT log, "user", program, coalesce(POSIX_RENAME_SOURCES, 0) AS n, 0 AS f, 0 AS d
  FROM {totals_posix}
  UNION ALL SELECT log, "user", program, 0, coalesce(POSIX_EXT_UNLINKS, 0),
    coalesce(POSIX_EXT_RMDIRS, 0) FROM {totals_posix_ext})
SELECT "user", program, count(DISTINCT log) AS jobs, try_sum(f + d + n) AS names,
  try_sum(f) AS removed_files, try_sum(d) AS removed_folders, try_sum(n) AS renames
FROM one WHERE f > 0 OR d > 0 OR n > 0 GROUP BY "user", program
ORDER BY names DESC NULLS LAST, "user", program LIMIT $top""",
    ),
    Question(
        "fsyncs",
        "programs by calls that force data to the disk, and the run with most of them in a second",
        f"""WITH one AS (
  SELECT log, coalesce(POSIX_FSYNCS, 0) + coalesce(POSIX_FDSYNCS, 0) AS f,
    coalesce(POSIX_WRITES, 0) AS w, POSIX_F_WRITE_TIME AS t FROM {{totals_posix}}
  UNION ALL SELECT log, {_EXT_SYNCS}, 0, 0.0e0 FROM {{totals_posix_ext}}),
run AS (
  SELECT log, try_sum(f) AS f, try_sum(w) AS w, sum(t) AS t FROM one GROUP BY log),
paced AS (
  SELECT run.*, program, "user", f / nullif(run_seconds, 0) AS pace
  FROM run JOIN {{jobs}} ON jobs.log = run.log WHERE f > 0)
SELECT program, count(*) AS jobs, count(DISTINCT "user") AS users, try_sum(f) AS fsyncs,
  try_sum(w) AS writes,
  CAST(try_sum(f) AS DOUBLE) / nullif(CAST(try_sum(w) AS DOUBLE), 0) AS fsyncs_per_write,
  sum(t) AS write_seconds, max(pace) AS most_in_a_second,
  max_by(log, named_struct('pace', coalesce(pace, -1), 'log', log, 'f', f)) AS most_in_log
FROM paced GROUP BY program ORDER BY fsyncs DESC NULLS LAST, program LIMIT $top""",
    ),
    Question(
        "layers",
        "layers in use: how many jobs, users and programs use each, and for how many bytes",
        """SELECT layer, count(DISTINCT log) AS jobs, count(DISTINCT "user") AS users,
  count(DISTINCT program) AS programs, try_sum(records) AS records,
  try_sum(bytes_read) AS bytes_read, try_sum(bytes_written) AS bytes_written,
  sum(read_seconds) AS read_seconds, sum(write_seconds) AS write_seconds,
  sum(meta_seconds) AS meta_seconds
FROM {layers} GROUP BY layer ORDER BY jobs DESC, layer""",
    ),
    Question(
        "sizes",
        "sizes of transfers: reads and writes of each layer by size",
        f"""WITH one AS (
  {_sizes()}),
sums AS (
  SELECT layer, place, size, try_sum(r) AS reads, try_sum(w) AS writes FROM one
  GROUP BY layer, place, size)
SELECT layer, size, reads, CAST(reads AS DOUBLE) / nullif(CAST(sum(CAST(reads AS DOUBLE))
    OVER (PARTITION BY layer) AS DOUBLE), 0) AS share_of_reads,
  writes, CAST(writes AS DOUBLE) / nullif(CAST(sum(CAST(writes AS DOUBLE))
    OVER (PARTITION BY layer) AS DOUBLE), 0) AS share_of_writes
FROM sums WHERE coalesce(reads, 0) + coalesce(writes, 0) > 0 ORDER BY layer, place""",
    ),
    Question(
        "randomness",
        "programs by reads and writes that do not begin behind the last one in the file (POSIX)",
        f"""SELECT program, count(*) AS jobs, try_sum(POSIX_READS) AS reads,
  {_share_of_random("READ")} AS share_random_reads,
  try_sum(POSIX_WRITES) AS writes,
  {_share_of_random("WRITE")} AS share_random_writes,
  try_sum(POSIX_SEEKS) AS seeks
FROM {{totals_posix}} GROUP BY program
ORDER BY try_sum(greatest(coalesce(POSIX_READS, 0) - coalesce(POSIX_SEQ_READS, 0), 0)
  + greatest(coalesce(POSIX_WRITES, 0) - coalesce(POSIX_SEQ_WRITES, 0), 0)) DESC NULLS LAST,
  program LIMIT $top""",
    ),
    Question(
        "versions",
        "versions of libraries in use, as the logs have them: Darshan, MPI, HDF5, PnetCDF",
        """SELECT key AS library, value AS version, count(DISTINCT log) AS jobs,
  count(DISTINCT "user") AS users, count(DISTINCT program) AS programs, min(day) AS first_day,
  max(day) AS last_day
FROM {log_metadata} WHERE key IN ('lib_ver', 'mpi', 'hdf5', 'pnetcdf')
GROUP BY key, value ORDER BY library, jobs DESC, version""",
    ),
)
