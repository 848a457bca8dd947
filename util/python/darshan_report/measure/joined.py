"""Records of one module joined by id: a file may have a record per rank.

What a log does not know is UNKNOWN in counters and in times alike.  A sum of which
one part is unknown is unknown, for a sum over the rest would look like a fact.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..records import Records

UNKNOWN = -1  # a counter that was not asked for, or that the version does not have


class Joined:
    """Which records belong to one file.  Columns have a row per record when they come in,
    and a row per file, in the order of ids, when they go out."""

    def __init__(self, records: Records) -> None:
        self._order = np.argsort(records.ids, kind="stable")
        ids = records.ids[self._order]
        first = np.ones(len(ids), bool)
        first[1:] = ids[1:] != ids[:-1]
        self._starts = np.flatnonzero(first)
        self.ids: npt.NDArray[np.uint64] = ids[self._starts]
        # How many there are of each, and whether one stands for all processes.
        self.records = np.diff(np.concatenate((self._starts, [len(ids)])))
        self.merged = self.any(records.ranks < 0)

    def __len__(self) -> int:
        return len(self.ids)

    def any(self, column: np.ndarray) -> np.ndarray:
        """Files of which one record has it."""
        return np.logical_or.reduceat(column[self._order], self._starts)

    def largest(self, column: np.ndarray) -> np.ndarray:
        """The largest value."""
        return np.maximum.reduceat(column[self._order], self._starts)

    def added(self, column: np.ndarray) -> np.ndarray:
        """Sums, as they are."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.add.reduceat(column[self._order], self._starts)

    def sums(self, column: np.ndarray) -> np.ndarray:
        """Sums; UNKNOWN where a part is."""
        sums = self.added(column)
        sums[self.any(column == UNKNOWN)] = UNKNOWN
        return sums

    def place(self, record: int) -> int | None:
        """The row of a file, by its id."""
        at = int(np.searchsorted(self.ids, np.uint64(record)))
        return at if at < len(self.ids) and int(self.ids[at]) == record else None

    def record_of(self, record: int) -> int | None:
        """One of the records of a file, by its id: for what is the same in all of them."""
        at = self.place(record)
        return None if at is None else int(self._order[self._starts[at]])
