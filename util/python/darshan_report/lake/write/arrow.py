"""The columns of a lake as types of Arrow and Parquet, and conversion of the library's arrays to
Arrow."""

from __future__ import annotations

import functools
import hashlib
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .. import columns, dictionaries
from ..columns import Column, Table
from ..read.batch import Texts

_TEXT = pa.dictionary(pa.int32(), pa.string())
_EVIDENCE = pa.list_(
    pa.struct(
        [
            ("module", pa.string()),
            ("record", pa.string()),
            ("counter", pa.string()),
            ("value", pa.float64()),
        ]
    )
)
_TYPES = {
    columns.TEXT: _TEXT,
    columns.WHOLE: pa.int64(),
    columns.ID: pa.uint64(),
    columns.NUMBER: pa.float64(),
    columns.FLAG: pa.bool_(),
    columns.DAY: pa.date32(),
    columns.TIME: pa.timestamp("us", tz="UTC"),
    columns.UUID: pa.binary(16),
    columns.EVIDENCE: _EVIDENCE,
}
UNKNOWN = -1


class _NoPandas:
    """An import finder that reports pandas as missing."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


def without_pandas() -> None:
    """Makes Arrow create its first array without importing pandas, which costs each worker half a
    second and 40 MiB. Arrow tries this import only once, so this function suits processes that
    never make data frames."""
    if "pandas" not in sys.modules:
        finder: Any = _NoPandas()
        sys.meta_path.insert(0, finder)
        try:
            pa.array([None])
        finally:
            sys.meta_path.remove(finder)


def _field(column: Column) -> pa.Field:
    said = {"unit": column.unit, "rule": column.rule, "meaning": column.meaning, "was": column.was}
    return pa.field(column.name, _TYPES[column.type], metadata={k: v for k, v in said.items() if v})


@functools.cache
def schema(table: Table) -> pa.Schema:
    """Returns the Arrow schema of a table. The metadata of each field has its unit, merge rule and
    meaning, and the name that earlier releases gave it."""
    return pa.schema([_field(c) for c in table.columns], metadata={"table": table.title})


def schema_of(name: str) -> pa.Schema:
    """Returns the schema of the table with this name."""
    return schema(columns.tables()[name])


def shape(whole: pa.Schema) -> str:
    """Returns a hash of a schema that is equal for equal names and types of columns."""
    said = "\n".join(f"{f.name} {f.type}" for f in whole)
    return hashlib.blake2b(said.encode(), digest_size=4).hexdigest()


class Dictionary:
    """The strings of a batch, which several columns index. Each column that it makes contains only
    the strings that it uses."""

    def __init__(self, texts: Texts) -> None:
        count = len(texts)
        offsets, data = pa.py_buffer(texts.offsets), pa.py_buffer(texts.data)
        self.values = pa.StringArray.from_buffers(count, offsets, data)

    def column(self, places: npt.NDArray[np.int32]) -> pa.Array:
        """Returns a column of strings as a dictionary array. places: index of each row's string; -1
        becomes null."""
        used = np.zeros(len(self.values) + 1, bool)
        used[places] = True  # -1 is the last element
        lacks = bool(used[-1])
        used[-1] = False
        order = np.cumsum(used, dtype="i4") - 1
        values = self.values.take(pa.array(np.flatnonzero(used)))
        mask = places < 0 if lacks else None
        return pa.DictionaryArray.from_arrays(pa.array(order[places], mask=mask), values)


def of_values(values: list[str | None], places: npt.NDArray[np.int32] | None = None) -> pa.Array:
    """Returns a column of strings as a dictionary array. values: the string of each row (None:
    null) or, with `places`, strings that places index, one index per row."""
    array = pa.array(values, pa.string()).dictionary_encode()
    if places is None:
        return array
    return array.take(pa.array(places))


def counter(array: np.ndarray, column: Column, null: np.ndarray | None = None) -> pa.Array:
    """Returns the column of a counter as an Arrow array. null: mask of rows that become null; None:
    no mask. Values that mean unknown become null, too."""
    if columns.unknown_is_null(column):
        unknown = array == UNKNOWN
        if unknown.any():
            null = unknown if null is None else null | unknown
    return pa.array(array, _TYPES[column.type], mask=null)


def rows(table: Table, found: list[dict[str, Any]]) -> pa.Table:
    """Returns an Arrow table from rows that are dicts by column name. Missing values become
    null."""
    whole = schema(table)
    return pa.table(
        [_of_python([row.get(field.name) for row in found], field.type) for field in whole],
        schema=whole,
    )


def _of_python(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return _array(values, kind)
    except (UnicodeError, OverflowError, pa.ArrowInvalid):
        # A log is untrusted data: it may have invalid UTF-8 and sums beyond 64 bits.
        return _array([_fitting(value, kind) for value in values], kind)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if kind == _TEXT:
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """Returns a value that fits its column. Invalid UTF-8 is escaped, and an integer that is too
    large becomes null."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {name: _fitting(v, kind) for name, v in value.items()}
    if isinstance(value, list):
        return [_fitting(v, kind) for v in value]
    if pa.types.is_integer(kind) and value is not None and not -(1 << 63) <= value < 1 << 63:
        return None
    return value


def write(table: pa.Table, path: str, level: int) -> None:
    """Writes a table to a Parquet file. Only strings get dictionaries, because most counters have
    many different values. level: of compression."""
    texts = [f.name for f in table.schema if f.type == _TEXT]
    pq.write_table(
        dictionaries.of_its_rows(table),
        path,
        compression="zstd",
        compression_level=level,
        use_dictionary=texts,
        write_page_index=False,
        write_page_checksum=True,
        store_schema=True,
    )
