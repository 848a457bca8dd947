"""What the columns of a lake are in Arrow and Parquet; arrays of the library as such."""

from __future__ import annotations

import functools
import hashlib
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .. import columns, words
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
    """Says that there is no pandas to who looks for it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


def without_pandas() -> None:
    """Arrow looks for pandas when it makes its first array, and imports it where it is: half a
    second and 40 MiB of each worker, for nothing.  It looks only once; for processes of ours
    that make no frames."""
    if "pandas" not in sys.modules:
        finder: Any = _NoPandas()
        sys.meta_path.insert(0, finder)
        try:
            pa.array([None])
        finally:
            sys.meta_path.remove(finder)


def _field(column: Column) -> pa.Field:
    said = {"unit": column.unit, "rule": column.rule, "meaning": column.meaning}
    return pa.field(column.name, _TYPES[column.type], metadata={k: v for k, v in said.items() if v})


@functools.cache
def schema(table: Table) -> pa.Schema:
    """Types, and in the metadata of each field its unit, merge rule and meaning."""
    return pa.schema([_field(c) for c in table.columns], metadata={"table": table.title})


def schema_of(name: str) -> pa.Schema:
    """The same by the name of a table."""
    return schema(columns.tables()[name])


def shape(whole: pa.Schema) -> str:
    """Equal for equal names and types of columns."""
    said = "\n".join(f"{f.name} {f.type}" for f in whole)
    return hashlib.blake2b(said.encode(), digest_size=4).hexdigest()


class Dictionary:
    """Texts that several columns point into; each takes along what it uses of them."""

    def __init__(self, texts: Texts) -> None:
        count = len(texts)
        offsets, data = pa.py_buffer(texts.offsets), pa.py_buffer(texts.data)
        self.values = pa.StringArray.from_buffers(count, offsets, data)

    def column(self, places: npt.NDArray[np.int32]) -> pa.Array:
        """A column of texts; -1: null."""
        used = np.zeros(len(self.values) + 1, bool)
        used[places] = True  # -1 is the last
        lacks = bool(used[-1])
        used[-1] = False
        order = np.cumsum(used, dtype="i4") - 1
        values = self.values.take(pa.array(np.flatnonzero(used)))
        mask = places < 0 if lacks else None
        return pa.DictionaryArray.from_arrays(pa.array(order[places], mask=mask), values)


def of_values(values: list[str | None], places: npt.NDArray[np.int32] | None = None) -> pa.Array:
    """A column of texts from a text per row, or per place."""
    array = pa.array(values, pa.string()).dictionary_encode()
    if places is None:
        return array
    return array.take(pa.array(places))


def counter(array: np.ndarray, column: Column) -> pa.Array:
    """The column of a counter."""
    if columns.unknown_is_null(column):
        unknown = array == UNKNOWN
        if unknown.any():
            return pa.array(array, _TYPES[column.type], mask=unknown)
    return pa.array(array, _TYPES[column.type])


def rows(table: Table, found: list[dict[str, Any]]) -> pa.Table:
    """A table from rows by name; what one lacks is null."""
    whole = schema(table)
    return pa.table(
        [_of_python([row.get(field.name) for row in found], field.type) for field in whole],
        schema=whole,
    )


def _of_python(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return _array(values, kind)
    except (UnicodeError, OverflowError, pa.ArrowInvalid):
        # A log comes from a stranger: bytes that are no text, sums beyond 64 bits.
        return _array([_fitting(value, kind) for value in values], kind)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if kind == _TEXT:
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """A value as its column can have it: texts escaped, numbers that are too large unknown."""
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
    """One file of Parquet.  Only texts get dictionaries: counters are mostly different."""
    texts = [f.name for f in table.schema if f.type == _TEXT]
    pq.write_table(
        words.of_its_rows(table),
        path,
        compression="zstd",
        compression_level=level,
        use_dictionary=texts,
        write_page_index=False,
        write_page_checksum=True,
        store_schema=True,
    )
