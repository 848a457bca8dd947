"""Finds files that several processes use at the same time while some of them write. A process
cannot keep such a file's contents or its offset in memory, because another process may change the
file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...measure.processes.processes import Processes
from ...measure.processes.shared import Shared
from ..table import Table

_LOCK_FILES = (".lock", ".lck")  # extensions of lock files
_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class InCommon:
    """The record ids of files that several processes use and at least one of them writes. `apart`
    has the files that no two processes of this run use at the same time, although they are locked;
    the other files are used by several at the same time."""

    states: frozenset[int] = _NONE  # files that are also read: processes use what others wrote
    outputs: frozenset[int] = _NONE  # files that are only written, or read after the last write
    locked: frozenset[int] = _NONE  # files of both kinds that are locked, or that have a lock file
    # Files of both kinds that no two processes of the run use at the same time. They are locked, so
    # processes of other runs may use them.
    apart: frozenset[int] = _NONE

    @property
    def ids(self) -> frozenset[int]:
        """The ids of all these files."""
        return self.states | self.outputs


@dataclass
class _Use:
    """The use of one file, summed over processes and over the tables of POSIX and STDIO."""

    users: int = 0  # processes
    read: float = 0.0  # bytes
    written: float = 0.0
    at_once: bool = False  # several processes at the same time
    # For each process with its own record: from its first open to its last close, in seconds.
    spans: list[tuple[float, float]] = field(default_factory=list)
    first_read: float = math.inf  # seconds since the start of the run
    last_write: float = 0.0

    @property
    def is_state(self) -> bool:
        """Whether the file is read before its last write, so that processes read what others
        wrote."""
        return self.read > 0 and self.first_read < self.last_write

    @property
    def is_input(self) -> bool:
        """Whether more bytes of the file are read than written, and none before its last write."""
        return not self.is_state and self.read > self.written

    @property
    def is_common(self) -> bool:
        """Whether several processes of the run use the file at the same time."""
        return self.users > 1 and (self.at_once or _overlap(self.spans))


def in_common(
    tables: Sequence[Table],
    locked: frozenset[int],
    known: dict[int, Shared],
    tree: Processes | None,
) -> InCommon:
    """Returns the files that the run writes and that several processes use at the same time, or
    that are locked; without files that are mostly read after their last write. tables: those of the
    lowest layers. locked: the ids of the locked files. known: the ranks of combined records, by
    module id. tree: the processes of a run of several programs, which may run one after another;
    None: ranks of a job, which use a file at the same time."""
    uses: dict[int, _Use] = {}
    for table in tables:
        # A file that is renamed to the name of another file is a new version of that file.
        written = (table["BYTES_WRITTEN"] > 0) | (table["RENAME_TARGETS"] > 0)
        ids = table.ids[written & (table.shared | np.isin(table.ids, _array(locked)))]
        for number in ids.tolist():
            _add(uses.setdefault(number, _Use()), table, number, known, tree)
    found = {
        number: use
        for number, use in uses.items()
        if not use.is_input and (number in locked or use.is_common)
    }
    return InCommon(
        frozenset(number for number, use in found.items() if use.is_state),
        frozenset(number for number, use in found.items() if not use.is_state),
        locked & found.keys(),
        frozenset(number for number, use in found.items() if not use.is_common),
    )


def _array(ids: frozenset[int]) -> npt.NDArray[np.uint64]:
    return np.fromiter(ids, "u8", len(ids))


def locked_files(
    locks: Table | None,
    tables: Sequence[Table],
    name: Callable[[int], str],
    hdf5: Table | None,
) -> frozenset[int]:
    """Returns the ids of the files that are locked, and of the files that a locked lock file
    protects (`x` for `x.lock`). A program that locks a file expects that other processes use it.
    HDF5 locks each file that it opens, until it closes the file, of its own accord; such files are
    left out. name: returns the name of a record. locks: the table with counts of locks, without
    which no file is known to be locked. hdf5: the table of HDF5 files; None if there are none."""
    if locks is None:
        return _NONE
    held = {} if hdf5 is None else dict(zip(hdf5.ids.tolist(), hdf5["OPENS"].tolist()))
    set_by = zip(locks.ids.tolist(), locks["LOCKS"].tolist())
    found = frozenset(number for number, times in set_by if times > 2 * held.get(number, 0))
    owners = {
        of.removesuffix(end) for of in map(name, found) for end in _LOCK_FILES if of.endswith(end)
    }
    if not owners:
        return found
    beside = (number for table in tables for number in table.ids.tolist() if name(number) in owners)
    return found | frozenset(beside)


def _add(
    use: _Use, table: Table, number: int, known: dict[int, Shared], tree: Processes | None
) -> None:
    """Adds to `use` how processes used the file with the record id `number` in one table; nothing
    if the table lacks the file. known: the ranks of combined records, by module id. tree: the
    processes of a run of several programs; None: ranks of a job."""
    place = table.place(number)
    if place is None:
        return
    use.users = max(use.users, int(table.processes[place]))
    use.read += float(table["BYTES_READ"][place])
    use.written += float(table["BYTES_WRITTEN"][place])
    rows = np.flatnonzero(table.records.ids == number)
    begun = table.seconds_or_bytes("F_READ_START_TIMESTAMP")[rows]
    use.first_read = min(use.first_read, *begun[begun > 0].tolist(), math.inf)
    renamed = table["RENAME_TARGETS"][place] > 1
    last = math.inf if renamed else float(table["F_WRITE_END_TIMESTAMP"][place])
    use.last_write = max(use.last_write, last)
    if tree is None:
        use.at_once = True  # ranks of a job
        return
    ranks = table.records.ranks[rows]
    if (ranks < 0).any():
        use.at_once |= _live_at_once(tree, *_range(table, number, known, tree))
        return
    for row, rank in zip(rows.tolist(), ranks.tolist()):
        use.at_once |= bool((tree.counts[tree.ranks == rank] > 1).any() and tree.at_once > 1)
        begin = float(table.seconds_or_bytes("F_OPEN_START_TIMESTAMP")[row])
        use.spans.append((begin, float(table.seconds_or_bytes("F_CLOSE_END_TIMESTAMP")[row])))


def _range(table: Table, number: int, known: dict[int, Shared], tree: Processes) -> tuple[int, int]:
    """Returns the lowest and the highest rank of the processes whose I/O the combined record
    `number` may contain. If the log does not store them, returns those of the whole run. known: the
    ranks of combined records, by module id."""
    partly = known.get(table.records.module.id)
    row = -1 if partly is None else int(partly.rows(np.array([number], "u8"))[0])
    if partly is None or row < 0:
        return int(tree.ranks[0]), int(tree.ranks[-1])
    return int(partly.lowest[row]), int(partly.highest[row])


def _live_at_once(tree: Processes, low: int, high: int) -> bool:
    """Returns whether at least two of the processes with ranks from `low` to `high`, both included,
    lived at the same time."""
    some = (tree.ranks >= low) & (tree.ranks <= high)
    if bool((tree.counts[some] > 1).any()) and tree.at_once > 1:
        return True
    return _overlap(list(zip(tree.start[some].tolist(), tree.end[some].tolist())))


def _overlap(spans: Sequence[tuple[float, float]]) -> bool:
    """Returns whether two of the spans of time (begin and end in seconds) overlap."""
    ordered = sorted(spans)
    return any(after[0] < before[1] for before, after in zip(ordered, ordered[1:]))
