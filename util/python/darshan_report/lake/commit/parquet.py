"""How files of Parquet are written again: as they were written first (write/arrow.py), texts
with dictionaries, and sums of each page, by which a check knows that it is what was written."""

from __future__ import annotations

from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from .. import words

LEVEL = 3  # of compression: what is written again is read for years


class _Writer(pq.ParquetWriter):
    def write_table(self, table: pa.Table, row_group_size: int | None = None) -> None:
        """Rows, and the words of these rows."""
        super().write_table(words.of_its_rows(table), row_group_size)


def writer(target: str | IO[bytes], schema: pa.Schema, level: int = LEVEL) -> pq.ParquetWriter:
    """A file that is to be filled group by group."""
    return _Writer(
        target,
        schema,
        compression="zstd",
        compression_level=level,
        use_dictionary=[f.name for f in schema if pa.types.is_dictionary(f.type)],
        write_page_checksum=True,
    )
