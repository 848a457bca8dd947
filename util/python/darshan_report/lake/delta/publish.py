"""Publishes the tables of a lake as Delta Lake tables.

The next version of a table is derived from the lake's commits: it removes and adds the files that
differ between the newest version and the lake. If two processes derive it, one creates the file,
and the other begins again. A version stores the number of the commit that it shows, so that an
older commit never follows a newer one."""

from __future__ import annotations

import functools
import os
import time
import urllib.parse
import uuid
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

from ...classes import dataclass
from .. import columns
from ..columns import Table
from ..commit.commits import File, Snapshot
from ..commit.compact import Compactor
from ..commit.storage import LakeError
from ..write.arrow import schema_of, shape
from . import bounds, schema, statistics
from .log import APPLICATION, PROTOCOL, Action, DamagedError, Log, State

KEPT = 7 * 86400.0  # seconds that old versions, and removed files in checkpoints, are kept
_EACH_CHECKPOINT = 10  # versions
_FORMAT = {"provider": "parquet", "options": {}}
_SETTINGS = {
    "delta.checkpointInterval": str(_EACH_CHECKPOINT),
    "delta.deletedFileRetentionDuration": "interval 7 days",
    "delta.logRetentionDuration": "interval 7 days",
}


@dataclass
class Made:
    """The number of tables that got a new version, and of the files that these versions added and
    removed."""

    tables: int = 0
    added: int = 0
    removed: int = 0


def _milliseconds() -> int:
    return int(time.time() * 1000)


def relative(file: File) -> str:
    """Returns the path of a file in the form of its table's Delta log: relative to the table's
    folder, as a URI."""
    return urllib.parse.quote(file.path.partition("/")[2], safe="/=-._~")


def _of_file(file: File) -> Action:
    return {"path": relative(file), "partitionValues": {schema.PARTITION: file.month},
            "size": file.bytes, "dataChange": True}  # fmt: skip


def _remove(add: Action) -> Action:
    kept = {name: add[name] for name in ("path", "partitionValues", "size") if name in add}
    return {"remove": {**kept, "deletionTimestamp": _milliseconds(), "dataChange": True,
                       "extendedFileMetadata": True}}  # fmt: skip


class _Misfit(Exception):
    """A file has column names or types of an earlier release."""

    def __init__(self, file: File) -> None:
        super().__init__(file.path)
        self.file = file


class Publisher:
    """Publishes all tables of a lake that changed. made: the counts so far."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._added = functools.lru_cache(maxsize=None)(self._add)
        self.made = Made()

    def publish(self) -> Made:
        """Publishes all tables that changed since their newest version, and returns the counts.
        Raises LakeError if a file is missing or damaged, or OSError."""
        self._snapshot.refresh()
        known = columns.tables()
        for name in tables(self._snapshot):
            if name in known:  # otherwise only a newer release knows the table, and publishes it
                self._table(known[name])
        return self.made

    def _table(self, table: Table) -> None:
        """Publishes one table, if its files changed and no newer commit is published. Tries again
        after another process was first. Publishes a damaged log anew, and rewrites files of an
        earlier release first."""
        log = Log(os.path.join(self._snapshot.path, table.name))
        while True:
            try:
                state = log.read()
                if state.number > self._snapshot.number or self._next(log, state, table):
                    return
            except DamagedError:
                if self._anew(log, table):
                    return
            except _Misfit as misfit:
                Compactor(self._snapshot, schema_of, shape).again(misfit.file)
                self._snapshot.refresh()
            except FileNotFoundError as error:
                # Another process replaced the file, and a sweep removed it; else the lake lacks it.
                number = self._snapshot.number
                self._snapshot.refresh()
                if self._snapshot.number == number:
                    raise LakeError(
                        f"{error.filename} is missing; run darshan lake check"
                    ) from None

    def _add(self, file: File) -> Action:
        """Returns the action that adds a file to its Delta table. Raises _Misfit if its columns are
        those of an earlier release, LakeError if it is damaged."""
        path, table = os.path.join(self._snapshot.path, file.path), columns.tables()[file.table]
        try:
            with pq.ParquetFile(path) as opened:
                metadata = opened.metadata
                fits = schema.fits(table, opened.schema_arrow)
                sums = bounds.of_file(opened, table) if fits else ""
        except pa.ArrowException as error:
            raise LakeError(
                f"{file.path}: {str(error).splitlines()[0]}; run darshan lake check"
            ) from None
        if not fits:
            raise _Misfit(file)
        changed = int(os.stat(path).st_mtime * 1000)
        said = {"modificationTime": changed, "stats": statistics.of_file(metadata, table),
                "tags": {bounds.TAG: sums}}  # fmt: skip
        return {"add": {**_of_file(file), **said}}

    def _metadata(self, table: Table, before: Action, files: list[Action]) -> Action:
        """Returns the description of a table (schema, partition, settings) for its Delta log.
        before: the newest published one, whose id and time of creation remain; {} for a new
        table. files: the actions that add the table's files."""
        wide = bounds.wide(action["add"] for action in files)
        said = {
            "format": _FORMAT,
            "schemaString": schema.merged(table, before.get("schemaString", ""), wide),
            "partitionColumns": [schema.PARTITION],
            "configuration": {
                **_SETTINGS,
                "delta.dataSkippingStatsColumns": ",".join(statistics.columns_of(table)),
            },
        }
        made = {"id": str(uuid.uuid4()), "name": table.name, "description": table.title,
                "createdTime": _milliseconds()}  # fmt: skip
        return {**made, **before, **said}

    def _next(self, log: Log, state: State, table: Table) -> bool:
        """Publishes the next version of a table if there is anything new. Returns False if another
        process was first."""
        files = {relative(file): file for file in self._snapshot.of(table.name)}
        gone = [_remove(add) for path, add in state.live.items() if path not in files]
        new = [self._added(file) for path, file in files.items() if path not in state.live]
        stay = {path: add for path, add in state.live.items() if path in files}
        # An earlier release added these files; their rows do not change.
        again = [{"add": {**self._added(files[path])["add"], "dataChange": False}}
                 for path, add in stay.items() if not bounds.is_known(add)]  # fmt: skip
        old = [{"add": add} for add in stay.values() if bounds.is_known(add)]
        metadata = self._metadata(table, state.metadata, [*old, *again, *new])
        actions = [*gone, *again, *new]
        if metadata != state.metadata:
            actions.insert(0, {"metaData": metadata})
        if not state.protocol:
            actions.insert(0, {"protocol": PROTOCOL})
        if not actions:
            return True
        if not self._create(log, state, actions):
            return False
        self._count(len(new), len(gone))
        if state.version - state.checkpoint >= _EACH_CHECKPOINT:
            _checkpoint(log, state)
        return True

    def _anew(self, log: Log, table: Table) -> bool:
        """Publishes all files of a table whose Delta log is damaged. Readers begin at the
        checkpoint that it writes, so they do not read the damaged versions. Returns False if
        another process was first."""
        state = State(version=log.newest())
        new = [self._added(file) for file in self._snapshot.of(table.name)]
        actions = [{"protocol": PROTOCOL}, {"metaData": self._metadata(table, {}, new)}, *new]
        if not self._create(log, state, actions):
            return False
        log.write_checkpoint(state)
        self._count(len(new), 0)
        return True

    def _create(self, log: Log, state: State, actions: list[Action]) -> bool:
        """Creates the version after that of `state`, and applies its actions to `state`. Returns
        False if another process was first."""
        now, number = _milliseconds(), self._snapshot.number
        said = {"timestamp": now, "operation": "WRITE", "operationParameters": {"mode": "Append"},
                "engineInfo": APPLICATION}  # fmt: skip
        txn = {"appId": APPLICATION, "version": number, "lastUpdated": now}
        actions = [{"commitInfo": said}, {"txn": txn}, *actions]
        if not log.create(state.version + 1, actions):
            return False
        for action in actions:
            state.take(action)
        state.version += 1
        return True

    def _count(self, added: int, removed: int) -> None:
        self.made.tables += 1
        self.made.added += added
        self.made.removed += removed


def _checkpoint(log: Log, state: State) -> None:
    """Writes a checkpoint without files that were removed more than KEPT seconds ago, then removes
    versions that are older than this."""
    old = (time.time() - KEPT) * 1000
    state.gone = {p: one for p, one in state.gone.items() if one.get("deletionTimestamp", 0) > old}
    log.write_checkpoint(state)
    # The clock of the file server, whose times expire() compares, may differ.
    written = os.stat(log.checkpoint(state.version)).st_mtime
    log.expire(written - KEPT)


def wide_columns(lake: str, table: Table, files: Iterable[File]) -> frozenset[str]:
    """Returns the integer columns of some files whose sums may have more than 64 bits. The files
    that the table's Delta log does not name are opened. lake: path of the lake."""
    try:
        live = Log(os.path.join(lake, table.name)).read().live
    except DamagedError:
        live = {}
    found = []
    for file in files:
        add = live.get(relative(file), {})
        if not bounds.is_known(add):
            with pq.ParquetFile(os.path.join(lake, file.path)) as opened:
                add = {"tags": {bounds.TAG: bounds.of_file(opened, table)}}
        found.append(add)
    return bounds.wide(found)


def tables(snapshot: Snapshot) -> list[str]:
    """Returns the names of the tables that have files in the lake or a Delta log."""
    found = set(snapshot.tables)
    for name in columns.tables():
        if Log(os.path.join(snapshot.path, name)).newest() >= 0:
            found.add(name)
    return sorted(found)


def forget(snapshot: Snapshot) -> None:
    """Removes all versions but the newest, because the statistics of older versions contain names
    of users whose rows were removed. If a log is damaged, removes all versions; the next
    publishing process makes them anew from the lake."""
    for name in tables(snapshot):
        log = Log(os.path.join(snapshot.path, name))
        try:
            state = log.read()
        except DamagedError:
            log.clear()
            continue
        if state.version >= 0:
            log.write_checkpoint(state)
            log.expire(float("inf"))
