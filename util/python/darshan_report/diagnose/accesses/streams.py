"""The system calls that streams of the C library (FILE *) make when their buffers are full or
empty, per file: numbers, bytes and seconds. They come from the module STDIO_EXT. Logs without it
have only the program's calls on streams, which are used in their place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...measure.files.streams import standard_ids
from ...records import among, in_both
from ..table import Table

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Opens = tuple[npt.NDArray[np.uint64], Floats]  # ids of records, and the number of opens of each
_OPENED = 4  # calls per open of a file


class Streams:
    """The files that the program used through streams of the C library. Each array has one element
    per record of STDIO. The mask `files` is false for standard input, output and error."""

    def __init__(self, table: Table, beside: Table | None, opened: Opens | None) -> None:
        self.table = table
        self._opened = opened  # by POSIX calls
        self.known = beside is not None  # if false, the times of calls are an estimate
        self.files: Mask = ~among(table.ids, standard_ids())
        self._beside = beside
        self._here = self._there = np.empty(0, "i8")
        if beside is not None:
            self._here, self._there = in_both(table.ids, beside.ids)

    def __getitem__(self, name: str) -> Floats:
        """Returns a counter of STDIO_EXT for each file of STDIO; 0 for a file without a STDIO_EXT
        record."""
        found = np.zeros(len(self.table))
        if self._beside is not None:
            found[self._here] = self._beside[name][self._there]
        return found

    def evidence(self, place: int, *names: str) -> tuple[Table, int, tuple[str, ...]] | None:
        """Returns arguments for Facts.rows(): the table STDIO_EXT, the file's row in it, and
        `names`. Returns None if the file has no STDIO_EXT record. place: row of the file in
        STDIO."""
        if self._beside is None:
            return None
        row = self._beside.place(int(self.table.ids[place]))
        return None if row is None else (self._beside, row, names)

    def calls(self, kind: str) -> Floats:
        """Returns how often the C library read or wrote each file; if that is unknown, how often
        the program did. kind: READ or WRITE."""
        if self.known:
            return self["FILLS" if kind == "READ" else "DRAINS"]
        return self.table[f"{kind}S"].astype("f8")

    @property
    def served(self) -> float:
        """The seconds in calls that buffers served without a system call, summed; 0 if unknown."""
        if not self.known:
            return 0.0
        spent = self.table["F_READ_TIME"] + self.table["F_WRITE_TIME"]
        below = self.time("READ") + self.time("WRITE")
        return float(np.maximum(0.0, spent - below)[self.files].sum())

    def kept_open(self, calls: Floats) -> Mask:
        """Returns a mask of the files with more than _OPENED calls per open. With fewer calls a
        larger buffer saves little, because each close empties the buffer. Opens of POSIX count,
        too: a shell opens a file with open(), and writes it through the stream of its standard
        output. calls: number per file."""
        opens = self.table["OPENS"].astype("f8")
        if self._opened is not None:
            ids, others = self._opened
            here, there = in_both(self.table.ids, ids)
            opens[here] = np.maximum(opens[here], others[there])
        return np.asarray(_OPENED * opens < calls)

    def moved(self, kind: str) -> Floats:
        """Returns the bytes per file that the C library read or wrote; if that is unknown, those
        that the program did. kind: READ or WRITE."""
        if self.known:
            return self["FILLED_BYTES" if kind == "READ" else "DRAINED_BYTES"]
        name = "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"
        return self.table[name].astype("f8")

    def time(self, kind: str) -> Floats:
        """Returns the seconds per file in which the C library read or wrote it, without flushes and
        seeks; if that is unknown, those in the program's reads or writes. kind: READ or WRITE."""
        if self.known:
            return self["F_FILL_TIME" if kind == "READ" else "F_DRAIN_TIME"]
        return self.table[f"F_{kind}_TIME"].astype("f8")


def ratio(one: Floats, other: Floats) -> Floats:
    """Returns one / other, element by element; 0 where other is 0."""
    return np.divide(one, other, out=np.zeros(len(one)), where=other > 0)
