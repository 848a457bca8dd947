"""The tables of one full batch in Arrow: the library's columns, with the log's user and program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...measure.programs import split
from ...tables import Module, module_by_id
from .. import columns
from ..read.batch import Columns, Kind, Texts
from . import arrow
from .hide import Hide
from .jobs import Job

Places = npt.NDArray[np.int64]


class Whose:
    """The columns that every table begins with, for rows that have the index of their log."""

    def __init__(self, jobs: list[Job], first: int) -> None:
        """Takes the jobs of a batch; first is the index of the first of them among all logs of the
        batch."""
        self._first = first
        self._columns = {
            "log": arrow.of_values([j.identity for j in jobs]),
            "day": pa.array([j.day for j in jobs], pa.date32()),
            "user": arrow.of_values([j.user for j in jobs]),
            "program": arrow.of_values([j.program for j in jobs]),
        }
        self.months = [j.month for j in jobs]
        # Rows are sorted by day; the rows of one log stay together.
        self._order = np.array([j.day.toordinal() if j.day else 0 for j in jobs], "i8")

    def places(self, logs: Places) -> Places:
        """Returns, for indices among all logs of the batch, the indices among these jobs."""
        return logs - self._first

    def columns(self, places: Places) -> list[pa.Array]:
        """Returns the columns for rows with these indices."""
        take = pa.array(places)
        return [self._columns[c.name].take(take) for c in columns.WHOSE]

    def parts(self, places: Places) -> Iterator[tuple[str, Places | None]]:
        """Yields the months of the rows, with the rows of each month in the order of days.  Rows
        are None if the table is one month and already in order."""
        if not len(places):
            return
        names = [self.months[p] for p in np.unique(places)]
        order = self._order[places]
        ordered = bool((order[1:] >= order[:-1]).all())
        if len(set(names)) == 1:
            yield names[0], None if ordered else np.argsort(order, kind="stable")
            return
        by_row = np.array(self.months)[places]
        for month in sorted(set(names)):
            rows = np.flatnonzero(by_row == month)
            yield month, rows[np.argsort(order[rows], kind="stable")]


class Tables:
    """Makes tables of the columns of one batch; valid until the batch is cleared."""

    def __init__(self, texts: Texts, whose: Whose, hide: Hide) -> None:
        self._texts = texts
        self._whose = whose
        self._hide = hide
        self._dictionary = arrow.Dictionary(texts)

    def each(self, found: Columns) -> Iterator[tuple[str, str, pa.Table]]:
        """Yields the name of a table, a month and the rows of that month."""
        module = module_by_id(found.module)
        if module is None:
            return
        total = found.kind is Kind.TOTALS
        table = columns.total_table(module) if total else columns.record_table(module)
        places = self._whose.places(found.arrays["log"])
        arrays: list[pa.Array] = self._whose.columns(places)
        own = self._own(module, found)
        arrays += [
            own[c.name] if c.name in own else self._column(found, c)
            for c in table.columns[len(columns.WHOSE) :]
        ]
        whole = pa.table(arrays, schema=arrow.schema(table))
        for month, rows in self._whose.parts(places):
            yield table.name, month, whole if rows is None else whole.take(pa.array(rows))

    def _column(self, found: Columns, column: columns.Column) -> pa.Array:
        array = found.arrays[column.name]
        if column.type == columns.TEXT:
            made = self._dictionary.column(array)
            return self._hide.column(made) if column.secret else made
        if column.type == columns.UUID:
            data = pa.py_buffer(np.ascontiguousarray(array))
            return pa.Array.from_buffers(pa.binary(16), len(array), [None, data])
        return arrow.counter(array, column)

    def _own(self, module: Module, found: Columns) -> dict[str, pa.Array]:
        """Makes the columns that are computed from other columns."""
        if found.kind is Kind.TOTALS:
            return {}
        if module.name == "HEATMAP":
            return {"layer": self._of_texts(found.arrays["name"], _after_colon)}
        if module.name in columns.TRACES:
            return _of_trace(module, found)
        if module.name == "PROCESS":
            many = found.arrays["PROCESS_PROGRAMS"] > found.arrays["PROCESS_COUNT"].clip(1)
            number = 1 + int(many.any())
            return {
                "name": self._of_texts(found.arrays["name"], lambda n: n, True),
                "host": self._of_texts(found.arrays["name"], lambda n: split(n, 1)[0], True),
                "command": self._of_texts(
                    found.arrays["name"], lambda n: split(n, number)[1], True
                ),
            }
        return {}

    def _of_texts(self, places: np.ndarray, make: Any, secret: bool = False) -> pa.Array:
        """Makes a column by applying a function to each string of another column."""
        used, inverse = np.unique(places, return_inverse=True)
        made = [make(self._texts[int(p)]) if p >= 0 else None for p in used]
        column = arrow.of_values(made, inverse.astype("i4"))
        return self._hide.column(column) if secret else column


def _after_colon(name: str) -> str:
    return {"MPIIO": "MPI-IO"}.get(re.sub(r".*:", "", name), re.sub(r".*:", "", name))


def _of_trace(module: Module, found: Columns) -> dict[str, pa.Array]:
    layer = "POSIX" if module.name == "DXT_POSIX" else "MPI-IO"
    names = {
        "at": "offset",
        "length": "length",
        "start_seconds": "start_seconds",
        "end_seconds": "end_seconds",
        "thread": "thread",
    }
    made = {name: pa.array(found.arrays[of]) for name, of in names.items()}
    kinds = found.arrays["is_write"].astype("i4")
    made["operation"] = arrow.of_values(["read", "write"], kinds)
    made["layer"] = arrow.of_values([layer], np.zeros(found.rows, "i4"))
    return made
