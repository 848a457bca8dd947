"""Adds rows to a table in one commit. They replace rows with the same key and a near day."""

from __future__ import annotations

import datetime
import functools
import os
import shutil
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...classes import dataclass
from ..columns import Table
from ..commit import modes, storage
from ..commit.commits import Change, File, Snapshot
from ..commit.compact import replace
from ..commit.delete_rows import rewritten
from ..write import arrow
from ..write.part import Writer

_LEVEL = 3  # of compression
# Rows of this many days before and after are replaced, too: a job that was queued again begins on a
# later day than its earlier row says.
_DAYS = datetime.timedelta(days=40)


@dataclass
class Replaced:
    """The number of rows that were added to a table, and of the earlier rows that they replaced."""

    rows: int = 0
    replaced: int = 0

    def __add__(self, other: Replaced) -> Replaced:
        return Replaced(self.rows + other.rows, self.replaced + other.replaced)


def _keys(rows: pa.Table, key: Sequence[str]) -> pa.Array:
    """Returns a string for each row that is equal if the columns `key` are equal."""
    parts = []
    for name in key:
        column = rows[name].combine_chunks()
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.int64())
        parts.append(pc.fill_null(column.cast(pa.string()), "\x00"))
    return pc.binary_join_element_wise(*parts, "\x1f")


def _last(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """Returns the rows of a table without those whose key a later row has, too."""
    places = {text: place for place, text in enumerate(_keys(table, key).to_pylist())}
    return table.take(pa.array(sorted(places.values()), pa.int64()))


def _has(known: pa.Array, key: Sequence[str], rows: pa.Table) -> pa.Array:
    return pc.is_in(_keys(rows, key), value_set=known)


def _may_have(file: File, days: pa.ChunkedArray) -> bool:
    if not file.first:
        return True
    ends = pc.min_max(days).as_py()
    return bool(file.first <= str(ends["max"] + _DAYS) and file.last >= str(ends["min"] - _DAYS))


def _change(
    snapshot: Snapshot, folder: str, table: pa.Table, name: str, key: Sequence[str]
) -> tuple[Change, int]:
    """Writes the files of a commit below `folder`: the new rows of the table `name`, and its files
    without rows that have the same key. Returns the commit and the number of replaced rows."""
    change, replaced = Change("collect"), 0
    known = _keys(table, key)
    for file in snapshot.of(name):
        if not _may_have(file, table["day"]):
            continue
        path = os.path.join(snapshot.path, file.path)
        there = pq.read_table(path, columns=list(key), partitioning=None)
        if not pc.any(_has(known, key, there)).as_py():
            continue
        goes = functools.partial(_has, known, key)
        new, gone = rewritten(snapshot.path, folder, file, goes)
        replaced += gone
        change.remove.append(file)
        change.add += [new] if new else []
    writer = Writer(folder, _LEVEL)
    months = pc.strftime(table["day"], format="%Y-%m")
    for month in sorted(set(months.to_pylist())):
        rows = table.filter(pc.equal(months, month))
        writer.write(name, month, rows.take(pc.sort_indices(rows, [("day", "ascending")])))
    change.add += writer.files
    return change, replaced


def replace_table(lake: str, name: str, rows: pa.Table, key: Sequence[str]) -> Replaced:
    """Commits rows to the lake's table `name`. They replace existing rows with the same key, in
    files whose days are at most 40 days away. key: the columns whose values are the key. If several
    of the given rows have the same key, the last counts. The rows have all columns of the table;
    `day` is never null. Returns how many rows were added and replaced."""
    snapshot = Snapshot(lake)
    table = _last(rows, key)
    mode = modes.of_lake(lake)
    while True:
        folder = os.path.join(lake, storage.WORK, storage.new_name())
        os.makedirs(folder)
        try:
            change, replaced = _change(snapshot, folder, table, name, key)
            for file in change.add:
                if mode is not None:
                    modes.give(os.path.join(folder, file.path), mode)
            if replace(snapshot, change, folder, name):
                return Replaced(len(table), replaced)
        except FileNotFoundError:  # another process rewrote a file
            pass
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        snapshot.refresh()


def replace_rows(
    lake: str, table: Table, rows: list[dict[str, Any]], key: Sequence[str]
) -> Replaced:
    """Commits rows, which are dicts by column name, to a lake's table. They replace existing rows
    with the same key (see replace_table). key: the columns whose values are the key. Missing
    columns become null. Returns how many rows were added and replaced."""
    return replace_table(lake, table.name, arrow.rows(table, rows), key)
