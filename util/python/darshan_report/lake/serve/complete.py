"""Completes a name that a user types into a field of a page: returns the names that begin like it,
as JSON.

Users, programs and mount points come from sums, so this is fast in a large lake. Folders and files
come from the last million records."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..ask.engine import Asked
from ..ask.ready.by_sums import ON_MOUNTS, RAN
from ..ask.ready.question import Question
from ..ask.ready.questions import Filters
from ..look.week import rows
from .request import Refused, Wanted

_MOST = 20
_RECORDS = 1_000_000  # that are read for paths
_LAST = "\U0010ffff"  # no name has this character, and it sorts after all names


def _names(column: str, beginning: str, source: str, number: str) -> Question:
    return Question(
        "complete",
        "names that begin like a text, those with most jobs or records first",
        f"""WITH {beginning}
SELECT {column} AS name, CAST(sum({number}) AS BIGINT) AS number FROM {source}
WHERE {column} IS NOT NULL AND {column} <> '' AND starts_with(lower({column}), lower($prefix))
GROUP BY {column} ORDER BY number DESC, name LIMIT $top""",
    )


_FIELDS: Mapping[str, Question] = {
    "user": _names('"user"', RAN, "ran", "jobs"),
    "program": _names("program", RAN, "ran", "jobs"),
    "mount": _names("mount", ON_MOUNTS, "one", "n"),
}
_DAYS = Question(
    "complete-days",
    "records of each day, the last first",
    f"""WITH {ON_MOUNTS}
SELECT day, CAST(sum(n) AS BIGINT) AS number FROM one WHERE day <= current_date + 1
GROUP BY day ORDER BY day DESC""",
)
# The next folder or file of each path that begins so; folders end with a slash.
_BELOW = """SELECT DISTINCT name FROM {table} WHERE name >= $prefix AND name < $after"""
_PATHS = Question(
    "complete-paths",
    "folders and files that begin like a path",
    f"""WITH known AS (
  {_BELOW.format(table="{files_posix}")} UNION {_BELOW.format(table="{files_stdio}")}),
below AS (SELECT substr(name, length($folder) + 1) AS rest FROM known)
SELECT DISTINCT $folder || split_part(rest, '/', 1) ||
  CASE WHEN contains(rest, '/') THEN '/' ELSE '' END AS name
FROM below WHERE rest <> '' ORDER BY name LIMIT $top""",
)


def _last_days(lake: Asked) -> Filters:
    """Returns filters for the last days that together have at most a million records; for at least
    one day."""
    left = _RECORDS
    since = None
    for row in rows(lake, _DAYS, Filters()):
        left -= row["number"]
        if left < 0 and since:
            break
        since = str(row["day"])
    return Filters(since)


def _paths(lake: Asked, prefix: str) -> list[str]:
    """Returns the possible continuations of a path: mount points until the path is within one, then
    the folders and files of the next level."""
    mounts = [row["name"] for row in rows(lake, _FIELDS["mount"], Filters(), prefix="/", top=1000)]
    inside = any(prefix.startswith(mount.rstrip("/") + "/") for mount in mounts if mount != "/")
    found = [mount for mount in mounts if mount.startswith(prefix) and mount not in ("/", prefix)]
    if not inside and (found or not prefix.startswith("/")):
        return sorted(found)[:_MOST]
    folder = prefix[: prefix.rindex("/") + 1]
    values = {"prefix": prefix, "after": prefix + _LAST, "folder": folder, "top": _MOST}
    return [row["name"] for row in rows(lake, _PATHS, _last_days(lake), **values)]


def render(lake: Asked, asked: Wanted) -> str:
    """Returns a list of at most 20 names as JSON. Raises Refused if the address names no known
    field, LakeError if a query fails."""
    prefix = asked.name or ""
    if asked.field == "path":
        found = _paths(lake, prefix) if prefix else []
    elif asked.field in _FIELDS:
        answer = rows(lake, _FIELDS[asked.field], Filters(), prefix=prefix, top=_MOST)
        found = [row["name"] for row in answer]
    else:
        raise Refused(400, f"field: must be path or one of {', '.join(_FIELDS)}")
    return json.dumps(found).replace("<", "\\u003c")
