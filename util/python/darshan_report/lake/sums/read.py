"""The tables of sums as SQL, restricted to the files of one commit."""

from __future__ import annotations

import contextlib
import os

import pyarrow as pa

from ..commit.commits import File, Snapshot
from .kinds import KINDS, TABLES
from .make import path_of, sources, there, write

# Largest number of rows in files without sums for which a reader makes the sums for itself.
_MOST_ROWS = 2_000_000
_TYPES = {
    "day": "DATE", "bytes_read": "DECIMAL(38, 0)", "bytes_written": "DECIMAL(38, 0)",
    "calls": "DECIMAL(38, 0)", "further": "BOOLEAN", "line": "BIGINT", "address": "BIGINT",
}  # fmt: skip
_SECONDS = "seconds"
_TEXTS = frozenset((
    "log", "title", "sentence", "remedy", "example", "called", "through", "file", "object",
    "function", "build",
))  # fmt: skip


class Sums:
    """The sums of a lake for one process. It makes missing sums in a temporary folder of its own,
    which the caller creates and removes."""

    def __init__(self, folder: str) -> None:
        self._folder = folder  # for sums that the lake lacks
        self._own: dict[str, bool] = {}  # whether a file of the lake has sums there

    def are_at_hand(self, snapshot: Snapshot) -> bool:
        """Returns whether every file of the lake has sums. If the files without sums have at most
        _MOST_ROWS rows, makes these sums first. A lake of an earlier release may lack more. Files
        that lack columns, because another release wrote them, cannot get sums."""
        known = there(snapshot.path)
        lacking = [f for f in sources(snapshot) if path_of(f) not in known]
        if sum(f.rows for f in lacking if f.path not in self._own) > _MOST_ROWS:
            return False
        return all(self._makes(snapshot.path, file) for file in lacking)

    def forget(self, lake: str) -> bool:
        """Removes the sums that this process made of files that no longer exist, perhaps because a
        user must be forgotten. Returns whether there were any."""
        gone = [path for path in self._own if not os.path.exists(os.path.join(lake, path))]
        for path in gone:
            del self._own[path]
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self._folder, path_of(File(path.split("/")[0], path, 0, 0))))
        return bool(gone)

    def _makes(self, lake: str, file: File) -> bool:
        """Makes the sums of a file in the folder of this process. Returns whether the file has sums
        then; False also if they cannot be made."""
        if file.path not in self._own:
            target = os.path.join(self._folder, path_of(file))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            try:
                self._own[file.path] = write(lake, file, target)
            except (OSError, pa.ArrowException):
                return False
        return self._own[file.path]

    def views(self, snapshot: Snapshot, root: str) -> dict[str, str]:
        """Returns an SQL query for each table of sums, by the table's name. root: the path of the
        lake as SQL shall open it."""
        known = there(snapshot.path)
        paths: dict[str, list[str]] = {table: [] for table in TABLES}
        for file in sources(snapshot):
            path = path_of(file)
            top = root if path in known else self._folder
            paths[KINDS[file.table].table].append(os.path.join(top, path))
        return {table: _query(table, some) for table, some in paths.items()}


def _query(table: str, paths: list[str]) -> str:
    """Returns the SQL that reads a table of sums from these files; a query without rows if there
    are none."""
    if not paths:
        kind = next(kind for kind in KINDS.values() if kind.table == table)
        columns = (f'NULL::{_type(name, kind.keys)} AS "{name}"' for name in kind.names)
        return f"SELECT {', '.join(columns)}, NULL::VARCHAR AS month WHERE false"
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in sorted(paths))
    return (
        f"SELECT * FROM read_parquet([{listed}], hive_partitioning = true, "
        "hive_types_autocast = false)"
    )


def _type(name: str, keys: tuple[str, ...]) -> str:
    default = "DOUBLE" if name.endswith(_SECONDS) else "BIGINT"
    default = "VARCHAR" if name in keys or name in _TEXTS else default
    return _TYPES.get(name, default)
