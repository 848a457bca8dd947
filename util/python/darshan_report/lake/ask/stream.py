"""The rows of an answer some at a time, for answers that no memory would hold."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa

from ..commit.place import LakeError
from . import exact

_CELLS = 1 << 18  # of rows that are in memory together
_KEPT = "rows of the answer"


class Stream:
    """An answer, which is read once."""

    def __init__(self, found: duckdb.DuckDBPyRelation | None) -> None:
        """LakeError or duckdb.Error for what is wrong with it before there is a row."""
        self.columns: list[str] = []
        self._whole: list[bool] = []
        self._batches: Iterator[pa.RecordBatch] = iter(())
        if found is not None:
            self.columns = exact.unique(list(found.columns))
            self._whole = exact.whole(found)
            rows = max(2048, _CELLS // max(1, len(self.columns)))
            self._reader = exact.readable(found).to_arrow_reader(rows)
            batches = self._read()
            self._batches = itertools.chain(list(itertools.islice(batches, 1)), batches)

    def _read(self) -> Iterator[pa.RecordBatch]:
        while True:
            try:
                batch = self._reader.read_next_batch()
            except StopIteration:
                return
            except (OSError, pa.ArrowException) as error:  # what DuckDB says comes as either
                raise LakeError(str(error).strip()) from None
            yield batch

    @property
    def schema(self) -> pa.Schema:
        """Of the batches."""
        if not self.columns:
            return pa.schema([])
        kinds: pa.Schema = self._reader.schema
        return pa.schema([(name, field.type) for name, field in zip(self.columns, kinds)])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """As Arrow has them; sums of whole numbers, which may be of any size, by their digits."""
        for batch in self._batches:
            yield batch.rename_columns(self.columns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Row by row."""
        for batch in self._batches:
            columns = [column.to_pylist() for column in batch.columns]
            for place, whole in enumerate(self._whole):
                if whole:
                    columns[place] = [None if v is None else int(v) for v in columns[place]]
            yield from zip(*columns)


def typed(
    database: duckdb.DuckDBPyConnection, found: duckdb.DuckDBPyRelation
) -> duckdb.DuckDBPyRelation:
    """The same rows with types that files have: of sums the smallest that has all of them.  For
    that they are kept first, beyond DuckDB's memory on the disk."""
    if not any(exact.whole(found)):
        return found
    names = exact.unique(list(found.columns))
    whole = exact.whole(found)
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    kept = found.project(", ".join(f"#{n} AS {name}" for n, name in enumerate(quoted, 1)))
    database.execute(f'DROP TABLE IF EXISTS "{_KEPT}"')
    kept.create(_KEPT)
    some = [name for name, is_whole in zip(quoted, whole) if is_whole]
    ends = ", ".join(f"min({name}), max({name})" for name in some)
    [row] = database.execute(f'SELECT {ends} FROM "{_KEPT}"').fetchall()
    kinds = iter([exact.smallest(*row[n : n + 2]) for n in range(0, len(row), 2)])
    wanted = [f"{n}::{next(kinds)} AS {n}" if w else n for n, w in zip(quoted, whole)]
    return database.sql(f'SELECT {", ".join(wanted)} FROM "{_KEPT}"')
