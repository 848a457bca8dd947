"""Follows files that are written under a temporary name and then renamed. The user knows such a
file by its last name. If the rename only keeps an older version (x.bak, x.1), the user knows the
file by its first name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...records import UNKNOWN
from .files import Files

_ASIDE = re.compile(r"(~|\.(bak|backup|old|orig|save|prev(ious)?|[0-9]{1,4}))(\.(gz|xz|zst|bz2))?$")


class PosixFiles(Protocol):
    """The POSIX records, joined by file, as this module uses them."""

    ids: np.ndarray

    def has(self, name: str) -> bool: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def record_ids(self, name: str) -> npt.NDArray[np.uint64]: ...
    def place(self, record: int) -> int | None: ...


def is_aside(name: str) -> bool:
    """Returns whether a name is that of an older version, such as x.bak or x.1."""
    return bool(_ASIDE.search(name))


def _last(names: Mapping[int, int]) -> dict[int, int]:
    """Returns the id of each file's last name, by the id of its earlier name. Leaves out names that
    form a circle."""
    found: dict[int, int] = {}
    for source in names:
        last, seen = source, {source}
        while (name := names.get(last)) is not None and name not in seen:
            seen.add(name)
            last = name
        if last not in names:
            found[source] = last
    return found


def names_of(posix: PosixFiles) -> Mapping[int, int]:
    """Returns how many names each renamed file got one after another, by its id. There are several
    if many files were written under the same temporary name, for example all snapshots of a
    simulation as "snapshot". Returns {} for a log that does not record renames."""
    if not posix.has("RENAMED_FROM"):
        return {}
    sources = posix.record_ids("RENAMED_FROM")
    renamed = (posix["RENAME_TARGETS"] > 0) & (sources > 0)
    names, uses = np.unique(sources[renamed], return_counts=True)
    return dict(zip(names.tolist(), uses.tolist()))


def finals(posix: PosixFiles, name: Callable[[int], str]) -> Mapping[int, int]:
    """Returns the id of a file's last name, by the id of its earlier, temporary name. Leaves out a
    temporary name that several files had one after another, a name by which the program read the
    file, and renames to the name of an older version (x.bak). name: returns the name of a
    record."""
    found: dict[int, int] = {}
    if not posix.has("RENAMED_FROM"):
        return found
    sources = posix.record_ids("RENAMED_FROM")
    names = names_of(posix)
    for target in np.flatnonzero((posix["RENAME_TARGETS"] > 0) & (sources > 0)):
        number, source = int(posix.ids[target]), int(sources[target])
        place = posix.place(source)
        if place is None or source == number or names[source] > 1:
            continue
        # A program that reads a file by its name before the rename knows the file by that name.
        lasting = posix["BYTES_READ"][place] > 0 or posix["RENAME_SOURCES"][place] == 0
        if not lasting and not is_aside(name(number)):
            found[source] = number
    return _last(found)


def _sums(values: np.ndarray, rows: npt.NDArray[np.intp], count: int) -> np.ndarray:
    """Returns `count` sums of the known values; UNKNOWN for a sum without known values. rows: index
    of the sum to which each value belongs."""
    known = values != UNKNOWN
    sums = np.zeros(count, values.dtype)
    np.add.at(sums, rows[known], values[known])
    some = np.zeros(count, bool)
    some[rows[known]] = True
    sums[~some] = UNKNOWN
    return sums


def _most(values: np.ndarray, rows: npt.NDArray[np.intp], count: int) -> np.ndarray:
    most = np.full(count, UNKNOWN, values.dtype)
    np.maximum.at(most, rows, values)
    return most


def by_last_name(files: Files, names: Mapping[int, int]) -> Files:
    """Returns the files with a single row for all names of a file, under its last name: bytes and
    seconds are summed. names: ids of last names by the ids of temporary names."""
    known = np.array(sorted(names), "u8")
    places = np.searchsorted(known, files.ids)
    if not len(known) or not np.any(known[np.minimum(places, len(known) - 1)] == files.ids):
        return files
    ids = np.array([names.get(number, number) for number in files.ids.tolist()], "u8")
    ids, rows = np.unique(ids, return_inverse=True)
    count = len(ids)
    processes = _most(files.processes, rows, count)
    processes[rows[files.processes < 0]] = -1
    return replace(
        files,
        ids=ids,
        processes=processes,
        size=_most(files.size, rows, count),
        stands=_most(files.stands, rows, count),
        **{
            name: _sums(getattr(files, name), rows, count)
            for name in ("read", "written", "time", "mapped", "touched")
        },
    )
