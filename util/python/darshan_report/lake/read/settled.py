"""Remembers folders of logs that no longer change, so that a search need not list them each time.

A folder is settled if it has no subfolders, the lake has all its logs, and neither the folder nor a
log in it has changed for a day. Folders with few logs are always listed. The lake stores the
settled folders in a file, which is ignored if it cannot be read, because it only saves time. A
folder is listed again if it has changed (by its inode's time of change, which no user can set), and
also after some days, because a log may be rewritten in place."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time

import numpy as np

from ..commit import storage

_FILE = "_folders"  # in the lake
_ROW = np.dtype(
    [("path", "<u8"), ("device", "<u8"), ("number", "<u8"), ("changed", "<i8"), ("looked", "<i8"),
     ("logs", "<i8")]
)  # fmt: skip
QUIET = 86_400.0  # seconds without a change after which a folder can be settled
# Seconds after which a folder is listed again; it may be up to _SPREAD more, so that not all of
# them are listed again at the same time.
_AGAIN, _SPREAD = 5 * 86_400, 2 * 86_400
_FEWEST = 8  # logs of a folder that is kept
_MOST = 1 << 18  # folders


class Settled:
    """The settled folders of a lake, which a search for logs skips. One object serves all searches
    of a collection. secret: key of the hashes of paths in the file, for an anonymized lake."""

    def __init__(self, lake: str, secret: bytes = b"") -> None:
        self._path = os.path.join(lake, _FILE)
        self._secret = secret
        self._known: dict[int, tuple[int, ...]] = {}
        self._seen: dict[str, os.stat_result] = {}  # folders before they are listed
        self._listed: dict[str, int] = {}  # folders that are settled if no log contradicts
        self._open: set[str] = set()
        self.logs = 0  # in folders that were skipped
        with contextlib.suppress(OSError, ValueError):
            rows = np.fromfile(self._path, _ROW, _MOST)
            self._known = {int(row["path"]): tuple(row.tolist()[1:]) for row in rows}

    def begin(self) -> None:
        """Begins a search for logs: forgets which folders an unfinished search has listed, and
        counts skipped logs from 0."""
        self._seen, self._listed, self._open, self.logs = {}, {}, set(), 0

    def _key(self, folder: str) -> int:
        said = hashlib.blake2b(os.fsencode(folder), digest_size=8, key=self._secret)
        return int.from_bytes(said.digest(), "little")

    def skips(self, folder: str) -> bool:
        """Returns whether a folder is settled, and counts its logs if so. If not, the caller lists
        it; its state before that is stored for listed()."""
        try:
            status = os.stat(folder)
        except OSError:
            return False
        key = self._key(folder)
        known = self._known.get(key)
        if known is not None:
            *state, looked, logs = known
            age = time.time() - looked
            now = [status.st_dev, status.st_ino, status.st_ctime_ns]
            if state == now and 0 <= age < _AGAIN + key % _SPREAD:
                self.logs += logs
                return True
            del self._known[key]
        self._seen[folder] = status
        return False

    def listed(self, folder: str, logs: int) -> None:
        """Records that a folder without subfolders was listed. It becomes settled at the end of the
        search if it is quiet, has enough logs, and open() is not called for one of them. logs:
        number of logs in it."""
        status = self._seen.pop(folder, None)
        if status is None or logs < _FEWEST or len(self._listed) >= _MOST:
            return
        if is_quiet(status.st_ctime_ns):
            self._listed[folder] = logs
            self._seen[folder] = status

    def open(self, path: str) -> None:
        """Records that the folder of this log is not settled, because the lake does not have the
        log yet, or the log changed lately."""
        self._open.add(os.path.dirname(path))

    def end(self) -> None:
        """Ends a complete search: folders that were listed and are quiet become settled. Also
        writes all settled folders to the lake's file if possible."""
        new = 0
        for folder, logs in self._listed.items():
            status = self._seen[folder]
            if folder in self._open or len(self._known) >= _MOST:
                continue
            self._known[self._key(folder)] = (
                status.st_dev, status.st_ino, status.st_ctime_ns, int(time.time()), logs,
            )  # fmt: skip
            new += 1
        if new:
            rows = np.array([(key, *row) for key, row in self._known.items()], _ROW)
            with contextlib.suppress(OSError):
                storage.replace(self._path, rows.tobytes())


def is_quiet(changed: int) -> bool:
    """Returns whether a time of change, in nanoseconds, is so long ago that its file or folder is
    treated as unchanged."""
    return 0 <= changed <= (time.time() - QUIET) * 1e9
