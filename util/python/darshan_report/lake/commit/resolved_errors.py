"""Removes error rows of files that could not be read once and are readable now.

The commit that adds the logs removes their error rows, so a reader never sees both."""

from __future__ import annotations

import os
from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .commits import Snapshot
from .seen import Seen

_TABLE = "problems"


def _halves(logs: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the upper and the lower 64 bits of log identities, which commit/seen.py stores
    separately. logs: each as 32 hexadecimal digits."""
    high = np.array([int(log[:16], 16) for log in logs], "u8")
    return high, np.array([int(log[16:], 16) for log in logs], "u8")


class Unread:
    """The error rows of a lake, by the Parquet file of the table problems that contains them."""

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._known: dict[str, dict[str, list[str]]] = {}  # logs by path, both as in the table

    def _in(self, path: str, seen: Seen) -> dict[str, list[str]]:
        """Returns the error rows in one Parquet file of the table problems: the identities of
        unreadable files, by path."""
        names = ["log", "path"]
        rows = pq.read_table(os.path.join(self._lake, path), columns=names, partitioning=None)
        logs, paths = (rows[name].cast(pa.string()).to_pylist() for name in names)
        unread = seen.unread(*_halves(logs)).tolist()
        found: dict[str, list[str]] = {}
        for where, log, has in zip(paths, logs, unread):
            if has:
                found.setdefault(where, []).append(log)
        return found

    def over(self, snapshot: Snapshot, seen: Seen, paths: Collection[str]) -> dict[str, set[str]]:
        """Returns the error rows that must be removed because the files at these paths were read
        now: the identities of their logs, by the Parquet file that contains them. seen: the logs
        that the lake has."""
        there = snapshot.of(_TABLE)
        kept = self._known
        self._known = {
            file.path: kept[file.path] if file.path in kept else self._in(file.path, seen)
            for file in there
        }
        found = {}
        for name, known in self._known.items():
            over = {log for path in paths for log in known.get(path, ())}
            if over:
                found[name] = over
        return found
