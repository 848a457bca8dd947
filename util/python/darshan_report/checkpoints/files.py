"""The files that a program wrote, as candidates for checkpoints. A renamed file counts under its
last name."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import NamedTuple

import numpy as np

from ..classes import dataclass
from ..diagnose.facts import Facts
from ..diagnose.table import Table
from ..records import Records, among, in_both

_MODULES = ("POSIX", "STDIO")  # one or both have a file's writes
_COUNTS = (
    "OPENS", "FILENOS", "DUPS", "FDOPENS", "BYTES_WRITTEN", "BYTES_READ", "MAX_BYTE_WRITTEN",
)  # fmt: skip
_TIMES = ("F_META_TIME", "F_WRITE_TIME")
_MOMENTS = (
    "F_OPEN_START_TIMESTAMP", "F_WRITE_START_TIMESTAMP", "F_WRITE_END_TIMESTAMP",
    "F_CLOSE_END_TIMESTAMP",
)  # fmt: skip
WHOLE = 0.999  # share from which on two numbers of bytes count as equal


@dataclass
class Part:
    """The I/O of one process on a file; for rank -1, the I/O of all processes together. Times
    without a unit are seconds after the start of the run."""

    opens: float = 0.0
    written: int = 0  # bytes
    read: int = 0
    seconds: float = 0.0  # in writes and metadata calls
    opened: float = float("inf")  # first open or write, seconds after the start of the run
    first_write: float = float("inf")
    last_write: float = 0.0
    closed: float = 0.0

    @property
    def span(self) -> tuple[float, float]:
        """The time from the first save to the end of the last, in seconds since the start of the
        run. If the file was opened once and only written: from open to close. Otherwise from the
        first to the last write, because other opens may have been for reading or mapping."""
        if self.opens <= 1 and not self.read:
            return self.opened, max(self.last_write, self.closed)
        return self.first_write, self.last_write


@dataclass
class File:
    """A file that the program wrote, under the last of its names. The I/O of its processes is in
    `parts`, by rank. ids: of its records, under all its names."""

    name: str
    ids: set[int] = field(default_factory=set)  # ids of its records, under all its names
    size: int = 0  # bytes of the largest version
    parts: dict[int, Part] = field(default_factory=dict)  # by rank; -1: all processes together
    processes: int = 0  # processes that wrote to it
    removed: bool = False  # the program removed the file
    renames: int = 0  # how often another file got this name
    versions: int = 1  # number of final names of files that were written under this name

    @property
    def written(self) -> int:
        """The bytes that all processes wrote."""
        return sum(part.written for part in self.parts.values())

    def together(self, part: Part) -> int:
        """Returns how many processes have their I/O in `part`. This is 1 unless the part is the sum
        of all processes and each of them wrote the whole file."""
        several = self.parts.get(-1) is part and _each_wrote(part.written, self)
        return max(1, self.processes) if several else 1

    def saves(self, part: Part) -> int:
        """Returns how often each process of a part wrote the whole file. This is the smaller of two
        numbers: the opens, some of which may have been for reading, and the bytes written divided
        by the file's size, because a format may write some bytes twice."""
        together = self.together(part)
        times = round(part.written / max(self.size, 1) / together)
        return max(1, min(int(part.opens / together), times))

    @property
    def rounds(self) -> int:
        """The largest number of times that one process wrote the file."""
        return max(self.renames, *map(self.saves, self.parts.values()))


def _each_wrote(written: int, file: File) -> bool:
    """Returns whether each process wrote about as many bytes as the file has."""
    return written >= WHOLE * file.processes * file.size


class _Row(NamedTuple):
    """The values of a record that this module uses: bytes, seconds, and times in seconds after the
    start of the run. Unknown and impossible values are 0."""

    opens: float  # without fileno and similar calls, which OPENS also counts
    written: float
    read: float
    seconds: float
    opened: float
    first_write: float
    last_write: float
    closed: float
    last_byte: float


def _rows(records: Records) -> Iterator[_Row]:
    """Yields a row for each record. Computes whole columns at once, because a log may have many
    records, and each would take microseconds."""
    module = records.module
    values = np.zeros((len(records), len(_COUNTS) + len(_TIMES) + len(_MOMENTS)))
    names = [f"{module.name}_{name}" for name in (*_COUNTS, *_TIMES, *_MOMENTS)]
    for counters, columns in (
        (module.counters, records.counters),
        (module.fcounters, records.fcounters),
    ):
        there = {counter.name: place for place, counter in enumerate(counters)}
        known = [place for place, name in enumerate(names) if name in there]
        values[:, known] = columns[:, [there[names[place]] for place in known]]
    values[~(np.isfinite(values) & (values > 0))] = 0.0
    opens, filenos, dups, fdopens, written, read, last_byte, meta, write, *moments = values.T
    opened = np.maximum(0.0, opens - (filenos + dups + fdopens))
    rows = (opened, written, read, meta + write, *moments, last_byte)
    return itertools.starmap(_Row, zip(*(column.tolist() for column in rows)))


def _add(file: File, rank: int, row: _Row) -> None:
    """Adds a record to the I/O of one process on a file. rank: of the process; -1: all processes
    together."""
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


def _values(table: Table | None, ids: Iterable[int], column: str) -> dict[int, int]:
    """Returns the values of a column for these ids. column: "" for the number of processes. Leaves
    out ids without a record; so {} without the table."""
    if table is None:
        return {}
    wanted = np.sort(np.fromiter(ids, "u8"))
    here, there = in_both(wanted, table.ids)
    values = table[column] if column else table.processes
    return dict(zip(wanted[here].tolist(), values[there].tolist()))


def _count_processes(facts: Facts, files: dict[int, File]) -> None:
    """Sets how many processes wrote each file. files: by record id."""
    every = frozenset().union(*(file.ids for file in files.values()))
    for module in _MODULES:
        known = _values(facts.table(module), every, "")
        for file in files.values():
            numbers = [known[one] for one in file.ids if one in known]
            file.processes = max([file.processes, *numbers])
    for file in files.values():
        writers = sum(part.written > 0 for part in file.parts.values())
        if -1 not in file.parts:
            file.processes = writers
        # In a run of many programs, a combined record also counts processes that only read the
        # file.
        elif facts.tree is not None and not _each_wrote(file.written, file):
            file.processes = 1


def _ask_names(facts: Facts, files: dict[int, File]) -> None:
    """Stores in each file whether it was removed, how often another file was renamed to it, and how
    many final names it got."""
    removed = _values(facts.table("POSIX_EXT"), files, "UNLINKS")
    renames = _values(facts.table("POSIX"), files, "RENAME_TARGETS")
    for number, file in files.items():
        file.removed = removed.get(number, 0) > 0
        file.versions = facts.last_names.get(number, 1)
        if number in renames:
            file.renames = renames[number] // max(1, file.processes)


def written_files(facts: Facts, least: float, wanted: Callable[[str], bool]) -> dict[int, File]:
    """Returns the files, by the id of their last name, to which at least `least` bytes were
    written. wanted: decides by a file's name whether it counts. Leaves out records that represent
    many files."""
    finals = facts.finals
    tables, sums = [], defaultdict[int, float](float)
    for module in _MODULES:
        table = facts.table(module)
        if table is None:
            continue
        written = table["BYTES_WRITTEN"]
        some = facts.single(table) & (written > 0)
        moved = dict(zip(table.ids[some].tolist(), written[some].tolist()))
        for number, size in moved.items():
            sums[finals.get(number, number)] += size
        tables.append((table.records, moved))
    names = {one: facts.own_name(one) for one, moved in sums.items() if moved >= least}
    names = {one: name for one, name in names.items() if wanted(name)}
    files: dict[int, File] = {}
    for records, moved in tables if names else ():
        ids = [number for number in moved if finals.get(number, number) in names]
        some = among(records.ids, np.array(ids, "u8"))
        kept = Records(records.module, records.array[some])
        for number, rank, row in zip(kept.ids.tolist(), kept.ranks.tolist(), _rows(kept)):
            last = finals.get(number, number)
            if last not in files:
                files[last] = File(names[last])
            files[last].ids |= {number, last}
            _add(files[last], rank, row)
    if files:
        _count_processes(facts, files)
        _ask_names(facts, files)
    return files
