"""The statistics of a Parquet file for Delta, by which engines skip files without opening them: its
number of rows, and the smallest and largest value of columns that queries filter by."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pyarrow.parquet as pq

from ..columns import Table

_COLUMNS = ("day", "user", "program", "started", "job_id")
_LONGEST = 256  # characters of a text; a longer one would make the log large


def _value(value: Any, up: bool) -> Any:
    """Returns a value in Delta's JSON form; None if it has none. Delta's times have milliseconds.
    up: round microseconds up, else down."""
    if isinstance(value, datetime.datetime):
        if up:
            value += datetime.timedelta(microseconds=-value.microsecond % 1000)
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else None
    return value if isinstance(value, int) else None


def _span(found: list[Any]) -> tuple[Any, Any]:
    """Returns the smallest and the largest value of a column; None for both if unknown. found: the
    statistics of the column in each row group."""
    known = [s for s in found if s.has_min_max]
    if not known or any(s.num_values and not s.has_min_max for s in found):
        return None, None
    return min(s.min for s in known), max(s.max for s in known)


def columns_of(table: Table) -> list[str]:
    """Returns the names of a table's columns that have statistics."""
    return [name for name in _COLUMNS if name in table.names]


def of_file(metadata: pq.FileMetaData, table: Table) -> str:
    """Returns the statistics of a Parquet file as JSON: the number of rows and, for each column,
    the smallest and largest value and the number of nulls."""
    said: dict[str, Any] = {
        "numRecords": metadata.num_rows,
        "minValues": {},
        "maxValues": {},
        "nullCount": {},
    }
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    places = {metadata.schema.column(n).path: n for n in range(metadata.num_columns)}
    for name in columns_of(table):
        if name not in places:
            said["nullCount"][name] = metadata.num_rows
            continue
        found = [g.column(places[name]).statistics for g in groups]
        if not all(s is not None and s.has_null_count for s in found):
            continue
        said["nullCount"][name] = sum(s.null_count for s in found)
        least, most = (_value(v, up) for v, up in zip(_span(found), (False, True)))
        if least is not None and most is not None:
            said["minValues"][name], said["maxValues"][name] = least, most
    return json.dumps(said, separators=(",", ":"))
