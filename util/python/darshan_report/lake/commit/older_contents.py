"""Replaces rows of a log whose file had other contents when it was collected before.

The commit that adds the newer contents removes the rows of the older ones. Otherwise a log that is
collected while it is still being copied would count twice. The keys in commit/seen.py begin with a
hash of the path, so that a collector sees without reading tables that a path was known with other
contents."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...classes import dataclass
from ..read import files
from ..read.files import Found
from . import seen as index
from .commits import File, Snapshot
from .seen import Seen


class Place(NamedTuple):
    """A file that was read. shown: its path in the form of the tables. owner: name of the user
    whose logs it may replace; "" if the file's owner is root or the collector's user, whose files
    may replace logs of all users."""

    found: Found
    shown: str
    owner: str


At = Mapping[int, Place]  # by the keys of the files
_NAMES_A_JOB = re.compile(r"_id\d+")


@dataclass
class Older:
    """Logs whose rows a commit removes, because their files have newer contents. logs: identities.
    days: of these logs; "" among them if one is unknown. rows: of these logs in _seen."""

    logs: set[str] = field(default_factory=set)
    days: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)  # of the files, as in the tables
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, index.ROW))

    def may_be_in(self, file: File) -> bool:
        """Returns whether a Parquet file may have rows of these logs. All rows of a log have the
        same day."""
        if not self.logs:
            return False
        if "" in self.days or not file.first:
            return True
        return any(file.first <= day <= file.last for day in self.days)


def _text(row: np.void) -> str:
    return files.Identity(int(row["high"]), int(row["low"])).text


def _elsewhere(known: Seen, more: np.ndarray, rows: np.ndarray) -> set[str]:
    """Returns the logs of these rows that are known under several paths. If the contents of one
    path changed, such a log may still exist at another. known: logs that the lake has. more: rows
    that the commit adds."""
    places: dict[str, set[int]] = {}
    for row in np.concatenate([known.of_logs(rows), more]):
        places.setdefault(_text(row), set()).add(int(row["key"]) >> files.STATE_BITS)
    return {log for log, paths in places.items() if len(paths) > 1}


def _in_tables(snapshot: Snapshot, logs: set[str]) -> list[dict[str, Any]]:
    """Returns the rows of these logs in the tables jobs and problems: log, day, path, owner or
    counter, and the name of the table."""
    wanted = pa.array(sorted(logs), pa.string())
    found = []
    for table in ("jobs", "problems"):
        for file in snapshot.of(table):
            with pq.ParquetFile(os.path.join(snapshot.path, file.path)) as opened:
                names = {"log", "day", "path", "counter", "owner"} & set(opened.schema_arrow.names)
                for number in range(opened.num_row_groups):
                    column = opened.read_row_group(number, columns=["log"])["log"]
                    mask = pc.is_in(column.cast(pa.string()), value_set=wanted)
                    if pc.any(mask).as_py():
                        rows = opened.read_row_group(number, columns=sorted(names)).filter(mask)
                        found += [{**row, "table": table} for row in rows.to_pylist()]
    return found


def _of_others(there: list[dict[str, Any]], places: Mapping[str, Place]) -> set[str]:
    """Returns the logs whose file had another owner than the file that is now at the path. A user
    who may write into the folder of a removed log can create a file with its name. there: rows of
    these logs. places: files by path."""
    found = set()
    for row in there:
        place = places.get(row["path"])
        if row["table"] == "jobs" and place and place.owner and row.get("owner") != place.owner:
            found.add(row["log"])
    return found


def _is_damage(row: dict[str, Any]) -> bool:
    return row["table"] == "problems" and row.get("counter") is None


def find(snapshot: Snapshot, known: Seen, at: At, here: np.ndarray) -> Older:
    """Returns the logs whose rows must be replaced, because the files at some paths have other
    contents now. known: logs that the lake has. at: the files. here: their present contents, as
    rows of seen.py.

    The runtime uses the name of a log for only one job, so other contents under the name are the
    same log, unless another user owns the file now. A file with another kind of name may be reused
    for the next job, so only its damaged contents are replaced."""
    older = Older()
    rows = known.of_paths(np.array(sorted(at), "u8"))
    now = {(_text(row), int(row["key"]) >> files.STATE_BITS) for row in here}
    keep = [(_text(row), int(row["key"]) >> files.STATE_BITS) not in now for row in rows]
    rows = rows[np.array(keep, bool)]
    if not len(rows):
        return older
    stay = _elsewhere(known, here, rows) | {log for log, _ in now}
    rows = rows[[_text(row) not in stay for row in rows]]
    if not len(rows):
        return older
    places = {place.shown: place for place in at.values()}
    there = _in_tables(snapshot, {_text(row) for row in rows})
    others = _of_others(there, places)
    damaged = {row["log"] for row in there if _is_damage(row)}
    for row in there:
        place = places.get(row["path"])
        if place is None or row["log"] in others:
            continue
        if row["log"] in damaged or _NAMES_A_JOB.search(os.path.basename(place.found.path)):
            older.logs.add(row["log"])
            older.days.add("" if row["day"] is None else str(row["day"]))
            older.paths.add(row["path"])
    older.rows = rows[[_text(row) in older.logs for row in rows]]
    return older


def outdated(older: Older, at: At) -> set[int]:
    """Returns the keys of those files in `at` that have changed again since they were read, and
    whose contents the commit would replace. The lake may already have newer contents of them."""
    return {
        key
        for key, (found, shown, _) in at.items()
        if shown in older.paths and files.named(found.path, found.secret).key != key
    }
