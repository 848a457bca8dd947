"""Counts calls that the runtime saw but did not record, from the metadata of the log."""

from __future__ import annotations

from ..classes import dataclass
from ..log import Log

_PREFIX = "dropped_"
_TABLES = "dropped_for_full_tables"
_DEEPBIND = "dropped_by_deepbind"
# Text on where calls were dropped, by key of the metadata. The text of any other key is its words
# behind the prefix.
_WHERE = {
    "dropped_in_signal_handlers": "in signal handlers that had interrupted another call",
    "dropped_behind_stalled_threads": "behind a thread that was stalled in a call on the same file",
    "dropped_in_shared_memory": "in child processes that ran in the memory of their parent",
    "dropped_for_want_of_memory": "for which the runtime had no memory",
}


@dataclass(frozen=True)
class Dropped:
    """The calls that the runtime did not record, and the objects for which it recorded nothing."""

    calls: tuple[tuple[int, str], ...]  # how many calls were dropped, and where; most first
    untracked: int  # files, HDF5 ids and MPI requests for which the runtime's tables had no room
    deepbind: int  # libraries that were opened with RTLD_DEEPBIND

    @property
    def number(self) -> int:
        """The number of dropped calls; calls on untracked objects are not known, and not in it."""
        return sum(number for number, _ in self.calls)


def dropped(log: Log) -> Dropped:
    """Returns the calls and objects that the runtime dropped, summed over all processes of the
    log."""
    calls, untracked, deepbind = [], 0, 0
    for key, value in log.info.metadata:
        number = int(value) if value.isascii() and value.isdigit() else 0
        if not key.startswith(_PREFIX) or number == 0:
            continue
        if key == _TABLES:
            untracked += number
        elif key == _DEEPBIND:
            deepbind += number
        else:
            calls.append((number, _WHERE.get(key, key[len(_PREFIX) :].replace("_", " "))))
    return Dropped(tuple(sorted(calls, key=lambda row: (-row[0], row[1]))), untracked, deepbind)
