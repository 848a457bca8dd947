"""The SQL that finds which job wrote what another job read.

A file is the same for two jobs if its path and mount point are; on a file system that machines do
not share, the hosts must also be the same. The producer of a file that a job read is the last job
that began to write the file before the reading ended. A rename writes the new name and reads the
old one. The time of a rename is unknown; it is between the first write of the old name and the end
of the job. If another order of renames and writes is possible, so that another job could be the
producer, there is no edge. A record that represents many files (its name has a star, as
site-packages/*) does not show which of them a job wrote or read, so it has no edge.
"""

from __future__ import annotations

from .question import Question

# File systems that several machines share. Files of all other file systems belong to one host.
_SHARED = (
    "('lustre', 'gpfs', 'nfs', 'nfs3', 'nfs4', 'beegfs', 'ceph', 'cifs', 'smb3', 'panfs', 'pvfs2', "
    "'orangefs', 'wekafs', 'gfs2', 'ocfs2', 'afs', 'gxfs', 'dvs', 'fuse.ceph', 'fuse.glusterfs', "
    "'fuse.dfuse', 'fuse.juicefs')"
)
# Leaves out devices and streams, which do not store written bytes, and names with a star, which
# represent many files.
_IS_FILE = (
    "name NOT LIKE '<%' AND (name NOT LIKE '/dev/%' OR name LIKE '/dev/shm/%') "
    "AND name NOT LIKE '%*%'"
)
# Columns of the records of files, by the names that the query uses; without the module's prefix.
_COLUMNS = {
    "r": "BYTES_READ", "w": "BYTES_WRITTEN", "begun": "F_WRITE_START_TIMESTAMP",
    "ended": "F_READ_END_TIMESTAMP",
}  # fmt: skip
_ALL = ("log", "id", "name", "mount", "file_system", *_COLUMNS)
_NEVER = "1e18"  # seconds: the end of a job without an end


def _records(*names: str, moved: bool = True) -> str:
    """Returns the SQL of a subquery named `one`, with some columns of the records of files. moved:
    only of files that the job read or wrote. Each part of the query takes other columns: DuckDB
    would store the rows of two equal subqueries, which are all records of the lake."""
    parts = []
    for module in ("posix", "stdio"):
        prefix = f"{module.upper()}_"
        some = [f"{prefix}{_COLUMNS[n]} AS {n}" if n in _COLUMNS else n for n in names]
        parts.append(
            f"SELECT {', '.join(some)} FROM {{since:files_{module}}}"
            + f" WHERE {prefix}BYTES_WRITTEN > 0 OR {prefix}BYTES_READ > 0" * moved
        )
    return f"({' UNION ALL '.join(parts)}) AS one"


def edges(only: str = "") -> str:
    """Returns the SQL of some tables. The last one, `edge`, has a row for each file that a chosen
    job read after another job wrote it: producer and consumer (logs), name, and bytes read. only: a
    condition on the name and mount point of files; "": all files."""
    where = f" AND {_IS_FILE}" + (f" AND ({only})" if only else "")
    return f"""chosen AS (SELECT log FROM {{jobs}}),
renamed_file AS (
  SELECT log, id, name, mount, file_system, POSIX_RENAMED_FROM AS source FROM {{since:files_posix}}
  WHERE POSIX_RENAME_TARGETS > 0 AND POSIX_RENAMED_FROM IS NOT NULL),
source AS (SELECT DISTINCT log, source AS id FROM renamed_file),
old_name AS (
  SELECT one.log AS log, one.id AS id, min(name) AS name,
    min(CASE WHEN w > 0 THEN begun END) AS begun
  FROM {_records("log", "id", "name", "w", "begun", moved=False)}
  JOIN source ON source.log = one.log AND source.id = one.id
  GROUP BY one.log, one.id),
moved AS (
  SELECT renamed_file.log AS log, renamed_file.name AS name, mount, file_system,
    old_name.name AS old, coalesce(old_name.begun, 0) AS begun
  FROM renamed_file JOIN old_name ON old_name.log = renamed_file.log
    AND old_name.id = renamed_file.source),
candidate AS (
  SELECT id FROM (
    SELECT id, xxhash64(log) AS job, CASE WHEN w > 0 THEN 1 ELSE 0 END AS written,
      CASE WHEN r > 0 THEN 1 ELSE 0 END AS was_read
    FROM {_records("log", "id", "r", "w")}
    UNION ALL SELECT id, xxhash64(log), 1, 0 FROM renamed_file
    UNION ALL SELECT source, xxhash64(log), 0, 1 FROM renamed_file) AS used
  GROUP BY id HAVING max(written) = 1 AND max(was_read) = 1 AND min(job) <> max(job)),
record AS (
  SELECT log, name, mount, file_system, r, w, begun, ended
  FROM {_records(*_ALL, moved=False)}
  WHERE coalesce(id IN (SELECT id FROM candidate), false)),
touched AS (
  SELECT log, name, mount, file_system, begun, begun AS until, 0 AS kind, 0 AS r
  FROM record WHERE w > 0
  UNION ALL
  SELECT log, name, mount, file_system, begun, {_NEVER}, 0, 0 FROM moved
  UNION ALL
  SELECT record.log, record.name, record.mount, record.file_system, ended, ended, 1, r
  FROM record JOIN chosen ON chosen.log = record.log WHERE r > 0
  UNION ALL
  SELECT moved.log, old, mount, file_system, begun, begun, 1, 0
  FROM moved JOIN chosen ON chosen.log = moved.log),
place AS (
  SELECT log, max(host) AS host FROM (
    SELECT log, value AS host FROM {{since:log_metadata}} WHERE key IN ('host', 'hosts')
    UNION ALL SELECT log, host FROM {{since:processes}}) AS each_host
  WHERE log IN (SELECT log FROM touched)
  GROUP BY log HAVING count(DISTINCT host) = 1 AND max(host) NOT LIKE '%,%'),
act AS (
  SELECT touched.log AS log, name, coalesce(mount, 'not known') AS mount,
    CASE WHEN file_system IN {_SHARED} THEN '' ELSE host END AS host,
    unix_micros(started) / 1e6 + touched.begun AS moment,
    CASE WHEN until < {_NEVER} THEN unix_micros(started) / 1e6 + until
      ELSE coalesce(unix_micros(jobs.ended) / 1e6, {_NEVER}) END AS until, kind, r
  FROM touched JOIN {{since:jobs}} ON jobs.log = touched.log
  LEFT JOIN place ON place.log = touched.log
  WHERE started IS NOT NULL AND name IS NOT NULL AND touched.begun IS NOT NULL{where}),
passed_on AS (
  SELECT name, mount, host FROM act WHERE host IS NOT NULL GROUP BY name, mount, host
  HAVING min(log) <> max(log) AND min(kind) = 0 AND max(kind) = 1),
seen AS (
  SELECT act.*, max(CASE WHEN kind = 0 THEN moment END)
    OVER (PARTITION BY act.name, act.mount, act.host ORDER BY moment, kind, log
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last
  FROM act JOIN passed_on ON passed_on.name = act.name AND passed_on.mount = act.mount
    AND passed_on.host = act.host),
writer AS (
  SELECT name, mount, host, moment, max(log) AS log, max(until) AS until FROM seen WHERE kind = 0
  GROUP BY name, mount, host, moment),
likely AS (
  SELECT seen.name AS name, seen.mount AS mount, seen.host AS host, writer.log AS producer,
    seen.log AS consumer, seen.moment AS moment, last, writer.until AS until, r
  FROM seen JOIN writer ON writer.name = seen.name AND writer.mount = seen.mount
    AND writer.host = seen.host AND writer.moment = last
  WHERE kind = 1 AND writer.log <> seen.log),
renamed AS (
  SELECT DISTINCT name, mount, host FROM seen WHERE kind = 0 AND until > moment),
doubt AS (
  SELECT DISTINCT likely.name AS name, likely.mount AS mount, likely.host AS host, producer,
    consumer, likely.moment AS moment
  FROM likely JOIN renamed ON renamed.name = likely.name AND renamed.mount = likely.mount
    AND renamed.host = likely.host
  JOIN seen ON seen.name = likely.name AND seen.mount = likely.mount AND seen.host = likely.host
  WHERE seen.kind = 0 AND seen.log <> producer AND seen.moment <= likely.moment
    AND (likely.until > likely.moment OR (seen.until > seen.moment AND seen.until > likely.last))),
edge AS (
  SELECT likely.producer AS producer, likely.consumer AS consumer, likely.name AS name, r
  FROM likely LEFT JOIN doubt ON doubt.name = likely.name AND doubt.mount = likely.mount
    AND doubt.host = likely.host AND doubt.producer = likely.producer
    AND doubt.consumer = likely.consumer AND doubt.moment = likely.moment
  WHERE doubt.name IS NULL)"""


# Each row has what one program of a user produced and another one read.
PAIRS = """SELECT made.program AS producer, made."user" AS produced_by, took.program AS consumer,
  took."user" AS read_by, count(DISTINCT made.log) AS producing_jobs,
  count(DISTINCT took.log) AS jobs, count(DISTINCT edge.name) AS files, try_sum(r) AS bytes_read,
  min(edge.name) AS one_of_them
FROM edge JOIN (SELECT log, program, "user" FROM {since:jobs}) AS made ON made.log = edge.producer
JOIN (SELECT log, program, "user" FROM {since:jobs}) AS took ON took.log = edge.consumer
GROUP BY made.program, made."user", took.program, took."user"
ORDER BY bytes_read DESC NULLS LAST, producer, produced_by, consumer, read_by LIMIT $top"""
PRODUCERS = Question(
    "producers",
    "who produced what others read: the last job that wrote a file before another one read it",
    f"WITH {edges()}\n{PAIRS}",
)
