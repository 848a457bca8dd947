"""The rows of a query result in batches, for results that do not fit into memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa

from ...commit.storage import LakeError
from . import exact

_CELLS = 1 << 18  # rows times columns that are in memory together
_KEPT = "rows of the answer"


class Stream:
    """A query result that can be read once, in batches."""

    def __init__(self, found: duckdb.DuckDBPyRelation | None) -> None:
        """Reads the first batch. found: None for a result without rows. Raises LakeError or
        duckdb.Error if the query fails before the first batch."""
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

    @classmethod
    def of(cls, table: pa.Table) -> Stream:
        """Returns an Arrow table as a result that can be read once."""
        made = cls(None)
        made.columns = list(table.column_names)
        made._whole = [False] * len(made.columns)
        made._reader = table.to_reader()
        made._batches = made._read()
        return made

    def _read(self) -> Iterator[pa.RecordBatch]:
        while True:
            try:
                batch = self._reader.read_next_batch()
            except StopIteration:
                return
            except (OSError, pa.ArrowException) as error:  # DuckDB's errors come as either type
                raise LakeError(str(error).strip()) from None
            yield batch

    @property
    def schema(self) -> pa.Schema:
        """The schema of the batches."""
        if not self.columns:
            return pa.schema([])
        kinds: pa.Schema = self._reader.schema
        return pa.schema([(name, field.type) for name, field in zip(self.columns, kinds)])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yields the batches as Arrow data. Integer sums of any size are strings of digits."""
        for batch in self._batches:
            yield batch.rename_columns(self.columns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yields the rows as tuples."""
        for batch in self._batches:
            columns = [exact.values(column) for column in batch.columns]
            for place, whole in enumerate(self._whole):
                if whole:
                    columns[place] = [None if v is None else int(v) for v in columns[place]]
            yield from zip(*columns)


def typed(
    database: duckdb.DuckDBPyConnection, found: duckdb.DuckDBPyRelation
) -> duckdb.DuckDBPyRelation:
    """Returns the same rows with types that files of Parquet support. Each integer sum gets the
    smallest type that can represent all its values. To find it, DuckDB first stores the rows, on
    the disk if its memory is full."""
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
