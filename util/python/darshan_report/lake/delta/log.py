"""The Delta log of a table: numbered versions, each a file of JSON with a line for each action. A
checkpoint has the content of all versions up to its own. The log is derived from the lake's
commits, so nothing is lost if it is damaged."""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...classes import dataclass
from ..commit import storage

FOLDER = "_delta_log"
# The application id, with which Delta's log stores the number of the lake's newest commit.
APPLICATION = "darshan-lake"
PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 1}
_NAME = re.compile(r"(\d{20})(\.json|\.checkpoint\.parquet)")
_LAST = "_last_checkpoint"
_TRIES = 3
Action = dict[str, Any]


class DamagedError(Exception):
    """The Delta log is damaged, or another program wrote it. The message says where and how."""


@dataclass
class State:
    """A Delta table after its newest version. version: its number; -1 if the log has no version.
    protocol, metadata: their newest actions; {} before the first."""

    version: int = -1
    number: int = -1  # of the lake's commit
    checkpoint: int = -1  # version of the newest checkpoint
    live: dict[str, Action] = field(default_factory=dict)  # files, by path
    gone: dict[str, Action] = field(default_factory=dict)  # removed files, by path
    protocol: Action = field(default_factory=dict)
    metadata: Action = field(default_factory=dict)

    def take(self, action: Action) -> None:
        """Applies an action of the log to the table. Raises DamagedError for deletion vectors and
        for other versions of the protocol, which no release of Darshan writes."""
        if add := action.get("add"):
            if add.get("deletionVector"):
                raise DamagedError("another program deleted rows")
            self.live[add["path"]] = add
            self.gone.pop(add["path"], None)
        elif remove := action.get("remove"):
            self.live.pop(remove["path"], None)
            self.gone[remove["path"]] = remove
        elif txn := action.get("txn"):
            if txn["appId"] == APPLICATION:
                self.number = txn["version"]
        elif metadata := action.get("metaData"):
            self.metadata = metadata
        elif protocol := action.get("protocol"):
            if any(protocol.get(k) != v for k, v in PROTOCOL.items()):
                raise DamagedError("another program changed the protocol")
            self.protocol = protocol


class Log:
    """The Delta log of one table: reads, creates and removes its versions and checkpoints. table:
    path of the table's folder."""

    def __init__(self, table: str) -> None:
        self.folder = os.path.join(table, FOLDER)

    def version(self, number: int) -> str:
        """Returns the path of the file of a version, which may not exist."""
        return os.path.join(self.folder, f"{number:020}.json")

    def checkpoint(self, number: int) -> str:
        """Returns the path of the file of a version's checkpoint, which may not exist."""
        return os.path.join(self.folder, f"{number:020}.checkpoint.parquet")

    def there(self) -> tuple[list[int], list[int]]:
        """Returns the numbers of the existing versions, and those of the existing checkpoints, both
        sorted."""
        versions: list[int] = []
        checkpoints: list[int] = []
        with contextlib.suppress(FileNotFoundError):
            for name in sorted(os.listdir(self.folder)):
                if found := _NAME.fullmatch(name):
                    some = versions if found[2] == ".json" else checkpoints
                    some.append(int(found[1]))
        return versions, checkpoints

    def newest(self) -> int:
        """Returns the number of the newest version, or of a checkpoint if that is newer; -1 if
        there is none."""
        versions, checkpoints = self.there()
        return max((-1, *versions, *checkpoints))

    def read(self) -> State:
        """Returns the table after its newest version. Raises DamagedError if the log is damaged,
        OSError if it cannot be read."""
        for _ in range(_TRIES):
            with contextlib.suppress(FileNotFoundError):  # another process removed old versions
                return self._read()
        return self._read()

    def _read(self) -> State:
        """Does what read() does, but raises FileNotFoundError if another process removes a version
        meanwhile."""
        versions, checkpoints = self.there()
        state = State(checkpoint=max(checkpoints, default=-1))
        if checkpoints:
            self._take(state, self.checkpoint(state.checkpoint), _of_checkpoint)
            state.version = state.checkpoint
        for number in versions:
            if number <= state.version:
                continue
            if number != state.version + 1:
                raise DamagedError(f"{self.version(state.version + 1)} is missing")
            self._take(state, self.version(number), _of_json)
            state.version = number
        if state.version >= 0 and not (state.protocol and state.metadata):
            raise DamagedError(f"{self.folder} has no schema")
        return state

    @staticmethod
    def _take(state: State, path: str, parse: Any) -> None:
        try:
            for action in parse(path):
                state.take(action)
        except (ValueError, KeyError, TypeError, AttributeError, pa.ArrowException) as error:
            raise DamagedError(f"{path}: {str(error).splitlines()[0]}") from None
        except DamagedError as error:
            raise DamagedError(f"{path}: {error}") from None

    def create(self, number: int, actions: list[Action]) -> bool:
        """Writes version `number` with a line for each action. Returns False if another process
        wrote it first."""
        made = not os.path.isdir(self.folder)
        os.makedirs(self.folder, exist_ok=True)
        if made:
            storage.sync(os.path.dirname(self.folder))
        lines = (json.dumps(action, separators=(",", ":")) + "\n" for action in actions)
        return storage.create(self.version(number), "".join(lines).encode())

    def write_checkpoint(self, state: State) -> None:
        """Writes a checkpoint of the version of `state`: a file with the whole content of the
        table. Stores its number in _last_checkpoint and in `state`."""
        actions: list[Action] = [{"protocol": state.protocol}, {"metaData": state.metadata}]
        actions.append({"txn": {"appId": APPLICATION, "version": state.number}})
        actions += [{"add": {**add, "dataChange": False}} for add in state.live.values()]
        actions += [{"remove": {**one, "dataChange": False}} for one in state.gone.values()]
        rows = [{kind: one.get(kind) for kind in _CHECKPOINT.names} for one in actions]
        with pa.BufferOutputStream() as sink:
            pq.write_table(pa.Table.from_pylist(rows, _CHECKPOINT), sink, compression="snappy")
            storage.replace(self.checkpoint(state.version), sink.getvalue().to_pybytes())
        said = {"version": state.version, "size": len(actions)}
        storage.replace(os.path.join(self.folder, _LAST), json.dumps(said).encode())
        state.checkpoint = state.version

    def expire(self, before: float) -> None:
        """Removes versions and checkpoints that are older than the newest checkpoint that existed
        at the time `before`, in seconds since 1970; none if no checkpoint existed then."""
        versions, checkpoints = self.there()
        kept = -1
        for number in checkpoints:
            with contextlib.suppress(FileNotFoundError):
                if os.stat(self.checkpoint(number)).st_mtime <= before:
                    kept = number
        old = [self.version(n) for n in versions if n < kept]
        old += [self.checkpoint(n) for n in checkpoints if n < kept]
        # Versions are removed first, the oldest first, so that the remaining versions have no gap.
        for path in old:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def clear(self) -> None:
        """Removes all versions and checkpoints, the oldest versions first."""
        versions, checkpoints = self.there()
        gone = [self.version(n) for n in versions] + [self.checkpoint(n) for n in checkpoints]
        for path in (*gone, os.path.join(self.folder, _LAST)):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def _of_json(path: str) -> list[Action]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def _of_checkpoint(path: str) -> list[Action]:
    with pq.ParquetFile(path) as file:
        rows = file.read().to_pylist(maps_as_pydicts="strict")
    return [{kind: _without_null(said) for kind, said in row.items() if said} for row in rows]


def _without_null(said: Action) -> Action:
    return {name: value for name, value in said.items() if value is not None}


_TEXT, _LONG, _INT, _FLAG = pa.string(), pa.int64(), pa.int32(), pa.bool_()
_MAP = pa.map_(_TEXT, _TEXT)
_FORMAT = pa.struct([("provider", _TEXT), ("options", _MAP)])
_FILE = [("path", _TEXT), ("partitionValues", _MAP), ("size", _LONG), ("dataChange", _FLAG)]
_KINDS: dict[str, list[tuple[str, pa.DataType]]] = {
    "txn": [("appId", _TEXT), ("version", _LONG), ("lastUpdated", _LONG)],
    "add": [*_FILE, ("modificationTime", _LONG), ("stats", _TEXT), ("tags", _MAP)],
    "remove": [*_FILE, ("deletionTimestamp", _LONG), ("extendedFileMetadata", _FLAG)],
    "metaData": [
        ("id", _TEXT), ("name", _TEXT), ("description", _TEXT), ("format", _FORMAT),
        ("schemaString", _TEXT), ("partitionColumns", pa.list_(_TEXT)),
        ("createdTime", _LONG), ("configuration", _MAP),
    ],
    "protocol": [("minReaderVersion", _INT), ("minWriterVersion", _INT)],
}  # fmt: skip
_CHECKPOINT = pa.schema([(name, pa.struct(parts)) for name, parts in _KINDS.items()])
