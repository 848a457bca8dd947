"""Upper bounds of the sums of a table's columns, from which the published type of each column
follows.

Most engines add up 64-bit integers in 64 bits. If a sum has more, Spark fails, and DataFusion and
Polars return a wrong number without a message. So a column whose values may have such a sum,
because a user forged logs or because a centre has moved that much, is published as decimal(20,0).
Engines read the same files then, and add up these values in decimals of 30 or 38 digits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from .. import columns
from ..columns import Table

TAG = "darshan.sums"  # in the Delta log, of each file: its bounds as JSON
# A quarter of what 64 bits hold, because queries add up several columns of a row.
MOST = 1 << 61
_SMALL = 1 << 40  # smaller bounds of a file are not stored
# A bound from statistics is that of the largest value in each row. If it is larger than this, the
# values of the column are read and added up.
_LOOSE = 1 << 50
_ROUNDED = 1 + 1e-9  # a sum of doubles may be too small by less than this


def _from_statistics(file: pq.ParquetFile, place: int) -> int | None:
    """Returns the number of rows times the largest amount in each row group, added up; None if a
    row group has no statistics. place: index of the column."""
    total = 0
    for number in range(file.num_row_groups):
        group = file.metadata.row_group(number)
        found = group.column(place).statistics
        if found is not None and found.has_min_max:
            total += group.num_rows * max(abs(found.min), abs(found.max))
        elif found is None or not found.has_null_count or found.null_count < group.num_rows:
            return None
    return total


def _from_values(file: pq.ParquetFile, name: str) -> int:
    """Returns the sum of the amounts of a column, rounded up."""
    total = 0.0
    for batch in file.iter_batches(columns=[name]):
        values = batch.column(0).drop_null().to_numpy(zero_copy_only=False)
        total += float(np.abs(values.astype(np.float64)).sum())
    return int(total * _ROUNDED) + 1


def of_file(file: pq.ParquetFile, table: Table) -> str:
    """Returns the bounds of the sums of integer columns in a file, as JSON. Leaves out small
    ones."""
    found: dict[str, int] = {}
    schema = file.metadata.schema
    places = {schema.column(n).path: n for n in range(file.metadata.num_columns)}
    for column in table.columns:
        if column.type != columns.WHOLE or column.name not in places:
            continue
        bound = _from_statistics(file, places[column.name])
        if bound is None or bound > _LOOSE:
            bound = _from_values(file, column.name)
        if bound > _SMALL:
            found[column.name] = bound
    return json.dumps(found, separators=(",", ":"))


def _stored(add: dict[str, Any]) -> dict[str, int] | None:
    """Returns the bounds in an action that adds a file; None if it has none, or other contents than
    of_file() makes."""
    try:
        found = json.loads(add["tags"][TAG])
    except (KeyError, TypeError, ValueError):
        return None
    fits = isinstance(found, dict) and all(type(n) is int and n >= 0 for n in found.values())
    return found if fits else None


def is_known(add: dict[str, Any]) -> bool:
    """Returns whether an action that adds a file has its bounds. Earlier releases stored none."""
    return _stored(add) is not None


def wide(adds: Iterable[dict[str, Any]]) -> frozenset[str]:
    """Returns the columns of a table whose values may have a sum of more than MOST. adds: the
    actions that added its files, with their bounds."""
    total: Counter[str] = Counter()
    number = 0
    for add in adds:
        total.update(_stored(add) or {})
        number += 1
    return frozenset(name for name, bound in total.items() if bound + number * _SMALL > MOST)
