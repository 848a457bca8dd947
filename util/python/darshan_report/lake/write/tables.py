"""Converts the columns of one full batch to Arrow tables, with the log's user and program in each
row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...measure.processes.programs import split
from ...tables import Module, module_by_id
from .. import columns
from ..read.batch import Columns, Kind, Texts
from . import arrow, impossible
from .hide import Hide
from .jobs import Job

Places = npt.NDArray[np.int64]
# The columns of a trace by the library's names.
_TRACE = {
    "at": "offset",
    "length": "length",
    "start_seconds": "start_seconds",
    "end_seconds": "end_seconds",
    "thread": "thread",
}


class Whose:
    """Makes the columns with which every table begins, for rows that have the index of their log.
    months: of the partitions of its jobs."""

    def __init__(self, jobs: list[Job], first: int) -> None:
        """jobs: those of the batch. first: index of the first of them among all logs of the
        batch."""
        self._first = first
        self._jobs = jobs
        self._most = np.array([j.most_bytes for j in jobs], "i8")
        self._processes = np.array([j.info.get("nprocs", 1) for j in jobs], "i8")
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
        """Returns the indices of jobs among these jobs. logs: their indices among all logs of the
        batch."""
        return logs - self._first

    def impossible(
        self, places: Places, module: str, column: columns.Column, array: np.ndarray
    ) -> np.ndarray | None:
        """Returns a mask of the values that become null, None if none does, and adds the impossible
        ones to their jobs. If a value of a log's record becomes null, all later rows of the log's
        totals have null as well. places: index of each row's job. array: the values."""

        def add(row: int, why: str, raw: object) -> None:
            job = self._jobs[places[row]]
            impossible.note(job.impossible, module, column.name, why, raw)

        unknown = impossible.lacks(array, column, self._processes[places])
        for place in np.unique(places[unknown & (array < -1)]).tolist():
            self._jobs[place].unknown.add((module, column.name))
        return impossible.of_array(array, column, self._most[places], unknown, add)

    def without(self, places: Places, module: str, counter: str) -> np.ndarray | None:
        """Returns a mask of the rows whose log has no valid total of a counter; None if there are
        none. places: index of each row's job."""
        bad = [p for p, job in enumerate(self._jobs) if job.has_no_sum(module, counter)]
        return np.isin(places, bad) if bad else None

    def columns(self, places: Places) -> list[pa.Array]:
        """Returns the columns with which every table begins, in their order. places: index of each
        row's job."""
        take = pa.array(places)
        return [self._columns[c.name].take(take) for c in columns.WHOSE]

    def parts(self, places: Places) -> Iterator[tuple[str, Places | None]]:
        """Yields each month of some rows, with the indices of its rows in the order of days. The
        indices are None if all rows are of one month and in order already. places: index of each
        row's job."""
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
    """Makes Arrow tables from the columns of one batch; valid until the batch is cleared."""

    def __init__(self, texts: Texts, whose: Whose, hide: Hide) -> None:
        self._texts = texts
        self._whose = whose
        self._hide = hide
        self._dictionary = arrow.Dictionary(texts)

    def each(self, found: Columns) -> Iterator[tuple[str, str, pa.Table]]:
        """Yields the rows of one table of a batch, month by month: the name of the lake's table,
        the month, and the rows. Yields nothing for an unknown module."""
        module = module_by_id(found.module)
        if module is None:
            return
        total = found.kind is Kind.TOTALS
        table = columns.total_table(module) if total else columns.record_table(module)
        places = self._whose.places(found.arrays["log"])
        arrays: list[pa.Array] = self._whose.columns(places)
        own = self._own(module, found, table, places)
        arrays += [
            own[c.name] if c.name in own else self._column(found, c, places, module.name)
            for c in table.columns[len(columns.WHOSE) :]
        ]
        whole = pa.table(arrays, schema=arrow.schema(table))
        for month, rows in self._whose.parts(places):
            yield table.name, month, whole if rows is None else whole.take(pa.array(rows))

    def _column(
        self, found: Columns, column: columns.Column, places: Places, module: str
    ) -> pa.Array:
        """Returns a column of a lake's table from the library's array: anonymized if it is secret,
        with null for impossible and unknown values. places: index of each row's job."""
        array = found.arrays[column.name]
        if column.type == columns.TEXT:
            made = self._dictionary.column(array)
            return self._hide.column(made) if column.secret else made
        if column.type == columns.UUID:
            data = pa.py_buffer(np.ascontiguousarray(self._hide.uuids(array)))
            return pa.Array.from_buffers(pa.binary(16), len(array), [None, data])
        null = None
        if found.kind is Kind.TOTALS:
            null = self._whose.without(places, module, column.name)
            array = array if null is None else np.where(null, array.dtype.type(0), array)
        if column.type == columns.ID and column.secret:
            array = self._hide.ids(array)
        bad = self._whose.impossible(places, module, column, array)
        null = bad if null is None else null if bad is None else null | bad
        return arrow.counter(array, column, null)

    def _own(
        self, module: Module, found: Columns, table: columns.Table, places: Places
    ) -> dict[str, pa.Array]:
        """Returns the columns that are computed from other columns, by their names; {} if the table
        has none. places: index of each row's job."""
        if found.kind is Kind.TOTALS:
            return {}
        if module.name == "HEATMAP":
            return {"layer": self._of_texts(found.arrays["name"], _after_colon)}
        if module.name == "TRAINING_TIME":
            names = found.arrays["name"]
            parts = ((name, number) for number, name in enumerate(("kind", "worker"), 1))
            return {name: self._of_texts(names, _part(number)) for name, number in parts}
        if module.name in columns.TRACES:
            return self._of_trace(module, found, table, places)
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
        """Returns a column of strings that `make` computes from those of another column; it is
        called once for each distinct string. places: indices of that column's strings. secret:
        anonymizes the result."""
        used, inverse = np.unique(places, return_inverse=True)
        made = [make(self._texts[int(p)]) if p >= 0 else None for p in used]
        column = arrow.of_values(made, inverse.astype("i4"))
        return self._hide.column(column) if secret else column

    def _of_trace(
        self, module: Module, found: Columns, table: columns.Table, places: Places
    ) -> dict[str, pa.Array]:
        """Returns the columns of traced transfers, by name. places: index of each row's job."""
        layer = "POSIX" if module.name == "DXT_POSIX" else "MPI-IO"
        known = {c.name: c for c in table.columns}
        made = {}
        for name, of in _TRACE.items():
            array = found.arrays[of]
            bad = self._whose.impossible(places, module.name, known[name], array)
            made[name] = pa.array(array, mask=bad)
        kinds = found.arrays["is_write"].astype("i4")
        made["operation"] = arrow.of_values(["read", "write"], kinds)
        made["layer"] = arrow.of_values([layer], np.zeros(found.rows, "i4"))
        return made


def _part(number: int) -> Callable[[str], str]:
    """Returns a function that returns the part with this number of a name with colons; "" if there
    is none."""
    return lambda name: [*name.split(":"), "", ""][number]


def _after_colon(name: str) -> str:
    return {"MPIIO": "MPI-IO"}.get(re.sub(r".*:", "", name), re.sub(r".*:", "", name))
