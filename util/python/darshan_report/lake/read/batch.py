"""Many logs as columns: the library's batches, seen as numpy arrays.

Nothing here goes from record to record: the library fills the columns, with the lock of
the interpreter released, and the arrays are views of its memory.
"""

from __future__ import annotations

import ctypes
import enum
import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import library, structs

TRACES = 1  # enum darshan_batch_flags


class Kind(enum.IntEnum):
    """What a row of a table is: enum darshan_table_kind."""

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
    """One table of a batch.  A column of texts holds places in the texts, -1: none."""

    kind: Kind
    module: int  # -1: of none
    rows: int
    arrays: dict[str, np.ndarray]
    texts: frozenset[str]  # names of the columns of texts


@dataclass(frozen=True, eq=False)
class Texts:
    """All texts of a batch, one behind the other, in UTF-8."""

    offsets: npt.NDArray[np.int32]
    data: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> str:
        """One of them; of -1 an empty one."""
        if place < 0:
            return ""
        return self.data[self.offsets[place] : self.offsets[place + 1]].tobytes().decode()


def _array(address: int | None, form: str, count: int) -> np.ndarray:
    if not address or not count:
        return np.empty(0, form)
    memory = (ctypes.c_char * (count * np.dtype(form).itemsize)).from_address(address)
    return np.frombuffer(memory, form)


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
    """Takes logs until it is full.  Its arrays hold until the next read or clear."""

    def __init__(self, size: int, traces: bool = False) -> None:
        """size: bytes of all columns together, more or less."""
        self._library = library.load()
        error = structs.Error()
        self._handle: Any = self._library.darshan_batch_new(
            size, TRACES if traces else 0, ctypes.byref(error)
        )
        if not self._handle:
            raise MemoryError(library.message(error))
        self._finalizer = weakref.finalize(self, self._library.darshan_batch_free, self._handle)

    def close(self) -> None:
        """Frees the memory; no array of it may be used any more."""
        self._finalizer()

    def read(self, paths: Sequence[str]) -> int:
        """Reads logs; how many are through.  If not all, the batch is full, and goes on with
        the first that is not when it is cleared."""
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
        """The tables that have rows."""
        count = self._library.darshan_batch_num_tables(self._handle)
        return [
            _columns(self._library.darshan_batch_table(self._handle, number).contents)
            for number in range(count)
        ]

    @property
    def texts(self) -> Texts:
        """What the columns of texts mean."""
        found: structs.Texts = self._library.darshan_batch_texts(self._handle).contents
        offsets = _array(found.offsets, "<i4", found.count + 1)
        if not found.count:
            return Texts(np.zeros(1, "<i4"), np.empty(0, "u1"))
        return Texts(offsets, _array(found.bytes, "u1", int(offsets[-1])))

    def clear(self) -> None:
        """Makes room."""
        self._library.darshan_batch_clear(self._handle)
