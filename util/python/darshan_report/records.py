"""All records of one module as arrays that share one block of memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .tables import Module


class Records:
    """Records of one size.  Every array is a read-only view, not a copy."""

    def __init__(self, module: Module, array: np.ndarray) -> None:
        self.module = module
        array.flags.writeable = False
        self.array = array
        self._words = array.view("i8").reshape(len(array), module.record_size // 8)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, name: str) -> np.ndarray:
        """The column of a counter by its full name, or of id, rank, file_rec_id."""
        return self.array[name]

    @property
    def ids(self) -> npt.NDArray[np.uint64]:
        """Record ids."""
        return self.array["id"]

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """Ranks; -1: all ranks combined."""
        return self.array["rank"]

    @property
    def counters(self) -> npt.NDArray[np.int64]:
        """The integer counters, a row per record, a column per counter."""
        first = self.module.head
        return self._words[:, first : first + len(self.module.counters)]

    @property
    def fcounters(self) -> npt.NDArray[np.float64]:
        """The floating-point counters, a row per record."""
        first = self.module.head + len(self.module.counters)
        columns = self._words[:, first : first + len(self.module.fcounters)]
        return columns.view("f8")
