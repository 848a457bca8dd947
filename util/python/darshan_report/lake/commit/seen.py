"""The logs that a lake has, as sorted arrays of their identities. Each collected part adds a file,
and a compaction combines files.

A row has the identity of a log (128 bits of the SHA-256 of its content) and the key of its file.
The key is a hash of path, size and modification time; its upper bits are a hash of the path alone
(read/files.py). By the key, an unchanged file is recognized without reading it. Large files are
mapped into memory, because a look-up touches few of their pages."""

from __future__ import annotations

import os

import numpy as np

from ..read import files
from . import storage

_MAPPED = 1 << 20  # bytes from which on a file is mapped
ROW = np.dtype([("high", "<u8"), ("low", "<u8"), ("key", "<u8")])


def write(lake: str, rows: np.ndarray) -> str:
    """Writes rows (ROW) to a new file in _seen and returns the file's name. No reader opens it
    before a commit names it."""
    name = storage.new_name()
    ordered = np.sort(rows, order=["high", "low"])
    path = os.path.join(lake, storage.SEEN, name)
    with open(path, "xb") as file:
        file.write(ordered.tobytes())
        file.flush()
        os.fsync(file.fileno())
    return name


def _load(lake: str, name: str) -> np.ndarray:
    path = os.path.join(lake, storage.SEEN, name)
    # A mapping keeps a descriptor, and there may be many small files.
    if os.path.getsize(path) < _MAPPED:
        return np.fromfile(path, ROW)
    return np.memmap(path, ROW, "r")


def _known(rows: np.ndarray, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Returns a mask of the log identities that are among the rows. rows: sorted. high, low: upper
    and lower 64 bits of the identities."""
    if not len(rows):
        return np.zeros(len(high), bool)
    at = np.searchsorted(rows["high"], high)
    inside = at < len(rows)
    at = at.clip(0, len(rows) - 1)
    found: np.ndarray = inside & (rows["high"][at] == high) & (rows["low"][at] == low)
    return found


class Seen:
    """The identities and keys of the logs in a lake, from the files that update() has loaded."""

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._rows: dict[str, np.ndarray] = {}
        # The keys of all logs; only a process that searches for files to read loads them.
        self._keys: np.ndarray | None = None

    def update(self, names: set[str]) -> None:
        """Loads the files of _seen with these names, and unloads all others."""
        for name in set(self._rows) - names:
            del self._rows[name]
        new = {name: _load(self._lake, name) for name in names - set(self._rows)}
        self._rows |= new
        if new:
            self._keys = None

    def has(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Returns a mask of the log identities that are known. high, low: their upper and lower 64
        bits."""
        found = np.zeros(len(high), bool)
        for rows in self._rows.values():
            found |= _known(rows, high, low)
        return found

    def unread(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Returns a mask of the identities that belong to files which could not be read. high, low:
        their upper and lower 64 bits. The key of such a file equals the lower half of its
        identity."""
        found = np.zeros(len(high), bool)
        for rows in self._rows.values():
            known = _known(rows, high, low)
            at = np.searchsorted(rows["high"], high[known])
            found[known] = rows["key"][at] == rows["low"][at]
        return found

    def has_keys(self, keys: np.ndarray) -> np.ndarray:
        """Returns a mask of the keys that are known: files with these keys have not changed since
        the lake got their logs."""
        known = self._all_keys()
        if not len(known):
            return np.zeros(len(keys), bool)
        at = np.searchsorted(known, keys).clip(0, len(known) - 1)
        return np.asarray(known[at] == keys)

    def _all_keys(self) -> np.ndarray:
        if self._keys is None:
            parts = (np.asarray(rows["key"]) for rows in self._rows.values())
            self._keys = np.unique(np.concatenate([np.empty(0, "u8"), *parts]))
        return self._keys

    def of_paths(self, keys: np.ndarray) -> np.ndarray:
        """Returns the stored rows of the same paths as these keys, an empty array if there are
        none. A key's upper bits are a hash of the path."""
        known = self._all_keys()
        bits = np.uint64(files.STATE_BITS)
        paths = keys >> bits
        if len(known):
            at = np.searchsorted(known, paths << bits).clip(0, len(known) - 1)
            paths = paths[known[at] >> bits == paths]
        if not len(known) or not len(paths):
            return np.empty(0, ROW)
        return np.concatenate([r[np.isin(r["key"] >> bits, paths)] for r in self._rows.values()])

    def of_logs(self, logs: np.ndarray) -> np.ndarray:
        """Returns the stored rows that have the same identities (high, low) as these rows."""
        wanted = np.sort(logs, order=["high", "low"])
        found = [np.empty(0, ROW)]
        for rows in self._rows.values():
            found.append(rows[_known(wanted, rows["high"], rows["low"])])
        return np.concatenate(found)

    def without(self, logs: np.ndarray) -> tuple[list[str], list[str]]:
        """Rewrites the files that have some of these logs, without the logs. logs: rows, of which
        only the identities count. Returns the names of the old and of the new files, which a commit
        must remove and add."""
        wanted = np.sort(logs, order=["high", "low"])
        old, new = [], []
        for name, rows in self._rows.items():
            goes = _known(wanted, rows["high"], rows["low"])
            if goes.any():
                old.append(name)
                new += [] if goes.all() else [write(self._lake, rows[~goes])]
        return old, new

    def all(self) -> np.ndarray:
        """Returns all rows as one array."""
        return np.concatenate([np.empty(0, ROW), *self._rows.values()])
