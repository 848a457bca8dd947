"""Which logs a lake has: sorted arrays of their identities, a file per commit.

A row is the identity of a log (128 bits of the SHA-256 of its content) and a key of where
it lay (path, size, time of change), by which a file that has not changed is known without
reading it.  The files are mapped, not read: a look-up touches few pages of each.
"""

from __future__ import annotations

import os

import numpy as np

from . import place

ROW = np.dtype([("high", "<u8"), ("low", "<u8"), ("key", "<u8")])


def write(lake: str, rows: np.ndarray) -> str:
    """A new file of these rows; its name.  Nobody looks into it before it is committed."""
    name = place.new_name()
    ordered = np.sort(rows, order=["high", "low"])
    path = os.path.join(lake, place.SEEN, name)
    with open(path, "xb") as file:
        file.write(ordered.tobytes())
        file.flush()
        os.fsync(file.fileno())
    return name


def _load(lake: str, name: str) -> np.ndarray:
    path = os.path.join(lake, place.SEEN, name)
    if os.path.getsize(path) < ROW.itemsize:
        return np.empty(0, ROW)
    return np.memmap(path, ROW, "r")


def _known(rows: np.ndarray, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Which identities are in these sorted rows."""
    found = np.zeros(len(high), bool)
    if not len(rows):
        return found
    at = np.searchsorted(rows["high"], high)
    inside = at < len(rows)
    at = at.clip(0, len(rows) - 1)
    found = inside & (rows["high"][at] == high) & (rows["low"][at] == low)
    return found


class Seen:
    """The identities of several files of a lake."""

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._rows: dict[str, np.ndarray] = {}
        # Of all logs ever, so only in the memory of who looks for files to read.
        self._keys: np.ndarray | None = None

    def update(self, names: set[str]) -> None:
        """Looks into these files, and no others."""
        for name in set(self._rows) - names:
            del self._rows[name]
        new = {name: _load(self._lake, name) for name in names - set(self._rows)}
        self._rows |= new
        if new:
            self._keys = None

    def has(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Which of these logs are known."""
        found = np.zeros(len(high), bool)
        for rows in self._rows.values():
            found |= _known(rows, high, low)
        return found

    def unread(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Which of these stand for files that could not be read: their key is their identity."""
        found = np.zeros(len(high), bool)
        for rows in self._rows.values():
            known = _known(rows, high, low)
            at = np.searchsorted(rows["high"], high[known])
            found[known] = rows["key"][at] == rows["low"][at]
        return found

    def has_keys(self, keys: np.ndarray) -> np.ndarray:
        """Which of these places were looked at."""
        if self._keys is None:
            parts = (np.asarray(rows["key"]) for rows in self._rows.values())
            self._keys = np.unique(np.concatenate([np.empty(0, "u8"), *parts]))
        if not len(self._keys):
            return np.zeros(len(keys), bool)
        at = np.searchsorted(self._keys, keys).clip(0, len(self._keys) - 1)
        return np.asarray(self._keys[at] == keys)

    def all(self) -> np.ndarray:
        """All rows, as one array."""
        return np.concatenate([np.empty(0, ROW), *self._rows.values()])
