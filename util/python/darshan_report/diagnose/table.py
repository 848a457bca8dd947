"""The records of one module, joined by file: one value per file and counter."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..measure.layers.layers import SIZES
from ..measure.processes.shared import Users
from ..records import Joined, Records
from ..tables import module_by_name

Names = tuple[str, ...]

# Largest number of a module's records for which all counters are joined at once. With more records,
# this would use memory for counters that no rule reads.
_AT_ONCE = 4096


def added(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Returns the sum of columns of equal length, of which there must be at least one, as a new
    array."""
    return sum(columns[1:], columns[0].copy())


@functools.cache
def _names_of(module: str, prefix: str) -> tuple[tuple[Names, npt.NDArray[np.bool_]], ...]:
    """Returns, for the integer counters and then for the floating-point counters: their names
    without the prefix ("" if they lack it), and a mask of those that are summed."""
    known = module_by_name(module)
    assert known is not None  # the caller has records of this module
    found = []
    for counters in (known.counters, known.fcounters):
        names = (c.name[len(prefix) :] if c.name.startswith(prefix) else "" for c in counters)
        found.append((tuple(names), np.array([c.summed for c in counters], bool)))
    return tuple(found)


class Table:
    """The records of one module joined by record id: each counter is an array with one value per
    file (dataset, variable). `ids` has the record ids in the same order, `processes` how many
    processes used each file."""

    def __init__(self, records: Records, prefix: str, users: Users) -> None:
        self.records = records
        self.prefix = prefix
        # The cache is in each table, because a cache of the class would keep the tables of all logs
        # of a campaign.
        self._joined: dict[str, np.ndarray] = {}
        self._all = False  # whether all counters are joined
        self._files = Joined(records)
        self.ids = self._files.ids
        self._rules = records.module.summed
        self.processes: npt.NDArray[np.int64] = users.of(self._files, records)

    def __len__(self) -> int:
        return len(self.ids)

    def has(self, name: str) -> bool:
        """Returns whether the module has a counter, by its name without the prefix."""
        return f"{self.prefix}_{name}" in self._rules

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns a counter per file, by its name without the prefix: the sum or the largest value
        of the file's records, as its merge rule says. An unknown value is treated as 0; a counter
        that the module lacks is 0 for all files."""
        found = self._joined.get(name)
        if found is None:
            if not self._all and len(self.records) <= _AT_ONCE:
                self._all = True
                self._join_all()
            found = self._joined.get(name)
        if found is None:
            found = self._joined[name] = self._join(name)
        return found

    def _join_all(self) -> None:
        """Joins all counters at once. With few records this takes hardly longer than one
        counter."""
        records = self.records
        ints, floats = _names_of(records.module.name, f"{self.prefix}_")
        values = records.fcounters.T
        self._join_these(*ints, records.counters.T)
        self._join_these(*floats, np.where(np.isfinite(values), values, 0.0))

    def _join_these(self, names: Names, summed: npt.NDArray[np.bool_], values: np.ndarray) -> None:
        if names:
            joined = self._files.all_joined(np.maximum(values, 0, order="C"), summed)
            self._joined.update((name, column) for name, column in zip(names, joined) if name)

    def seconds_or_bytes(self, name: str) -> npt.NDArray[np.float64]:
        """Returns a counter of each record, not joined by file. Unknown and infinite values are
        0."""
        key = f" {name}"  # no counter has such a name
        if key not in self._joined:
            values = self.records[f"{self.prefix}_{name}"].astype("f8")
            self._joined[key] = np.where(np.isfinite(values), np.maximum(values, 0.0), 0.0)
        return self._joined[key]

    def _join(self, name: str) -> np.ndarray:
        full = f"{self.prefix}_{name}"
        if full not in self._rules:
            return np.zeros(len(self.ids), "i8")
        column = self.records[full]
        if column.dtype.kind == "f":
            column = np.where(np.isfinite(column), column, 0.0)
        column = np.maximum(column, 0)
        return self._files.added(column) if self._rules[full] else self._files.largest(column)

    def record_ids(self, name: str) -> npt.NDArray[np.uint64]:
        """Returns, per file, a counter that is a record id; 0 for none. Ids are unsigned, because
        they may use all 64 bits."""
        return self._files.largest(self.records[f"{self.prefix}_{name}"].astype("u8"))

    def sum(self, name: str) -> float:
        """Returns the sum of a counter over all files. name: without the prefix of the module."""
        return float(self[name].sum(dtype="f8"))

    def place(self, record: int) -> int | None:
        """Returns the index of a file, by its record id; None if the table has no such file."""
        return self._files.place(record)

    def sizes(self, kind: str, infix: str = "") -> np.ndarray:
        """Returns the numbers of transfers: a row per file, a column for each of ten size classes.
        kind: READ or WRITE. infix: "AGG_" if the counters' names have it after the kind, else
        empty."""
        return np.stack([self[f"SIZE_{kind}_{infix}{end}"] for end, _ in SIZES], axis=1)

    @property
    def shared(self) -> np.ndarray:
        """Mask of the files that more than one process used."""
        return self.processes > 1
