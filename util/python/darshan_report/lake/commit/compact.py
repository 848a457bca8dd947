"""Compaction: rewrites many small files as few large ones, with rows ordered by day and, within
spans of some days, by program and user (cluster.py).

The small files remain for a while, because other processes may be reading them."""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...classes import dataclass
from . import seen, storage
from .cluster import clustered
from .commits import Change, File, Snapshot
from .parquet import writer
from .verify import hash_of

# Bytes below which a file is rewritten, and the size of large files. A new file is full at half of
# the latter, because all rows of a log go into one file.
SMALLEST, LARGEST = 64 << 20, 512 << 20
_AT_ONCE = 32 << 20  # bytes that are sorted in memory
_GROUP = 32 << 20  # bytes of a row group, before compression
# Rows per row group. Small row groups let readers skip more, but each costs about 150 bytes per
# column.
_FEW_ROWS, _ROWS_FOR_A_COLUMN = 1 << 14, 256
_MANY_SEEN = 16
_OPENED = 128  # files that are open at a time: many systems allow 1,024
# A collector rewrites files of one table, month and size class (a factor of 16) if there are _LIKE
# of them or more; at most _AT_A_COMMIT such groups after a commit.
_LIKE, _STEP_BITS, _AT_A_COMMIT = 32, 4, 4
_MOST_SEEN = 256


@dataclass
class Made:
    """The number of files that a compaction has replaced (`before`), and of those that it has
    written in their place (`after`)."""

    before: int = 0
    after: int = 0
    given_up: int = 0  # number of groups of files that another process changed at the same time


def _as(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Returns a table with the columns of the newest schema. A column that an older file lacks is
    null."""
    arrays = []
    for field in schema:
        names = (field.name, (field.metadata or {}).get(b"was", b"").decode())
        name = next((n for n in names if n in table.column_names), None)
        column = pa.nulls(len(table), field.type) if name is None else table[name]
        arrays.append(column.cast(field.type) if column.type != field.type else column)
    return pa.table(arrays, schema=schema)


def _days(file: pq.ParquetFile, group: int) -> tuple[datetime.date | None, datetime.date | None]:
    """Returns the first and the last day in a row group, which the statistics of the file tell;
    None for both if they do not. group: its number."""
    place_of = file.schema_arrow.get_field_index("day")
    found = file.metadata.row_group(group).column(place_of).statistics
    return (found.min, found.max) if found is not None and found.has_min_max else (None, None)


def _sorted_parts(paths: list[str], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yields all rows of some files by day, in parts of limited size, because not all rows fit into
    memory."""
    opened = [pq.ParquetFile(path) for path in paths]
    try:
        groups = [(f, n) for f in opened for n in range(f.num_row_groups)]
        size = sum(f.metadata.row_group(n).total_byte_size for f, n in groups)
        if size <= _AT_ONCE:
            whole = pa.concat_tables(_as(f.read_row_group(n), schema) for f, n in groups)
            order = pc.sort_indices(whole, [("day", "ascending")])
            yield whole.unify_dictionaries().take(order)
            return
        spans = [(f, n, *_days(f, n)) for f, n in groups]
        ends = {d for *_, first, last in spans for d in (first, last) if d is not None}
        yield from _of_day(spans, None, schema)
        day = min(ends, default=None)
        while day is not None:
            yield from _of_day(spans, day, schema)
            later = [max(first, _next(day)) for *_, first, last in spans
                     if first is not None and last is not None and last > day]  # fmt: skip
            day = min(later, default=None)
    finally:
        for file in opened:
            file.close()


def _next(day: datetime.date) -> datetime.date:
    return day + datetime.timedelta(days=1)


def _of_day(
    spans: list[tuple[pq.ParquetFile, int, datetime.date | None, datetime.date | None]],
    day: datetime.date | None,
    schema: pa.Schema,
) -> Iterator[pa.Table]:
    """Yields the rows of one day; with `day` None, the rows without a day. spans: each row group
    (file and number) with its first and last day."""
    for file, number, first, last in spans:
        if day is not None and (first is None or last is None or not first <= day <= last):
            continue
        group = _as(file.read_row_group(number), schema)
        if day is None:
            if group["day"].null_count:
                yield group.filter(pc.is_null(group["day"]))
        elif first == last and not group["day"].null_count:
            yield group
        else:
            yield group.filter(pc.equal(group["day"], pa.scalar(day, pa.date32())))


class _Output:
    """Writes the new files of one partition, in the columns of `schema`. A new file begins when the
    current one is large enough. files: those that are complete. folder: takes the place of the
    lake. shape: hash of the schema."""

    def __init__(self, folder: str, table: str, month: str, schema: pa.Schema, shape: str) -> None:
        self.files: list[File] = []
        self._folder, self._table, self._month = folder, table, month
        self._schema, self._shape = schema, shape
        self._writer: pq.ParquetWriter | None = None
        self._rows = 0
        self._first = self._last = ""
        self._is_full, self._last_log = False, None
        most = max(_FEW_ROWS, _ROWS_FOR_A_COLUMN * len(schema))
        self.group = max(1024, min(most, _GROUP // (8 * len(schema))))  # rows of a row group

    def write(self, rows: pa.Table) -> None:
        """Writes rows as row groups of their own. All rows of one log must follow each other."""
        if not len(rows):
            return
        logs = rows["log"]
        # All rows of a log stay in one file: sums/losses.py.
        if self._is_full and logs[0].as_py() != self._last_log:
            self.close()
        self._last_log = logs[-1].as_py()
        if self._writer is None:
            self._path = f"{self._table}/month={self._month}/{storage.new_name()}.parquet"
            target = os.path.join(self._folder, self._path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            self._sink = open(target, "wb")  # noqa: SIM115 - until close
            self._writer = writer(self._sink, self._schema)
            self._rows, self._first, self._last = 0, "", ""
        for begin in range(0, len(rows), self.group):
            self._writer.write_table(rows.slice(begin, self.group), row_group_size=self.group)
        self._rows += len(rows)
        days = pc.min_max(rows["day"]).as_py()
        if days["min"] is not None:
            self._first = min(self._first or "9", str(days["min"]))
            self._last = max(self._last, str(days["max"]))
        self._is_full = self._sink.tell() >= LARGEST // 2

    def close(self) -> None:
        """Completes the current file, flushes it to the disk and adds it to `files`. Does nothing
        if no file is open."""
        if self._writer is None:
            return
        self._writer.close()
        self._writer, self._is_full = None, False
        self._sink.flush()
        os.fsync(self._sink.fileno())
        size = self._sink.tell()
        self._sink.close()
        last = self._last
        content = hash_of(os.path.join(self._folder, self._path))
        self.files.append(
            File(self._table, self._path, self._rows, size, self._first, last, self._shape, content)
        )


def _paths(snapshot: Snapshot, table: str) -> set[str]:
    return {file.path for file in snapshot.of(table)} if table else set()


def replace(snapshot: Snapshot, change: Change, folder: str, table: str = "") -> bool:
    """Moves the files of change.add from `folder` into the lake, and commits the change. Returns
    False, without a commit, if a file to be removed is no longer in the lake, or if another process
    has changed `table` since snapshot's last refresh. table: name of a table, or ""."""
    moved: list[str] = []
    before = _paths(snapshot, table)
    try:
        for file in change.add:
            target = os.path.join(snapshot.path, file.path)
            storage.make_folders(snapshot.path, os.path.dirname(file.path))
            moved.append(file.path)
            os.rename(os.path.join(folder, file.path), target)
            storage.sync(os.path.dirname(target))
        while True:
            if any(f.path not in snapshot.files for f in change.remove):
                return False
            if not set(change.unseen) <= snapshot.seen or _paths(snapshot, table) != before:
                return False
            if snapshot.commit(change):
                moved = []
                return True
            snapshot.refresh()
    finally:
        if moved:  # the error may have come after the commit, so check the lake
            snapshot.refresh()
        for path in moved:
            if path not in snapshot.files:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(snapshot.path, path))


def _partitions(snapshot: Snapshot) -> dict[tuple[str, str], list[File]]:
    """Returns the files with fewer than SMALLEST bytes, by table and month."""
    found: dict[tuple[str, str], list[File]] = {}
    for file in snapshot.files.values():
        if file.bytes < SMALLEST:
            found.setdefault((file.table, file.month), []).append(file)
    return found


def _groups(files: list[File]) -> Iterator[list[File]]:
    """Yields groups of at most _OPENED files of neighbouring days, which are rewritten together. A
    single file is no group."""
    ordered = sorted(files, key=lambda f: (f.first, f.path))
    for begin in range(0, len(ordered), _OPENED):
        group = ordered[begin : begin + _OPENED]
        if len(group) > 1:
            yield group


class Compactor:
    """Rewrites groups of small files as large ones, with a commit for each group. schema_of:
    returns the schema of a table, by its name. shape_of: returns the hash of a schema. made: the
    counts so far."""

    def __init__(
        self,
        snapshot: Snapshot,
        schema_of: Callable[[str], pa.Schema],
        shape_of: Callable[[pa.Schema], str],
    ) -> None:
        self.snapshot = snapshot
        self._schema_of, self._shape_of = schema_of, shape_of
        self.made = Made()

    def all(self) -> None:
        """Rewrites all small files, and those of _seen. Because the result of many groups may be
        small files again, repeats this until a month of a table has at most one small file, or
        their number does not decrease."""
        for (table, month), first in sorted(_partitions(self.snapshot).items()):
            files = first
            while len(files) > 1:
                for group in _groups(files):
                    self._rewrite(table, month, group)
                before = len(files)
                files = _partitions(self.snapshot).get((table, month), [])
                if len(files) >= before:  # other processes change this month, too
                    break
        _compact_seen(self.snapshot, sorted(self.snapshot.seen), _MANY_SEEN)

    def some(self) -> None:
        """Rewrites a few groups of files of similar size, so that a month never has many small
        files, and each row is seldom rewritten. Also combines files of _seen if they are many. A
        collector calls this after a commit."""
        done = 0
        for (table, month), files in sorted(_partitions(self.snapshot).items()):
            sizes: dict[int, list[File]] = {}
            for file in files:
                sizes.setdefault(file.bytes.bit_length() // _STEP_BITS, []).append(file)
            for like in sizes.values():
                if len(like) >= _LIKE and done < _AT_A_COMMIT:
                    self._rewrite(table, month, next(_groups(like)))
                    done += 1
        folder = os.path.join(self.snapshot.path, storage.SEEN)
        if len(self.snapshot.seen) >= _MOST_SEEN:
            sized = sorted((os.path.getsize(os.path.join(folder, n)), n)
                           for n in self.snapshot.seen)  # fmt: skip
            _compact_seen(self.snapshot, sorted(n for _, n in sized[: _MOST_SEEN // 2]), 2)

    def again(self, file: File) -> None:
        """Rewrites one file that has the columns of an earlier release."""
        self._rewrite(file.table, file.month, [file])

    def _rewrite(self, table: str, month: str, group: list[File]) -> None:
        """Replaces these files of a table and month by files with the same rows, in one commit.
        Gives up, and counts that, if another process changed one of them."""
        lake = self.snapshot.path
        folder = os.path.join(lake, storage.WORK, storage.new_name())
        os.makedirs(folder)
        try:
            schema = self._schema_of(table)
            output = _Output(folder, table, month, schema, self._shape_of(schema))
            parts = _sorted_parts([os.path.join(lake, f.path) for f in group], schema)
            for rows in clustered(parts, output.group):
                output.write(rows)
            output.close()
            if replace(self.snapshot, Change("compact", output.files, group), folder):
                self.made.before += len(group)
                self.made.after += len(output.files)
            else:
                self.made.given_up += 1
        except FileNotFoundError:  # another process pruned the files
            self.made.given_up += 1
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def compact(
    lake: str,
    schema_of: Callable[[str], pa.Schema],
    shape_of: Callable[[pa.Schema], str],
) -> Made:
    """Rewrites all small files of a lake as large ones, and writes a state. schema_of: returns the
    schema of a table, by its name. shape_of: returns the hash of a schema. Returns the counts."""
    compactor = Compactor(Snapshot(lake), schema_of, shape_of)
    compactor.all()
    compactor.snapshot.write_state()
    return compactor.made


def _compact_seen(snapshot: Snapshot, names: list[str], least: int) -> None:
    if len(names) < least:
        return
    known = seen.Seen(snapshot.path)
    known.update(set(names))
    name = seen.write(snapshot.path, np.unique(known.all()))
    # A later sweep removes the new file if it was not committed.
    replace(snapshot, Change("compact", seen=[name], unseen=names), "")
