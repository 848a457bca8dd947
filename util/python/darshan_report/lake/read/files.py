"""Which files there are to read, and which of them are which log."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

_ENDING = ".darshan"
_STEP = 1 << 20


@dataclass(frozen=True)
class Found:
    """A file that may be a log."""

    path: str
    size: int
    changed: int  # nanoseconds since the epoch
    key: int  # of path, size and time: equal if nothing has happened to it


@dataclass(frozen=True)
class Identity:
    """Which log: 128 bits of the SHA-256 of its content."""

    high: int
    low: int

    @property
    def text(self) -> str:
        """As it stands in the tables."""
        return f"{self.high:016x}{self.low:016x}"


def _found(path: str, status: os.stat_result) -> Found:
    said = f"{status.st_size} {status.st_mtime_ns} ".encode() + os.fsencode(path)
    key = int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "little")
    return Found(path, status.st_size, status.st_mtime_ns, key)


def named(path: str) -> Found:
    """A file by its name, whatever it is; one that is not there is read, and fails, later."""
    path = os.path.abspath(path)
    try:
        return _found(path, os.stat(path))
    except OSError:
        return Found(path, 0, 0, 0)


def below(folder: str) -> Iterator[Found]:
    """The logs below a folder, by name: what a day's folder has comes together."""
    folders, logs = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith(_ENDING):
                    logs.append(entry)
    except OSError:
        return
    for entry in sorted(logs, key=lambda e: e.name):
        try:
            yield _found(entry.path, entry.stat())
        except OSError:
            continue  # gone by now
    for name in sorted(folders):
        yield from below(name)


def count(path: str) -> int:
    """How many logs were named by a file's or a folder's name, by their names alone."""
    if not os.path.isdir(path):
        return 1
    return sum(1 for _, _, names in os.walk(path) for name in names if name.endswith(_ENDING))


def listed(paths: Sequence[str]) -> Iterator[Found]:
    """What was named on a command line: logs, and folders of them."""
    for path in paths:
        if os.path.isdir(path):
            yield from below(os.path.abspath(path))
        else:
            yield named(path)


def identity(path: str) -> Identity:
    """Reads a file for which log it is; OSError."""
    whole = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while part := file.read(_STEP):
            whole.update(part)
    return _identity(whole.digest())


def of_failure(found: Found, why: str) -> Identity:
    """Stands for a file that could not be read, until something happens to it."""
    said = f"{found.size} {found.changed} {why} ".encode() + os.fsencode(found.path)
    return _identity(hashlib.sha256(said).digest())


def _identity(digest: bytes) -> Identity:
    return Identity(int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big"))


def rows(of: Sequence[tuple[Identity, Found]], row: np.dtype) -> np.ndarray:
    """The same as an array."""
    return np.array([(i.high, i.low, f.key) for i, f in of], row)
