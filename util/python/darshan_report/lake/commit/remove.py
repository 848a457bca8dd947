"""Removes log files after a lake has all their rows. The rows are first read back from the disk."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..read import files
from ..read.files import Found
from .commits import File, Snapshot
from .storage import LakeError

if TYPE_CHECKING:
    from ..write.part import Part


def _read_back(lake: str, file: File) -> None:
    """Reads every page of a file, one row group at a time. Raises LakeError if rows are missing."""
    with pq.ParquetFile(os.path.join(lake, file.path), page_checksum_verification=True) as opened:
        rows = sum(len(opened.read_row_group(n)) for n in range(opened.num_row_groups))
    if rows != file.rows:
        raise LakeError(
            f"{file.path} has {rows} rows, but {file.rows} were written; its logs are not removed"
        )


def _named(lake: str, some: Iterable[File], logs: pa.Array) -> set[str]:
    """Returns the logs, out of `logs`, that have rows in the files `some`."""
    found: set[str] = set()
    for file in some:
        with pq.ParquetFile(os.path.join(lake, file.path)) as opened:
            for number in range(opened.num_row_groups):
                column = opened.read_row_group(number, columns=["log"])["log"].cast(pa.string())
                found |= set(column.filter(pc.is_in(column, value_set=logs)).to_pylist())
    return found


def _texts(rows: np.ndarray) -> list[str]:
    return [files.Identity(int(row["high"]), int(row["low"])).text for row in rows]


def remove(snapshot: Snapshot, part: Part) -> int:
    """Removes the log files of a part whose rows are in the lake, and returns their number. Logs
    with rows in the table problems, and files that changed after they were read, remain."""
    lake = snapshot.path
    new, old = _texts(part.seen), _texts(part.copies)
    for file in part.files:
        _read_back(lake, file)
    there: set[str] = set()
    bad: set[str] = set()
    for logs, before in ((new, False), (old, True)):
        if not logs:
            continue
        some = snapshot.files.values() if before else part.files
        wanted = pa.array(logs, pa.string())
        there |= _named(lake, (f for f in some if f.table == "jobs"), wanted)
        bad |= _named(lake, (f for f in some if f.table == "problems"), wanted)
    return sum(_removed(found, there - bad) for found in (*part.read, *part.known))


def _removed(found: Found, there: set[str]) -> bool:
    with contextlib.suppress(OSError):
        which, state = files.identity(found.path, secret=found.secret)
        if which.text in there and files.state(found.path) == state:
            os.unlink(found.path)
            return True
    return False
