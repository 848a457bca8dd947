"""The files that a program wrote whole, once or again and again, under their last names."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..diagnose.facts import Facts

_MODULES = ("POSIX", "STDIO")  # a file's writes are in one of them, or some in each
_TIMES = ("F_META_TIME", "F_WRITE_TIME")
_MOMENTS = (
    "F_OPEN_START_TIMESTAMP", "F_WRITE_START_TIMESTAMP", "F_WRITE_END_TIMESTAMP",
    "F_CLOSE_END_TIMESTAMP",
)  # fmt: skip
WHOLE = 0.999  # part of the bytes that makes two numbers of bytes the same


@dataclass
class Part:
    """The I/O of one process on a file, or, for rank -1, of all processes together."""

    opens: float = 0.0
    written: int = 0
    read: int = 0
    seconds: float = 0.0  # in calls
    opened: float = float("inf")  # first open or write, seconds after the start of the run
    first_write: float = float("inf")
    last_write: float = 0.0
    closed: float = 0.0

    @property
    def span(self) -> tuple[float, float]:
        """Returns begin and end of the saves: from open to close if the file was opened once to be
        written; else from the first write to the last, because other opens may have been for
        reading or mapping it."""
        if self.opens <= 1 and not self.read:
            return self.opened, max(self.last_write, self.closed)
        return self.first_write, self.last_write


@dataclass
class File:
    """A file under its last name."""

    name: str
    ids: set[int] = field(default_factory=set)  # of its records, under all its names
    size: int = 0  # bytes, of the largest version
    parts: dict[int, Part] = field(default_factory=dict)  # by rank
    processes: int = 0  # that wrote to it
    removed: bool = False  # the program removed its name
    renames: int = 0  # how often another file got this name

    @property
    def written(self) -> int:
        """Returns the bytes that all processes wrote."""
        return sum(part.written for part in self.parts.values())

    def together(self, part: Part) -> int:
        """Returns the number of processes whose I/O is in a part."""
        several = self.parts.get(-1) is part and _each_wrote(part.written, self)
        return max(1, self.processes) if several else 1

    def saves(self, part: Part) -> int:
        """Returns how often each process of a part wrote the file whole. Opens may also have been
        for reading, and a format may write some bytes twice, so the smaller number counts."""
        together = self.together(part)
        times = round(part.written / max(self.size, 1) / together)
        return max(1, min(int(part.opens / together), times))

    @property
    def rounds(self) -> int:
        """Returns how often the process that wrote it most often did so."""
        return max(self.renames, *map(self.saves, self.parts.values()))


def _each_wrote(written: int, file: File) -> bool:
    """Tells whether these bytes are the whole file from each process."""
    return written >= WHOLE * file.processes * file.size


def _candidates(facts: Facts) -> Iterator[tuple[str, np.ndarray]]:
    """Yields the records with written bytes of each module, without those of many files."""
    for module in _MODULES:
        table = facts.table(module)
        if table is None:
            continue
        records = table.records
        some = np.isin(records.ids, table.ids[facts.single(table) & (table["BYTES_WRITTEN"] > 0)])
        if some.any():
            yield module, records.array[some]


class _Row(NamedTuple):
    """The values of a record that this file uses; unknown and impossible values are 0."""

    opens: float  # without the calls that OPENS also counts
    written: float
    read: float
    seconds: float
    opened: float
    first_write: float
    last_write: float
    closed: float
    last_byte: float


def _rows(records: np.ndarray, module: str) -> Iterator[_Row]:
    """Yields a row for each record of a module. All values of a column at once: a log may have many
    records, and each takes microseconds alone."""
    names = records.dtype.names or ()

    def known(*counters: str) -> np.ndarray:
        every = [
            records[f"{module}_{n}"].astype("f8") for n in counters if f"{module}_{n}" in names
        ]
        values = np.stack(every or [np.zeros(len(records))])
        found: np.ndarray = np.where(np.isfinite(values) & (values > 0), values, 0.0).sum(axis=0)
        return found

    opens = np.maximum(0.0, known("OPENS") - known("FILENOS", "DUPS", "FDOPENS"))
    others = ("BYTES_WRITTEN",), ("BYTES_READ",), _TIMES, *((name,) for name in _MOMENTS)
    columns = [opens, *(known(*names) for names in others), known("MAX_BYTE_WRITTEN")]
    return itertools.starmap(_Row, zip(*(column.tolist() for column in columns)))


def _add(file: File, rank: int, row: _Row) -> None:
    part = file.parts.setdefault(rank, Part())
    part.opens += row.opens
    part.written += int(row.written)
    part.read += int(row.read)
    part.seconds += row.seconds
    if row.first_write > 0:
        part.first_write = min(part.first_write, row.first_write)
    if row.opened > 0:
        part.opened = min(part.opened, row.opened)
    part.opened = min(part.opened, part.first_write)
    part.last_write = max(part.last_write, row.last_write)
    part.closed = max(part.closed, row.closed)
    if row.written > 0:
        file.size = max(file.size, int(row.last_byte) + 1)


def _count_processes(facts: Facts, files: dict[int, File]) -> None:
    for module in _MODULES:
        table = facts.table(module)
        if table is None:
            continue
        for file in files.values():
            places = (table.place(one) for one in file.ids)
            numbers = [int(table.processes[place]) for place in places if place is not None]
            file.processes = max([file.processes, *numbers])
    for file in files.values():
        writers = sum(part.written > 0 for part in file.parts.values())
        if -1 not in file.parts:
            file.processes = writers
        # Of a run of many programs, a combined record also counts those that only read the file.
        elif facts.tree is not None and not _each_wrote(file.written, file):
            file.processes = 1


def _ask_names(facts: Facts, files: dict[int, File]) -> None:
    """Stores in each file whether it was removed, and how often another file was renamed to it."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    removed = set() if extra is None else set(extra.ids[extra["UNLINKS"] > 0].tolist())
    for number, file in files.items():
        file.removed = number in removed
        place = None if posix is None else posix.place(number)
        if posix is not None and place is not None:
            file.renames = int(posix["RENAME_TARGETS"][place]) // max(1, file.processes)


def written_files(facts: Facts, least: float) -> dict[int, File]:
    """Returns the files of which at least so many bytes were written, by the id of the last
    name."""
    sums: dict[int, float] = defaultdict(float)
    found = list(_candidates(facts))
    for module, rows in found:
        for number, moved in zip(rows["id"].tolist(), rows[f"{module}_BYTES_WRITTEN"].tolist()):
            sums[facts.finals.get(number, number)] += max(0, moved)
    files: dict[int, File] = {}
    for module, records in found:
        numbers, ranks = records["id"].tolist(), records["rank"].tolist()
        for number, rank, row in zip(numbers, ranks, _rows(records, module)):
            last = facts.finals.get(number, number)
            if sums[last] < least:
                continue
            if last not in files:
                files[last] = File(facts.own_name(last))
            files[last].ids |= {number, last}
            _add(files[last], rank, row)
    _count_processes(facts, files)
    _ask_names(facts, files)
    return files
