"""The records of one module, joined by file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..measure.layers import SIZES
from ..measure.shared import Users
from ..records import Joined, Records


def added(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Returns a new array: the sum of columns of equal length, of which there must be one."""
    return sum(columns[1:], columns[0].copy())


class Table:
    """The records of one module joined by id: a value per file (dataset, variable)."""

    def __init__(self, records: Records, prefix: str, users: Users) -> None:
        self.records = records
        self.prefix = prefix
        # In each table: a cache of the class would hold the tables of all logs of a campaign.
        self._joined: dict[str, np.ndarray] = {}
        self._files = Joined(records)
        self.ids = self._files.ids
        self._rules = records.module.summed
        self.processes: npt.NDArray[np.int64] = users.of(self._files, records)

    def __len__(self) -> int:
        return len(self.ids)

    def has(self, name: str) -> bool:
        """Returns whether the module has this counter (name without the prefix)."""
        return f"{self.prefix}_{name}" in self._rules

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns sums, or the largest value, per file; an unknown value counts as 0."""
        if name not in self._joined:
            self._joined[name] = self._join(name)
        return self._joined[name]

    def seconds_or_bytes(self, name: str) -> npt.NDArray[np.float64]:
        """Returns a counter of each record; unknown and infinite values are 0."""
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
        """Returns a counter that is a record id, per file; 0: none. An id may use all 64 bits, so
        as a signed counter it may be negative."""
        return self._files.largest(self.records[f"{self.prefix}_{name}"].astype("u8"))

    def sum(self, name: str) -> float:
        """Returns the sum over all files."""
        return float(self[name].sum(dtype="f8"))

    def place(self, record: int) -> int | None:
        """Returns the index of a file's values, by its id; None if the table has no such file."""
        return self._files.place(record)

    def sizes(self, kind: str, infix: str = "") -> np.ndarray:
        """Returns an array of files x ten size classes; kind: READ or WRITE."""
        return np.stack([self[f"SIZE_{kind}_{infix}{end}"] for end, _ in SIZES], axis=1)

    @property
    def shared(self) -> np.ndarray:
        """Mask of the files that more than one process has a record of."""
        return self.processes > 1
