"""Rewrites Parquet files without some of their rows."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import storage
from .commits import Change, File, Snapshot
from .parquet import writer
from .verify import hash_of


def _without(source: str, target: str, logs: pa.Array) -> tuple[int, int]:
    """Copies a Parquet file without the rows of some logs, one row group at a time. Returns how
    many rows remain, and how many were left out."""
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
    """Removes all rows of some logs from files that are not committed yet, and deletes files
    without further rows. folder: contains the files. logs: their identities, as in the column
    `log`. Returns the files that still have rows."""
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
            more = {"rows": left, "bytes": os.path.getsize(source), "hash": hash_of(source)}
            found.append(File(**{**vars(file), **more}))
            storage.sync(source)
        else:
            os.unlink(target)
            os.unlink(source)
    return found


def rewritten(
    lake: str, folder: str, file: File, goes: Callable[[pa.Table], pa.Array]
) -> tuple[File | None, int]:
    """Writes a copy of a lake's file, without some rows, below `folder`, one row group at a time.
    goes: returns a mask of the rows to leave out. Returns the copy and the number of rows left out.
    If no row remains, or none was left out, removes the copy and returns None in its place."""
    path = f"{file.table}/month={file.month}/{storage.new_name()}.parquet"
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    left = gone = 0
    first = last = ""
    with (
        pq.ParquetFile(os.path.join(lake, file.path)) as source,
        writer(target, source.schema_arrow) as made,
    ):
        for number in range(source.num_row_groups):
            rows = source.read_row_group(number)
            kept = rows.filter(pc.invert(goes(rows)))
            left, gone = left + len(kept), gone + len(rows) - len(kept)
            if len(kept):
                made.write_table(kept)
                # Rows of a compacted file are not ordered by day.
                days = pc.min_max(kept["day"]).as_py()
                if days["min"] is not None:
                    first = min(first or "9", str(days["min"]))
                    last = max(last, str(days["max"]))
    storage.sync(target)
    if not left or not gone:
        os.unlink(target)
        return None, gone
    size = os.path.getsize(target)
    return File(file.table, path, left, size, first, last, file.shape, hash_of(target)), gone


def _is_of(logs: pa.Array, rows: pa.Table) -> pa.Array:
    """Returns a mask of the rows whose log is one of these, given by their identities."""
    return pc.is_in(rows["log"].cast(pa.string()), value_set=logs)


def without_logs(
    snapshot: Snapshot, logs: Mapping[str, set[str]], folder: str, change: Change
) -> None:
    """Rewrites files of the lake without the rows of some logs. Writes the copies below `folder`
    and adds them to `change`. logs: the logs to leave out, by path of the file."""
    for path, gone in logs.items():
        file = snapshot.files[path]
        mask = functools.partial(_is_of, pa.array(sorted(gone), pa.string()))
        new, number = rewritten(snapshot.path, folder, file, mask)
        if number:
            change.remove.append(file)
            change.add += [new] if new else []
