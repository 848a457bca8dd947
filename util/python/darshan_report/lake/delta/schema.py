"""The columns of a table as the schema of Delta Lake, which is JSON.

All types belong to version 1 of Delta's protocol, so every reader knows them. Delta has no unsigned
integers, so record ids are decimals, as in Spark."""

from __future__ import annotations

import functools
import json
from collections.abc import Set
from typing import Any

import pyarrow as pa

from .. import columns
from ..columns import Column, Table
from ..write.arrow import schema as arrow_schema

PARTITION = "month"
_WIDE = "decimal(20,0)"  # each integer of 64 bits fits


def _field(name: str, kind: Any, comment: str = "") -> dict[str, Any]:
    metadata = {"comment": comment} if comment else {}
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


_EVIDENCE = [_field(name, "string") for name in ("module", "record", "counter")]
_TYPES: dict[str, Any] = {
    columns.TEXT: "string",
    columns.WHOLE: "long",
    columns.ID: "decimal(20,0)",
    columns.NUMBER: "double",
    columns.FLAG: "boolean",
    columns.DAY: "date",
    columns.TIME: "timestamp",
    columns.UUID: "binary",
    columns.EVIDENCE: {
        "type": "array",
        "elementType": {"type": "struct", "fields": [*_EVIDENCE, _field("value", "double")]},
        "containsNull": True,
    },
}


def _comment(column: Column) -> str:
    return f"{column.meaning} ({column.unit})" if column.unit else column.meaning


def fields(table: Table, wide: Set[str] = frozenset()) -> list[dict[str, Any]]:
    """Returns the fields of a table's schema in Delta's form, each with name, type and comment; the
    partition is the last. wide: integer columns that are decimals here (bounds.py)."""
    own = [_field(c.name, _WIDE if c.name in wide else _TYPES[c.type], _comment(c))
           for c in table.columns]  # fmt: skip
    return [*own, _field(PARTITION, "string", "the month of the job's begin")]


def merged(table: Table, before: str, wide: Set[str] = frozenset()) -> str:
    """Returns the schema of a table as JSON. before: the schema that was published last, or "".
    Columns of it that this release does not know remain, and decimals remain decimals. wide:
    integer columns that are decimals from now on."""
    others = json.loads(before)["fields"] if before else []
    before_wide = {f["name"] for f in others if f["type"] == _WIDE}
    integers = {c.name for c in table.columns if c.type == columns.WHOLE}
    mine = fields(table, wide | (before_wide & integers))
    names = {f["name"] for f in mine} | {c.was for c in table.columns}
    whole = [*mine, *(f for f in others if f["name"] not in names)]
    return json.dumps({"type": "struct", "fields": whole}, separators=(",", ":"))


@functools.cache
def _types(table: Table) -> dict[str, pa.DataType]:
    return {f.name: _plain(f.type) for f in arrow_schema(table)}


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def fits(table: Table, found: pa.Schema) -> bool:
    """Returns whether a file has the column names and types of this release. A column may be
    missing, and columns that this release does not know are ignored. found: the file's schema."""
    types = _types(table)
    there = set(found.names)
    renamed = any(c.was in there and c.name not in there for c in table.columns)
    return not renamed and all(types.get(f.name, _plain(f.type)) == _plain(f.type) for f in found)
