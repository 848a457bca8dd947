"""Files of Parquet without some of their rows, before anybody sees them."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import place
from .commits import File
from .parquet import writer


def _without(source: str, target: str, logs: pa.Array) -> tuple[int, int]:
    """Copies a file but for the rows of these logs, a group of rows at a time; how many rows
    are left, and how many are gone."""
    left = gone = 0
    with (
        pq.ParquetFile(source) as file,
        writer(target, file.schema_arrow, 1) as made,
    ):
        for number in range(file.num_row_groups):
            group = file.read_row_group(number)
            kept = group.filter(pc.invert(pc.is_in(group["log"].cast(pa.string()), value_set=logs)))
            left += len(kept)
            gone += len(group) - len(kept)
            if len(kept):
                made.write_table(kept)
    return left, gone


def leave_out(folder: str, files: Sequence[File], logs: Sequence[str]) -> list[File]:
    """Takes all rows of these logs out of the files below a folder; what is left of them."""
    found: list[File] = []
    for file in files:
        source = os.path.join(folder, file.path)
        target = f"{source}.new"
        left, gone = _without(source, target, pa.array(logs, pa.string()))
        if not gone:
            os.unlink(target)
            found.append(file)
        elif left:
            os.replace(target, source)
            more = {"rows": left, "bytes": os.path.getsize(source)}
            found.append(File(**{**vars(file), **more}))
            place.sync(source)
        else:
            os.unlink(target)
            os.unlink(source)
    return found
