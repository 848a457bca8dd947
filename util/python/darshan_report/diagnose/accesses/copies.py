"""Sums up the accesses to each file of a run, so that rules can find files that are copies of
others."""

from __future__ import annotations

from collections import defaultdict

from ...classes import dataclass
from ..facts import Facts
from ..table import Table

_SAME = 0.05  # a program that reads a copy in pieces may read some bytes twice


@dataclass
class File:
    """The accesses of a run to one file, through POSIX and STDIO together: bytes, and seconds in
    calls."""

    read: float = 0.0  # bytes
    written: float = 0.0
    size: float = 0.0  # bytes up to the end of the last access
    reading: float = 0.0  # seconds
    writing: float = 0.0
    other: float = 0.0  # seconds in other calls, such as opens

    def add(self, other: File) -> None:
        """Adds to this object the accesses to the same file under another name; the larger size
        counts."""
        self.read, self.written = self.read + other.read, self.written + other.written
        self.size = max(self.size, other.size)
        self.reading, self.writing = self.reading + other.reading, self.writing + other.writing
        self.other += other.other

    @property
    def is_copy(self) -> bool:
        """Whether each byte of the file was written exactly once and read about once. Only the
        number of bytes is compared."""
        return self.written == self.size > 0 and self.was_read_once

    @property
    def was_read_once(self) -> bool:
        """Whether the bytes that were read are as many as the file has, with a tolerance of 5 %."""
        return abs(self.read - self.size) <= _SAME * self.size


def files_of(facts: Facts, *, placed: bool = True) -> dict[int, File]:
    """Returns the accesses to data files, by record id. Records of several files, and of program
    files, are left out. placed: leaves out files with transfers at unknown offsets, as through a
    descriptor that a shell passed on, because their sizes are unknown."""
    found: dict[int, File] = defaultdict(File)
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        single = facts.single(table)
        if placed:
            unplaced = facts.unplaced(table, "READ") + facts.unplaced(table, "WRITTEN")
            single = single & (unplaced == 0)
        names = ("BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN")
        times = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
        columns = [table[name][single].tolist() for name in (*names, *times)]
        for number, *values in zip(table.ids[single].tolist(), *columns):
            read, written, last, end, reading, writing, other = values
            one = found[number]
            one.read += max(0, read)
            one.written += max(0, written)
            one.size = max(one.size, last + 1 if read > 0 else 0, end + 1 if written > 0 else 0)
            one.reading, one.writing = one.reading + reading, one.writing + writing
            one.other += other
    return found


def removed_of(extra: Table) -> dict[int, float]:
    """Returns the files that the program removed, by record id, with the seconds in calls on their
    names (unlink, rename, stat). extra: the table POSIX_EXT."""
    gone = extra["UNLINKS"] > 0
    return dict(zip(extra.ids[gone].tolist(), extra["F_META_TIME"][gone].tolist()))


@dataclass
class Renamed:
    """The accesses to a file, summed over the names that it had one after another."""

    sums: File
    records: list[int]  # ids of these names


def renamed_of(facts: Facts, *, placed: bool = True) -> dict[int, Renamed]:
    """Returns the accesses to data files by the record id of their last name. placed: leaves out
    files with transfers at unknown offsets."""
    found: dict[int, Renamed] = {}
    for number, one in files_of(facts, placed=placed).items():
        file = found.setdefault(facts.finals.get(number, number), Renamed(File(), []))
        file.sums.add(one)
        file.records.append(number)
    return found
