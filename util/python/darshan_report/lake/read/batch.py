"""Reads many logs as columns: the batches of libdarshan-read as numpy arrays.

No Python code runs per record. The library fills the columns while the interpreter's lock is
released, and the arrays are views of its memory."""

from __future__ import annotations

import ctypes
import enum
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import library, structs
from ...classes import dataclass

TRACES = 1  # enum darshan_batch_flags


class Kind(enum.IntEnum):
    """The meaning of a table's rows: enum darshan_table_kind."""

    LOGS = 0
    PROBLEMS = 1
    RECORDS = 2
    TOTALS = 3


# enum darshan_column_type
I64, U64, F64, TEXT, I32, UUID = range(6)
_TYPES = {I64: "<i8", U64: "<u8", F64: "<f8", TEXT: "<i4", I32: "<i4", UUID: "V16"}
_SIZES = {kind: np.dtype(form).itemsize for kind, form in _TYPES.items()}


@dataclass(frozen=True, eq=False)
class Columns:
    """One table of a batch. arrays: a value per row, by the names of columns. A column of strings
    has indices into the batch's strings; -1: null."""

    kind: Kind
    module: int  # -1: no module
    rows: int
    arrays: dict[str, np.ndarray]
    texts: frozenset[str]  # names of the columns of strings


@dataclass(frozen=True, eq=False)
class Texts:
    """All strings of a batch, concatenated in UTF-8. texts[n] is the string with the index n; len()
    is their number."""

    offsets: npt.NDArray[np.int32]  # the begin of each string in data, and the end of the last
    data: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> str:
        """Returns the string with this index; "" for -1."""
        if place < 0:
            return ""
        return self.data[self.offsets[place] : self.offsets[place + 1]].tobytes().decode()


def _array(address: int | None, form: str, count: int) -> np.ndarray:
    if not address or not count:
        return np.empty(0, form)
    memory = (ctypes.c_char * (count * np.dtype(form).itemsize)).from_address(address)
    return np.frombuffer(memoryview(memory), np.dtype(form))


def _columns(table: structs.Table) -> Columns:
    arrays: dict[str, np.ndarray] = {}
    texts = set()
    for column in table.columns[: table.num_columns]:
        name = library.text(column.name)
        arrays[name] = _array(column.values, _TYPES[column.type], table.rows)
        if column.type == TEXT:
            texts.add(name)
    return Columns(Kind(table.kind), table.module, table.rows, arrays, frozenset(texts))


class Batch:
    """Columns of many logs in memory. read() adds logs until the batch is full. Its arrays are
    valid only until the next read or clear."""

    def __init__(self, size: int, traces: bool = False) -> None:
        """Creates an empty batch. size: approximate bytes of all columns together. traces: whether
        to read traces, too. Raises MemoryError if there is no memory for it."""
        self._library = library.load()
        error = structs.Error()
        self._handle: Any = self._library.darshan_batch_new(
            size, TRACES if traces else 0, ctypes.byref(error)
        )
        if not self._handle:
            raise MemoryError(library.message(error))
        self._finalizer = weakref.finalize(self, self._library.darshan_batch_free, self._handle)

    def close(self) -> None:
        """Frees the memory, which makes the arrays invalid."""
        self._finalizer()

    def read(self, paths: Sequence[str]) -> int:
        """Reads logs and returns how many are done: read to their end, or not readable (the table
        of problems has the reason). If not all are done, the batch is full: after clear(), the
        caller passes the remaining logs, and the library continues within the first of them. Raises
        MemoryError."""
        names = (ctypes.c_char_p * len(paths))(*map(os.fsencode, paths))
        error = structs.Error()
        done: int = self._library.darshan_batch_read(
            self._handle, names, len(paths), ctypes.byref(error)
        )
        if done < 0:
            raise MemoryError(library.message(error))
        return done

    @property
    def tables(self) -> list[Columns]:
        """The tables that have rows: the logs, their problems, and records and totals of each
        module."""
        count = self._library.darshan_batch_num_tables(self._handle)
        return [
            _columns(self._library.darshan_batch_table(self._handle, number).contents)
            for number in range(count)
        ]

    @property
    def texts(self) -> Texts:
        """The strings that the columns of strings index."""
        found: structs.Texts = self._library.darshan_batch_texts(self._handle).contents
        offsets = _array(found.offsets, "<i4", found.count + 1)
        if not found.count:
            return Texts(np.zeros(1, "<i4"), np.empty(0, "u1"))
        return Texts(offsets, _array(found.bytes, "u1", int(offsets[-1])))

    def clear(self) -> None:
        """Removes all rows from the batch, so that it can be filled again."""
        self._library.darshan_batch_clear(self._handle)
