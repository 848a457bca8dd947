"""`darshan lake prune`: removes the rows of old jobs, or of one user, from all tables in one
commit."""

from __future__ import annotations

import datetime
import os
import shutil
from dataclasses import field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...classes import dataclass
from . import storage
from .commits import Change, File, Snapshot
from .compact import replace
from .delete_rows import rewritten


@dataclass
class Gone:
    """The number of rows and logs that prune() removes, and the names of their tables."""

    rows: int = 0
    logs: int = 0
    tables: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Which:
    """Selects the rows of jobs that began before a day, or the rows of a user; exactly one of
    `before` and `user` is given. user: the name as the tables have it."""

    before: datetime.date | None = None
    user: str | None = None

    def may_have(self, file: File) -> bool:
        """Returns whether a file may have selected rows, according to its first day."""
        if self.before is not None:
            return bool(file.first) and file.first < str(self.before)
        return True

    def goes(self, rows: pa.Table) -> pa.Array:
        """Returns a mask of the selected rows."""
        if self.before is not None:
            old = pc.less(rows["day"], pa.scalar(self.before, pa.date32()))
            return pc.fill_null(old, False)
        same = pc.equal(rows["user"].cast(pa.string()), pa.scalar(self.user))
        return pc.fill_null(same, False)


def _number(lake: str, file: File, which: Which) -> int:
    """Returns how many rows of a file are selected. lake: its path."""
    column = "day" if which.before is not None else "user"
    rows = pq.read_table(os.path.join(lake, file.path), columns=[column], partitioning=None)
    return int(pc.sum(which.goes(rows)).as_py() or 0)


def would_go(snapshot: Snapshot, which: Which) -> Gone:
    """Returns what prune() would remove now, without removing it."""
    gone = Gone()
    for file in snapshot.files.values():
        number = _number(snapshot.path, file, which) if which.may_have(file) else 0
        if number:
            gone.rows += number
            gone.logs += number if file.table == "jobs" else 0
            gone.tables.add(file.table)
    return gone


def prune(lake: str, which: Which) -> Gone:
    """Removes the selected rows from all tables in one commit. If another process committed
    meanwhile, begins again, because that commit may have added such rows. Returns what was
    removed."""
    snapshot = Snapshot(lake)
    total = Gone()
    while True:
        snapshot.refresh()
        gone = Gone()
        change = Change("prune")
        folder = os.path.join(lake, storage.WORK, storage.new_name())
        os.makedirs(folder)
        try:
            for file in list(snapshot.files.values()):
                if not which.may_have(file) or not _number(lake, file, which):
                    continue
                new, number = rewritten(lake, folder, file, which.goes)
                change.remove.append(file)
                change.add += [new] if new else []
                gone.rows += number
                gone.logs += number if file.table == "jobs" else 0
                gone.tables.add(file.table)
            if not change.remove:
                return total
            before = snapshot.number
            if replace(snapshot, change, folder):
                total = Gone(
                    total.rows + gone.rows, total.logs + gone.logs, total.tables | gone.tables
                )
                if snapshot.number == before + 1:
                    return total
        except FileNotFoundError:  # another process compacted the files
            continue
        finally:
            shutil.rmtree(folder, ignore_errors=True)
