"""All records of one module: arrays that share one block of memory, their sums, and their values
per file.

An unknown value is UNKNOWN (-1). Logs of old releases have it for counters that did not exist yet.
A sum with an unknown part is unknown, because the sum of the known parts would look complete."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from .tables import Module, UnknownName

UNKNOWN = -1  # a counter that was not recorded, or that the version does not have
_ROWS = 4096  # records that are summed at once; keeps temporary arrays small


class Records:
    """The records of a module whose records have one size. Every array is a read-only view, not a
    copy."""

    def __init__(self, module: Module, array: np.ndarray) -> None:
        self.module = module
        array.flags.writeable = False
        self.array = array
        self._words = array.view("i8").reshape(len(array), module.record_size // 8)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns the column of a counter by its full name ("POSIX_READS"), or the column id, rank
        or file_rec_id. Raises UnknownName (a KeyError), which proposes similar names."""
        columns = self.array.dtype.names or ()
        if name not in columns:
            raise UnknownName(f"{self.module.name} has no counter", name, columns)
        return self.array[name]

    def __repr__(self) -> str:
        module, rows = self.module, len(self)
        names = [counter.name for counter in module.counters + module.fcounters]
        span = f", {names[0]} to {names[-1]}" if names else ""
        return (
            f"<Records of {module.name}: {rows:,} {'record' if rows == 1 else 'records'} "
            f"with {len(names)} counters{span}>"
        )

    @property
    def ids(self) -> npt.NDArray[np.uint64]:
        """The record id of each record."""
        return self.array["id"]

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The rank of each record; -1 for a record that combines several or all processes."""
        return self.array["rank"]

    @property
    def counters(self) -> npt.NDArray[np.int64]:
        """The integer counters, a row per record, a column per counter in the order of
        module.counters."""
        first = self.module.head
        return self._words[:, first : first + len(self.module.counters)]

    @property
    def fcounters(self) -> npt.NDArray[np.float64]:
        """The floating-point counters, a row per record, a column per counter in the order of
        module.fcounters."""
        first = self.module.head + len(self.module.counters)
        columns = self._words[:, first : first + len(self.module.fcounters)]
        return columns.view("f8")


def among(ids: np.ndarray, some: np.ndarray) -> npt.NDArray[np.bool_]:
    """Returns a mask of the elements of `ids` that are also in `some`. For the few ids of most
    logs, np.isin would take ten times as long, even if `some` is empty."""
    if not len(some) or not len(ids):
        return np.zeros(len(ids), bool)
    there = np.sort(some)
    at = there.searchsorted(ids)
    at[at == len(there)] = 0
    found: npt.NDArray[np.bool_] = there[at] == ids
    return found


def in_both(
    ids: npt.NDArray[np.uint64], others: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Returns the indices of the common ids in two arrays: those in `ids`, then those in `others`.
    Both arrays must be sorted and without repetitions, so this is faster than np.intersect1d, which
    sorts. Without common ids, both results are empty."""
    if not len(others):
        return np.empty(0, "i8"), np.empty(0, "i8")
    at = others.searchsorted(ids)
    at[at == len(others)] = 0
    here = np.flatnonzero(others[at] == ids)
    return here, at[here]


class Totals:
    """Sums and maxima of a module's counters over all its records."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._index = {
            c.name: (c.is_float, place)
            for row in (records.module.counters, records.module.fcounters)
            for place, c in enumerate(row)
        }

    def sum(self, name: str) -> float | int | None:
        """Returns the sum of a counter in the counter's unit; None if a value is unknown or not a
        number. name: full name; raises KeyError if the module has no such counter."""
        is_float, place = self._index[name]
        sums, unknown = self._float_sums if is_float else self._int_sums
        if unknown[place]:
            return None
        return float(sums[place]) if is_float else int(sums[place])

    def sum_of(self, *names: str) -> float | int | None:
        """Returns the sum of several counters, by their full names; None if a counter is unknown or
        does not exist."""
        total: float | int = 0
        for name in names:
            part = self.sum(name) if name in self._index else None
            if part is None:
                return None
            total += part
        return total

    def has(self, name: str) -> bool:
        """Returns whether the module has this counter."""
        return name in self._index

    def largest(self, name: str) -> float:
        """Returns the largest finite value of a counter; 0 if no record has one."""
        column = self._records[name]
        finite = column[np.isfinite(column)]
        return float(finite.max()) if len(finite) else 0.0

    @functools.cached_property
    def _int_sums(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        values = self._records.counters
        sums = np.zeros(values.shape[1], "i8")
        unknown = np.zeros(values.shape[1], bool)
        for first in range(0, len(values), _ROWS):
            rows = values[first : first + _ROWS]
            sums += rows.sum(axis=0)
            unknown |= (rows < 0).any(axis=0)
        return sums, unknown

    @functools.cached_property
    def _float_sums(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Returns the sum of each floating-point counter, and a mask of the sums that are unknown
        or not finite."""
        values = self._records.fcounters
        sums = np.zeros(values.shape[1])
        unknown = np.zeros(values.shape[1], bool)
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, len(values), _ROWS):
                rows = values[first : first + _ROWS]
                sums += rows.sum(axis=0)
                unknown |= (rows == UNKNOWN).any(axis=0)
        return sums, unknown | ~np.isfinite(sums)


class Joined:
    """The records of a module joined by file, because a file may have one record per rank. The
    methods take columns with an element per record, and return columns with an element per file, in
    the order of `ids`."""

    def __init__(self, records: Records) -> None:
        self._order = np.argsort(records.ids, kind="stable")
        ids = records.ids[self._order]
        first = np.ones(len(ids), bool)
        first[1:] = ids[1:] != ids[:-1]
        self._starts = np.flatnonzero(first)
        self.ids: npt.NDArray[np.uint64] = ids[self._starts]
        # In most logs each file has one record, so no join is needed.
        self._single = len(self.ids) == len(ids)
        self._sorted = self._single and bool((self._order[1:] > self._order[:-1]).all())
        # The number of records of each file, and whether one of them combines all processes.
        self.records = np.diff(np.concatenate((self._starts, [len(ids)])))
        self.merged = self.any(records.ranks < 0)

    def __len__(self) -> int:
        return len(self.ids)

    def _ordered(self, column: np.ndarray) -> np.ndarray:
        return column.copy() if self._sorted else column[self._order]

    def any(self, column: np.ndarray) -> np.ndarray:
        """Returns a mask of the files for which the column is true in at least one record."""
        if self._single:
            return self._ordered(column).astype(bool)
        return np.logical_or.reduceat(column[self._order], self._starts)

    def largest(self, column: np.ndarray) -> np.ndarray:
        """Returns, for each file, the largest value among its records."""
        if self._single:
            return self._ordered(column)
        return np.maximum.reduceat(column[self._order], self._starts)

    def added(self, column: np.ndarray) -> np.ndarray:
        """Returns, for each file, the sum over its records. An UNKNOWN value (-1) is added like any
        other value."""
        if self._single:
            return self._ordered(column)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.add.reduceat(column[self._order], self._starts)

    def all_joined(self, columns: np.ndarray, summed: npt.NDArray[np.bool_]) -> np.ndarray:
        """Joins many columns at once. columns: one row of the array per column. Returns, for each
        file, the sum over its records if `summed` is true for the column, else the largest
        value."""
        if self._single:
            return columns if self._sorted else columns[:, self._order]
        ordered = columns[:, self._order]
        found = np.maximum.reduceat(ordered, self._starts, axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            found[summed] = np.add.reduceat(ordered[summed], self._starts, axis=1)
        return found

    def sums(self, column: np.ndarray) -> np.ndarray:
        """Returns, for each file, the sum over its records; UNKNOWN if one of them is unknown."""
        sums = self.added(column)
        sums[self.any(column == UNKNOWN)] = UNKNOWN
        return sums

    def place(self, record: int) -> int | None:
        """Returns the index of a file in `ids`, by its record id; None if it has no record."""
        at = int(self.ids.searchsorted(np.uint64(record)))
        return at if at < len(self.ids) and int(self.ids[at]) == record else None

    def record_of(self, record: int) -> int | None:
        """Returns the index of one record of a file, by the file's id; None if it has no record.
        For values that are equal in all its records."""
        at = self.place(record)
        return None if at is None else int(self._order[self._starts[at]])
