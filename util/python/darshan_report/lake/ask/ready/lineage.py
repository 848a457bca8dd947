"""The SQL that finds which job wrote what another job read.

A file is the same for two jobs if its path and mount point are equal; on a file system that
machines do not share, the hosts must also be equal. The producer of a file that a job read is the
last job that began to write the file before the reading ended. A rename counts as a write of the
new name and a read of the old one. The time of a rename is unknown: it is between the first write
of the old name and the end of the job. If the producer depends on the order of renames and writes,
there is no edge. A record that represents many files (its name has a star, as site-packages/*) does
not show which of them a job used, so it has no edge."""

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
_NEVER = "1e18"  # seconds: the end of a job without an end


def edges(only: str = "") -> str:
    """Returns the SQL of some tables. The last one, `edge`, has a row for each file that a chosen
    job read after another job wrote it: producer and consumer (logs), name, and bytes read. only: a
    condition on the name and mount point of files."""
    return f"""place AS (
  SELECT log, max(host) AS host FROM (
    SELECT log, value AS host FROM {{since:log_metadata}} WHERE key IN ('host', 'hosts')
    UNION ALL SELECT log, host FROM {{since:processes}}) AS each_host
  GROUP BY log HAVING count(DISTINCT host) = 1 AND max(host) NOT LIKE '%,%'),
chosen AS (SELECT log FROM {{jobs}}),
record AS (
  SELECT log, id, name, mount, file_system, POSIX_BYTES_READ AS r, POSIX_BYTES_WRITTEN AS w,
    POSIX_F_WRITE_START_TIMESTAMP AS begun, POSIX_F_READ_END_TIMESTAMP AS ended,
    CASE WHEN POSIX_RENAME_TARGETS > 0 THEN POSIX_RENAMED_FROM END AS source
  FROM {{since:files_posix}}
  UNION ALL
  SELECT log, id, name, mount, file_system, STDIO_BYTES_READ, STDIO_BYTES_WRITTEN,
    STDIO_F_WRITE_START_TIMESTAMP, STDIO_F_READ_END_TIMESTAMP, NULL FROM {{since:files_stdio}}),
source AS (SELECT DISTINCT log, source AS id FROM record WHERE source IS NOT NULL),
old_name AS (
  SELECT record.log AS log, record.id AS id, min(name) AS name,
    min(CASE WHEN w > 0 THEN begun END) AS begun
  FROM record JOIN source ON source.log = record.log AND source.id = record.id
  GROUP BY record.log, record.id),
touched AS (
  SELECT log, name, mount, file_system, begun, begun AS until, 0 AS kind, 0 AS r
  FROM record WHERE w > 0
  UNION ALL
  SELECT record.log, record.name, record.mount, record.file_system, coalesce(old_name.begun, 0),
    {_NEVER}, 0, 0 FROM record JOIN old_name ON old_name.log = record.log
    AND old_name.id = record.source
  UNION ALL
  SELECT record.log, record.name, record.mount, record.file_system, ended, ended, 1, r
  FROM record JOIN chosen ON chosen.log = record.log WHERE r > 0
  UNION ALL
  SELECT record.log, old_name.name, record.mount, record.file_system, coalesce(old_name.begun, 0),
    coalesce(old_name.begun, 0), 1, 0 FROM record JOIN chosen ON chosen.log = record.log
    JOIN old_name ON old_name.log = record.log AND old_name.id = record.source),
act AS (
  SELECT touched.log AS log, name, coalesce(mount, 'not known') AS mount,
    CASE WHEN file_system IN {_SHARED} THEN '' ELSE host END AS host,
    unix_micros(started) / 1e6 + touched.begun AS moment,
    CASE WHEN until < {_NEVER} THEN unix_micros(started) / 1e6 + until
      ELSE coalesce(unix_micros(jobs.ended) / 1e6, {_NEVER}) END AS until, kind, r
  FROM touched JOIN {{since:jobs}} ON jobs.log = touched.log
  LEFT JOIN place ON place.log = touched.log
  WHERE started IS NOT NULL AND name IS NOT NULL AND touched.begun IS NOT NULL AND {_IS_FILE}
    {f"AND ({only})" if only else ""}),
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
