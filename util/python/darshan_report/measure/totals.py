"""Sums over the records of one module, with unknown kept apart from zero.

Logs of old releases hold -1 where a counter did not exist yet.  One such record
makes the whole sum unknown (None): a sum over the rest would look like a fact.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from ..records import Records
from .joined import UNKNOWN

_ROWS = 4096  # summed at a time, so that temporary arrays stay small


class Totals:
    """Sums, maxima and minima of a module's counters over all its records."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._index = {
            c.name: (c.is_float, place)
            for row in (records.module.counters, records.module.fcounters)
            for place, c in enumerate(row)
        }

    def sum(self, name: str) -> float | int | None:
        """Sum of a counter in its own unit; None if unknown or not a number."""
        is_float, place = self._index[name]
        sums, unknown = self._float_sums if is_float else self._int_sums
        if unknown[place]:
            return None
        return float(sums[place]) if is_float else int(sums[place])

    def sum_of(self, *names: str) -> float | int | None:
        """Sum of several counters; None as soon as one is unknown or absent."""
        total: float | int = 0
        for name in names:
            part = self.sum(name) if name in self._index else None
            if part is None:
                return None
            total += part
        return total

    def has(self, name: str) -> bool:
        """Whether the module has such a counter."""
        return name in self._index

    def largest(self, name: str) -> float:
        """Largest finite value of a counter; 0 without records."""
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
        values = self._records.fcounters
        sums = np.zeros(values.shape[1])
        unknown = np.zeros(values.shape[1], bool)
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, len(values), _ROWS):
                rows = values[first : first + _ROWS]
                sums += rows.sum(axis=0)
                unknown |= (rows == UNKNOWN).any(axis=0)
        return sums, unknown | ~np.isfinite(sums)
