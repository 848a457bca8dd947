"""Reads the Delta tables of a lake by Delta's published protocol, with pyarrow alone. This reader
is independent of the code that writes the lake."""

from __future__ import annotations

import json
import urllib.parse
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Action = dict[str, Any]

_TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "long": pa.int64(),
    "decimal(20,0)": pa.decimal128(20, 0),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "binary": pa.binary(),
}


def _type(said: Any) -> pa.DataType:
    """Returns the Arrow type of a type in a Delta schema."""
    if isinstance(said, str):
        return _TYPES[said]
    if said["type"] == "array":
        return pa.list_(_type(said["elementType"]))
    assert said["type"] == "struct"
    return pa.struct([(f["name"], _type(f["type"])) for f in said["fields"]])


def rows_of(path: Path) -> pa.Table:
    """Returns the rows of one Parquet file."""
    with pq.ParquetFile(path) as file:
        return file.read(use_threads=False)


class Table:
    """A Delta table at one of its versions, the newest one if `version` is None. files: the current
    files by path, as in the Delta log; gone: those that were removed; columns: the types of the
    columns."""

    def __init__(self, folder: Path, version: int | None = None) -> None:
        self.folder, self.files, self.gone = folder, {}, {}  # type: ignore[var-annotated]
        self.numbers: dict[str, int] = {}
        log = folder / "_delta_log"
        names = sorted(p.name for p in log.iterdir() if p.name[:20].isdecimal())
        versions = [int(n[:20]) for n in names if n[20:] == ".json"]
        self.version = max(versions) if version is None else version
        starts = [int(n[:20]) for n in names if n[20:] == ".checkpoint.parquet"]
        start = max((n for n in starts if n <= self.version), default=-1)
        if start >= 0:
            rows = pq.read_table(log / f"{start:020}.checkpoint.parquet").to_pylist()
            for row in rows:
                kinds = [kind for kind, said in row.items() if said is not None]
                assert len(kinds) == 1
                self._take(kinds[0], row[kinds[0]])
        for number in range(start + 1, self.version + 1):
            for line in (log / f"{number:020}.json").read_text().splitlines():
                ((kind, said),) = json.loads(line).items()
                self._take(kind, said)
        assert self.protocol == {"minReaderVersion": 1, "minWriterVersion": 1}
        self.columns = {f["name"]: _type(f["type"])
                        for f in json.loads(self.metadata["schemaString"])["fields"]}  # fmt: skip

    def _take(self, kind: str, said: Action) -> None:
        if kind == "add":
            self.files[said["path"]] = said
            self.gone.pop(said["path"], None)
        elif kind == "remove":
            self.files.pop(said["path"], None)
            self.gone[said["path"]] = said
        elif kind == "metaData":
            self.metadata = said
        elif kind == "protocol":
            self.protocol = said
        elif kind == "txn":
            self.numbers[said["appId"]] = said["version"]
        else:
            assert kind == "commitInfo"

    @property
    def paths(self) -> list[Path]:
        """Returns the paths of the Parquet files of this version."""
        return [self.folder / urllib.parse.unquote(path) for path in self.files]

    def read(self) -> pa.Table:
        """Returns all rows, with the columns and types that the Delta log states. Checks the size
        and the number of rows of each file."""
        schema = pa.schema(list(self.columns.items()))
        parts = [schema.empty_table()]
        for path, add in self.files.items():
            file = self.folder / urllib.parse.unquote(path)
            assert file.stat().st_size == add["size"]
            found = rows_of(file)
            assert json.loads(add["stats"])["numRecords"] == len(found)
            partition = dict(add["partitionValues"])
            arrays = []
            for name, kind in self.columns.items():
                if name in partition:
                    arrays.append(pa.array([partition[name]] * len(found), kind))
                elif name in found.column_names:
                    arrays.append(found[name].cast(kind))
                else:
                    arrays.append(pa.nulls(len(found), kind))
            parts.append(pa.table(arrays, schema=schema))
        return pa.concat_tables(parts)


def cells(table: pa.Table) -> list[str]:
    """Returns each row as a text, sorted, so that the order of files does not matter."""
    return sorted(map(str, table.to_pylist()))
