"""Makes the sums of files of a lake.

Each file of a table, whose rows never change, has one small file below _sums. Sums are not part of
commits, but commits determine them: the sums of a lake are the sums of its files, and the sums of a
replaced file are no longer used. A process that finds missing sums makes them, because the process
that should have made them may have been killed."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..commit import storage
from ..commit.commits import File, Snapshot
from .kinds import KINDS, Kind

FOLDER = "_sums"


def path_of(file: File) -> str:
    """Returns the path of the sums of a file, relative to the lake. They may not exist yet."""
    _, month, name = file.path.split("/")
    return f"{FOLDER}/{KINDS[file.table].folder}/{month}/{name}"


def sources(snapshot: Snapshot) -> Iterator[File]:
    """Yields the files of a lake that should have sums: those of the tables in KINDS."""
    return (file for file in snapshot.files.values() if file.table in KINDS)


def there(lake: str) -> set[str]:
    """Returns the paths of all existing sums, relative to the lake."""
    top = os.path.join(lake, FOLDER)
    return {
        os.path.relpath(os.path.join(folder, name), lake)
        for folder, _, names in os.walk(top)
        for name in names
    }


def _added(kind: Kind, rows: pa.Table, names: Iterable[str]) -> pa.Table:
    how = pc.ScalarAggregateOptions(skip_nulls=True, min_count=1)  # of nulls alone: null
    names = list(names)
    made = rows.group_by(list(kind.keys), use_threads=False)
    found = made.aggregate([(name, "sum", how) for name in names])
    return found.select([*kind.keys, *(f"{name}_sum" for name in names)]).rename_columns(
        [*kind.keys, *names]
    )


def _of_rows(kind: Kind, rows: pa.Table) -> pa.Table:
    """Returns the sums of some rows of a table, whose kind computes them column by column."""
    values = {name: rows[name] for name in kind.keys}
    values = {n: pc.cast(v, pa.string()) if n != "day" else v for n, v in values.items()}
    values[kind.rows] = pa.repeat(pa.scalar(1, pa.int64()), len(rows))
    for one in kind.sums:
        values[one.name] = one.value(*(rows[name] for name in one.of))
    return _added(kind, pa.table(values), (kind.rows, *(one.name for one in kind.sums)))


def sums_of(path: str, table: str) -> pa.Table | None:
    """Returns the sums of the file at `path`; None if it has no rows, or lacks columns, because
    another release wrote it. table: its name."""
    kind = KINDS[table]
    with pq.ParquetFile(path) as file:
        if not set(kind.columns) <= set(file.schema_arrow.names):
            return None
        if kind.whole is not None:
            made: pa.Table = kind.whole(file) if file.num_row_groups else None
            return made
        parts = [
            _of_rows(kind, file.read_row_group(number, kind.columns))
            for number in range(file.num_row_groups)
        ]
    if not parts:
        return None
    whole = pa.concat_tables(parts)
    names = (kind.rows, *(one.name for one in kind.sums))
    return (_added(kind, whole, names) if len(parts) > 1 else whole).sort_by("day")


def write(lake: str, file: File, target: str) -> bool:
    """Writes the sums of a file to the new file `target`. Returns False, without writing, if it
    cannot have any."""
    found = sums_of(os.path.join(lake, file.path), file.table)
    if found is None:
        return False
    pq.write_table(found, target, compression="zstd", write_page_checksum=True)
    return True


def complete(snapshot: Snapshot, known: set[str] | None = None) -> int:
    """Makes the sums that a lake lacks, and returns how many it has made, 0 if none is missing.
    known: paths of existing sums, to which the paths of new ones, and of those that cannot be made,
    are added."""
    known = there(snapshot.path) if known is None else known
    lacking = [file for file in sources(snapshot) if path_of(file) not in known]
    if not lacking:
        return 0
    folder = os.path.join(snapshot.path, storage.WORK, storage.new_name())
    os.makedirs(folder)
    made = 0
    try:
        for file in lacking:
            beside, path = os.path.join(folder, "sums"), path_of(file)
            with contextlib.suppress(FileNotFoundError):  # another process replaced the file
                if write(snapshot.path, file, beside):
                    target = os.path.join(snapshot.path, path)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    os.rename(beside, target)
                    made += 1
            known.add(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return made


def unused(snapshot: Snapshot) -> dict[str, str]:
    """Returns the paths of sums whose files the lake no longer has, each with the path of its file;
    "" if that is unknown."""
    used = {path_of(file) for file in sources(snapshot)}
    # A file and its sums have the same month and name, no matter which release made the sums.
    gone = {path.split("/", 1)[1]: path
            for path in snapshot.replaced if path.split("/")[0] in KINDS}  # fmt: skip
    return {
        path: gone.get("/".join(path.split("/")[-2:]), "") for path in there(snapshot.path) - used
    }


def damaged(lake: str) -> Iterator[str]:
    """Yields a line for each file of sums that is damaged, according to the checksums of its pages.
    lake: path of the lake."""
    for path in sorted(there(lake)):
        try:
            whole = os.path.join(lake, path)
            pq.read_table(whole, partitioning=None, page_checksum_verification=True)
        except FileNotFoundError:
            continue  # swept in the meantime
        except (OSError, pa.ArrowException) as error:
            said = str(error).split("\n", 1)[0]
            yield f"{path}: {said}; remove it, and use darshan lake compact to make it anew"
