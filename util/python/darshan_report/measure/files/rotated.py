"""Finds files that are renamed when they are full, such as logs: x becomes x.1 and x.1 becomes x.2,
or each version gets a new name. Older versions keep their bytes, so a new file with the old name is
not the same file written again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from .renamed import PosixFiles, is_aside

_HALF = 0.5  # smallest share of a file's renames that lead to names which are kept


def rotated(posix: PosixFiles, name: Callable[[int], str], often: int) -> frozenset[int]:
    """Returns the ids of files that were renamed at least `often` times, at least half of them to
    names that are kept (`log`, `log.1`, `log.2`), and the ids of these versions; empty if the log
    does not record renames. name: returns the name of a record."""
    if not posix.has("RENAMED_FROM"):
        return frozenset()
    sources = posix.record_ids("RENAMED_FROM")
    targets: dict[int, list[int]] = defaultdict(list)
    for place in np.flatnonzero(posix["RENAME_TARGETS"] > 0).tolist():
        targets[int(sources[place])].append(place)
    found: set[int] = set()
    for place in np.flatnonzero(posix["RENAME_SOURCES"] >= often).tolist():
        number = int(posix.ids[place])
        renames, made = float(posix["RENAME_SOURCES"][place]), targets[number]
        # A target that is replaced each time also keeps its version, if it is renamed before.
        passed = any(
            is_aside(name(int(posix.ids[t])))
            and posix["RENAME_TARGETS"][t] >= _HALF * renames
            and posix["RENAME_SOURCES"][t] >= _HALF * posix["RENAME_TARGETS"][t]
            for t in made
        )
        own = [t for t in made if name(int(posix.ids[t])).startswith(name(number))]
        if passed or len(own) >= _HALF * renames:
            found |= _versions(posix, number, targets, name)
    return frozenset(found)


def _versions(
    posix: PosixFiles, number: int, targets: dict[int, list[int]], name: Callable[[int], str]
) -> set[int]:
    """Returns the id of a file, and the ids of the versions to which it was renamed, directly or
    through other versions. number: id of the file. targets: rows of the new names, by id of the old
    name."""
    found, todo = {number}, list(targets[number])
    while todo:
        version = int(posix.ids[todo.pop()])
        if version not in found:
            found.add(version)
            todo += targets[version] if is_aside(name(version)) else ()
    return found
