"""The settings of rewritten Parquet files, which equal those in write/arrow.py: strings have
dictionaries, and each page has a checksum, with which `darshan lake check` finds damage."""

from __future__ import annotations

from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from .. import dictionaries

LEVEL = 3  # of compression: a rewritten file is read for years


class _Writer(pq.ParquetWriter):  # type: ignore[misc]  # pyarrow has no types
    def write_table(self, table: pa.Table, row_group_size: int | None = None) -> None:
        """Writes rows. Dictionaries contain only the strings of these rows."""
        super().write_table(dictionaries.of_its_rows(table), row_group_size)


def writer(target: str | IO[bytes], schema: pa.Schema, level: int = LEVEL) -> pq.ParquetWriter:
    """Opens a Parquet file for writing, one row group at a time. Returns the writer. level: of
    compression."""
    return _Writer(
        target,
        schema,
        compression="zstd",
        compression_level=level,
        use_dictionary=[f.name for f in schema if pa.types.is_dictionary(f.type)],
        write_page_checksum=True,
    )
