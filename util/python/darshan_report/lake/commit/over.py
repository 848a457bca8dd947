"""Problems that are over: of files that could not be read once, and were read since.

Their rows go by the commit that brings the logs, so nobody sees a log and that it cannot be read.
"""

from __future__ import annotations

import os
from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .commits import Change, Snapshot
from .fewer import rewritten
from .seen import Seen

_TABLE = "problems"


def _halves(logs: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Identities as commit/seen.py has them."""
    high = np.array([int(log[:16], 16) for log in logs], "u8")
    return high, np.array([int(log[16:], 16) for log in logs], "u8")


class Unread:
    """The files of a lake that could not be read, by the files of Parquet that say so."""

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._known: dict[str, dict[str, list[str]]] = {}  # logs by paths, as the table has both

    def _in(self, path: str, seen: Seen) -> dict[str, list[str]]:
        names = ["log", "path"]
        rows = pq.read_table(os.path.join(self._lake, path), columns=names, partitioning=None)
        logs, paths = (rows[name].cast(pa.string()).to_pylist() for name in names)
        unread = seen.unread(*_halves(logs)).tolist()
        found: dict[str, list[str]] = {}
        for where, log, has in zip(paths, logs, unread):
            if has:
                found.setdefault(where, []).append(log)
        return found

    def over(self, snapshot: Snapshot, seen: Seen, paths: Collection[str], folder: str) -> Change:
        """What is to be done now that these files were read: files that go, and what stays of
        them, below the folder."""
        change = Change("collect")
        there = snapshot.of(_TABLE)
        kept = self._known
        self._known = {
            file.path: kept[file.path] if file.path in kept else self._in(file.path, seen)
            for file in there
        }
        for file in there:
            known = self._known[file.path]
            over = [log for path in paths for log in known.get(path, ())]
            if not over:
                continue
            logs = pa.array(over, pa.string())
            new, _ = rewritten(
                self._lake,
                folder,
                file,
                lambda rows, logs=logs: pc.is_in(rows["log"].cast(pa.string()), value_set=logs),
            )
            change.remove.append(file)
            change.add += [new] if new else []
        return change
