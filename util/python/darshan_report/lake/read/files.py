"""Which files there are to read, and which of them are which log."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
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
    problem: str = ""  # it could not be read: this stands for the file and the reason

    @property
    def text(self) -> str:
        """As it stands in the tables."""
        return f"{self.high:016x}{self.low:016x}"


@dataclass(frozen=True)
class State:
    """What a file is at some moment: equal as long as nobody writes into it, or replaces it."""

    device: int
    number: int
    size: int
    changed: int


def _state(status: os.stat_result) -> State:
    return State(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def shown(path: str) -> str:
    """A path as it stands in the tables: bytes that are no UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _key(path: str, size: int, changed: int) -> int:
    said = f"{size} {changed} ".encode() + os.fsencode(path)
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "little")


def _found(path: str, status: os.stat_result) -> Found:
    size, changed = status.st_size, status.st_mtime_ns
    return Found(path, size, changed, _key(path, size, changed))


def named(path: str) -> Found:
    """A file by its name, whatever it is; one that is not there is read, and fails, later."""
    path = os.path.abspath(path)
    try:
        return _found(path, os.stat(path))
    except OSError:
        return Found(path, 0, 0, _key(path, 0, 0))


def _below_one(folder: str) -> tuple[list[str], list[os.DirEntry[str]]]:
    folders, logs = [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.name.endswith(_ENDING):
                logs.append(entry)
    return sorted(folders), sorted(logs, key=lambda e: e.name)


def below(folder: str, closed: list[OSError]) -> Iterator[Found]:
    """The logs below a folder, by name: what a day's folder has comes together.  Links to
    folders are not followed, so none can lead in a circle.  closed: takes the folders that
    cannot be read."""
    waiting = [folder]
    while waiting:
        try:
            folders, logs = _below_one(waiting.pop())
        except FileNotFoundError:
            continue  # gone by now
        except OSError as error:
            closed.append(error)
            continue
        for entry in logs:
            try:
                yield _found(entry.path, entry.stat())
            except FileNotFoundError:
                continue
            except OSError:  # a link to itself, say: it is read, and fails, later
                yield named(entry.path)
        waiting += reversed(folders)


def count(path: str) -> int:
    """How many logs were named by a file's or a folder's name, by their names alone."""
    if not os.path.isdir(path):
        return 1
    return sum(1 for _, _, names in os.walk(path) for name in names if name.endswith(_ENDING))


def listed(paths: Sequence[str], closed: list[OSError]) -> Iterator[Found]:
    """What was named on a command line: logs, and folders of them."""
    for path in paths:
        if os.path.isdir(path):
            yield from below(os.path.abspath(path), closed)
        else:
            yield named(path)


def _regular(status: os.stat_result, path: str) -> os.stat_result:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file", path)
    return status


def state(path: str) -> State:
    """What a file is now; OSError."""
    return _state(os.stat(path))


def identity(path: str) -> tuple[Identity, State]:
    """Reads a file for which log it is, and what it was meanwhile; OSError.  A pipe or a
    device is not even opened: that would wait for somebody, or wind a tape."""
    _regular(os.stat(path), path)
    whole = hashlib.sha256()
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb", buffering=0) as file:
        before = _regular(os.fstat(handle), path)
        while part := file.read(_STEP):
            whole.update(part)
    return _identity(whole.digest()), _state(before)


def odd(found: Found, now: State | None, which: Identity) -> str:
    """What of a file is not as it was found by who listed it; empty: nothing."""
    if now is None:
        return which.problem
    same = (now.size, now.changed) == (found.size, found.changed)
    return "" if same else "is another file there"


def is_as_found(found: Found) -> bool:
    """Whether a file can be read here, and is the one that was listed."""
    try:
        which, now = identity(found.path)
    except OSError:
        return False
    return not odd(found, now, which)


def of_failure(found: Found, why: str) -> Identity:
    """Stands for a file that could not be read, until something happens to it."""
    said = f"{found.size} {found.changed} {why} ".encode() + os.fsencode(found.path)
    return _identity(hashlib.sha256(said).digest(), why)


def _identity(digest: bytes, problem: str = "") -> Identity:
    high, low = digest[:8], digest[8:16]
    return Identity(int.from_bytes(high, "big"), int.from_bytes(low, "big"), problem)


def is_gone(error: OSError, path: str) -> bool:
    """Whether nothing is there any more by this name, not even a link to nothing."""
    return isinstance(error, FileNotFoundError) and not os.path.lexists(path)


def rows(of: Sequence[tuple[Identity, Found]], row: np.dtype) -> np.ndarray:
    """The same as an array.  A file that could not be read is looked at again: what it lacked
    (a right, a server) need not change its size or its time.  Its key is its identity, by which
    such rows are known (commit/seen.py)."""
    return np.array([(i.high, i.low, i.low if i.problem else f.key) for i, f in of], row)
