"""The kinds of sums. The rows of a table are added up by day, user and program; rows of records
also by file system, and rows of lines of code also by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...classes import dataclass
from . import lines, losses

# Sums of whole numbers may have more than 64 bits.
_LARGE = pa.decimal128(38, 0)
Array = Any  # of pyarrow, which has no types


@dataclass(frozen=True)
class Sum:
    """One column of sums. of: the table's columns from which its value is computed. value: returns
    the value of each row, from these columns as Arrow arrays."""

    name: str
    of: tuple[str, ...]
    value: Callable[..., Array]


@dataclass(frozen=True)
class Kind:
    """Defines the sums of one table of a lake: the columns by which its rows are grouped (`keys`),
    and the columns that are added up (`sums`). A kind with `whole` computes its sums in a way of
    its own instead."""

    table: str  # name of the sums in SQL; several tables may have their sums in it
    keys: tuple[str, ...]
    rows: str = ""  # the column that has the number of rows
    sums: tuple[Sum, ...] = ()
    whole: Callable[[Any], Array] | None = None  # makes the sums of an open file, not from `sums`
    others: tuple[str, ...] = ()  # columns that it needs
    made: tuple[str, ...] = ()  # columns that it makes
    version: int = 1  # version of the columns: sums of other versions are made again

    @property
    def names(self) -> list[str]:
        """The names of the columns of the sums."""
        return [*(self.made or (*self.keys, self.rows, *(one.name for one in self.sums)))]

    @property
    def folder(self) -> str:
        """The name of the folder, below _sums, with the files of these sums."""
        return self.table if self.version == 1 else f"{self.table}-{self.version}"

    @property
    def columns(self) -> list[str]:
        """The columns of the table from which the sums are computed."""
        of = dict.fromkeys(name for one in self.sums for name in one.of)
        return [*dict.fromkeys(self.others or (*self.keys, *of))]


def _whole(values: Array) -> Array:
    return pc.cast(values, _LARGE)


def _or_zero(values: Array) -> Array:
    return pc.fill_null(values, 0.0)


def _io(said: Array, read: Array, write: Array, meta: Array) -> Array:
    """Returns the I/O seconds of each job, as Arrow arrays; question.IO computes the same in SQL.
    said: the stored value, null if unknown. read, write, meta: seconds of the layers."""
    lowest = pc.add(pc.add(_or_zero(read), _or_zero(write)), _or_zero(meta))
    return pc.coalesce(said, lowest)


def _all(above: Array, *io: Array) -> Array:
    return pc.max_element_wise(_io(*io), _or_zero(above))


def _number(mask: Array) -> Array:
    return pc.cast(pc.fill_null(mask, False), pa.int64())


def _same(values: Array) -> Array:
    return values


def _is_null(values: Array) -> Array:
    return _number(pc.is_null(values))


_BASE = ("day", "user", "program")
_IO = ("io_seconds", "read_seconds", "write_seconds", "meta_seconds")


def _of_records(prefix: str) -> Kind:
    """Returns the kind of the sums of records with this prefix of counters, POSIX or STDIO."""
    return Kind(
        "sums_files",
        (*_BASE, "mount", "file_system"),
        "records",
        (
            Sum("bytes_read", (f"{prefix}_BYTES_READ",), _whole),
            Sum("bytes_written", (f"{prefix}_BYTES_WRITTEN",), _whole),
            Sum("transfer_seconds", (f"{prefix}_F_READ_TIME", f"{prefix}_F_WRITE_TIME"), pc.add),
            Sum("meta_seconds", (f"{prefix}_F_META_TIME",), _same),
        ),
    )


# By the table whose rows are added up.
KINDS: Mapping[str, Kind] = {
    "jobs": Kind(
        "sums_jobs",
        _BASE,
        "jobs",
        (
            Sum("bytes_read", ("bytes_read",), _whole),
            Sum("bytes_written", ("bytes_written",), _whole),
            Sum("io_seconds", _IO, _io),
            Sum("all_layers_seconds", ("all_layers_seconds", *_IO), _all),
            Sum("process_seconds", ("process_seconds",), _same),
            Sum("partial", ("partial",), _number),
            Sum("not_looked", ("problems",), _is_null),
        ),
    ),
    "files_posix": _of_records("POSIX"),
    "files_stdio": _of_records("STDIO"),
    "findings": Kind(
        "sums_findings",
        losses.KEYS,
        whole=losses.sums_of,
        others=losses.COLUMNS,
        made=losses.NAMES,
        version=2,
    ),
    "sites": Kind(
        "sums_lines", lines.KEYS, whole=lines.sums_of, others=lines.COLUMNS, made=lines.NAMES
    ),
}
TABLES = tuple(dict.fromkeys(kind.table for kind in KINDS.values()))
