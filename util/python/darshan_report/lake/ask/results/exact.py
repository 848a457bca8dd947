"""The rows of a DuckDB result with exact numbers, and their values in Python.

DuckDB's integer sums have the type HUGEINT, which Arrow receives as double. A difference of two
timestamps has a type that Parquet lacks. Both are converted here."""

from __future__ import annotations

import contextlib
import datetime
from typing import Any

import duckdb
import pyarrow as pa

_WHOLE = ("HUGEINT", "UHUGEINT")
_AS_TEXT = (*_WHOLE, "INTERVAL", "TIME", "TIME WITH TIME ZONE", "BIT", "BIGNUM")
_WIDE = pa.decimal256(39, 0)  # 2^128 has 39 digits


_BEGIN = datetime.datetime(1970, 1, 1)


def values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Returns the values of a column as Python objects. pyarrow itself would import pandas for
    times, which takes more than a second."""
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "us" and kind.tz in (None, "UTC"):
        zone = datetime.timezone.utc if kind.tz else None
        begin, micro = _BEGIN.replace(tzinfo=zone), datetime.timedelta(microseconds=1)
        with contextlib.suppress(OverflowError):  # infinity, and years that datetime lacks
            known = column.cast(pa.int64()).to_pylist()
            return [None if value is None else begin + value * micro for value in known]
    found: list[Any] = column.to_pylist()
    if pa.types.is_decimal(kind) and kind.scale == 0:  # a whole number above 64 bits
        return [None if value is None else int(value) for value in found]
    return found


def _whole(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns a column of integers in the first of three types that can represent all its values:
    64 bits signed, unsigned, or decimal of 256 bits."""
    for kind in (pa.int64(), pa.uint64()):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return pa.chunked_array(
        [pa.array([None if v is None else int(v) for v in column.to_pylist()], _WIDE)]
    )


def unique(names: list[str]) -> list[str]:
    """Returns the column names, made unique by numbers ("n", "n_2"), because a JSON object cannot
    have two equal names."""
    found: list[str] = []
    for name in names:
        number, now = 1, name
        while now in found:
            number += 1
            now = f"{name}_{number}"
        found.append(now)
    return found


def whole(found: duckdb.DuckDBPyRelation) -> list[bool]:
    """Returns, for each column of a result, whether it has integers of any size (128 bits)."""
    return [str(kind) in _WHOLE for kind in found.types]


def readable(found: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Returns the same rows. Columns that Arrow would receive with a wrong type become strings."""
    kinds = [str(kind) for kind in found.types]
    if not any(kind in _AS_TEXT for kind in kinds):
        return found
    return found.project(
        ", ".join(
            f"#{place}::VARCHAR" if kind in _AS_TEXT else f"#{place}"
            for place, kind in enumerate(kinds, 1)
        )
    )


def smallest(least: int | None, most: int | None) -> str:
    """Returns the DuckDB type for integers from `least` to `most` (None: there are none): BIGINT,
    UBIGINT or DECIMAL; VARCHAR if no numeric type of Parquet can represent them."""
    if least is None or most is None or (least >= -(2**63) and most < 2**63):
        return "BIGINT"
    if least >= 0 and most < 2**64:
        return "UBIGINT"
    return "DECIMAL(38, 0)" if least > -(10**38) and most < 10**38 else "VARCHAR"


def table(found: duckdb.DuckDBPyRelation) -> pa.Table:
    """Returns all rows as an Arrow table with unique column names and exact integers."""
    kinds = [str(kind) for kind in found.types]
    names = unique(list(found.columns))
    made = readable(found).to_arrow_table().rename_columns(names)
    for place, kind in enumerate(kinds):
        if kind in _WHOLE:
            made = made.set_column(place, names[place], _whole(made.column(place)))
    return made
