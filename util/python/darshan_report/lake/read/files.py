"""Finds the files to read, and computes the identity of each log."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from ...classes import dataclass
from .settled import Settled
from .trial_files import TrialFiles

_ENDING = ".darshan"
_STEP = 1 << 20
_MAGIC = 6567223  # behind the version in the header of a log
_AT_ONCE = 1 << 16  # entries of a folder that are sorted in memory
STATE_BITS = 24  # of a key: the hash of size and time; the bits above them hash the path


@dataclass(frozen=True)
class Found:
    """A file that may be a log, as a search found it: path, size in bytes, time of last
    modification (nanoseconds since 1970), and user id of its owner. key: a hash of path, size and
    time, by which a lake recognizes an unchanged file."""

    path: str
    size: int
    changed: int  # nanoseconds since the epoch
    key: int  # hashes of path, and of size and time: equal if the file has not changed
    owner: int = 0  # user id of the owner
    secret: bytes = b""  # a key of hashes of its path, in a lake with anonymized names


@dataclass(frozen=True)
class Identity:
    """The identity of a log: the first 128 bits of the SHA-256 of its content, in two halves."""

    high: int
    low: int
    # why the file could not be read; the identity is then a hash of the file and the reason
    problem: str = ""

    @property
    def text(self) -> str:
        """The identity in the form of the tables, as hexadecimal digits."""
        return f"{self.high:016x}{self.low:016x}"


@dataclass(frozen=True)
class State:
    """The state of a file, which differs if the file was written or replaced: device, number of the
    inode, size in bytes, time of last modification (nanoseconds since 1970), and user id of the
    owner."""

    device: int
    number: int  # of the inode
    size: int
    changed: int  # nanoseconds since the epoch
    owner: int  # user id


def _state(status: os.stat_result) -> State:
    return State(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_uid)


def shown(path: str) -> str:
    """Returns a path in the form of the tables: bytes that are not UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _hash(content: bytes, secret: bytes = b"") -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8, key=secret).digest(), "little")


def _key(path: str, size: int, changed: int, secret: bytes) -> int:
    """Returns a hash of the path, size and time of last modification of a file. Its upper bits are
    a hash of the path alone. secret: key of the hash of the path, in an anonymized lake."""
    place = _hash(os.fsencode(path), secret) >> STATE_BITS << STATE_BITS
    return place | _hash(f"{size} {changed}".encode()) >> (64 - STATE_BITS)


def earlier_key(found: Found) -> int:
    """Returns the key that earlier releases gave a file. Lakes that they made have such keys."""
    return _hash(f"{found.size} {found.changed} ".encode() + os.fsencode(found.path))


def _found(path: str, status: os.stat_result, secret: bytes) -> Found:
    size, changed = status.st_size, status.st_mtime_ns
    return Found(path, size, changed, _key(path, size, changed, secret), status.st_uid, secret)


def _may_follow(link: os.stat_result, target: os.stat_result) -> bool:
    """Returns whether a symbolic link is followed. A user's link may lead to a file that only the
    collector can read, so it must lead to a file of the same user. Links of root and of the
    collector's user are always followed. link, target: their status."""
    return link.st_uid in (0, os.getuid(), target.st_uid)


def _described(path: str, secret: bytes) -> Found:
    """Returns the file at a path, of any type. Returns a symbolic link itself if it must not be
    followed. Raises OSError."""
    own = os.lstat(path)
    if stat.S_ISLNK(own.st_mode):
        target = os.stat(path)
        return _found(path, target if _may_follow(own, target) else own, secret)
    return _found(path, own, secret)


def named(path: str, secret: bytes = b"") -> Found:
    """Returns the file at a path that the user named, of any type. A file that cannot be found gets
    size 0; reading it later reports the error. secret: key of the hash of its path, in an
    anonymized lake."""
    path = os.path.abspath(path)
    try:
        return _described(path, secret)
    except OSError:
        return Found(path, 0, 0, _key(path, 0, 0, secret), 0, secret)


def _below_one(
    folder: str, folders: list[str], trials: TrialFiles | None
) -> Iterator[os.DirEntry[str]]:
    """Yields the entries of a folder that may be logs. Adds its subfolders to `folders`, and
    results of `darshan try` to `trials`. Names are sorted in groups, because a folder may have more
    names than fit into memory."""
    with os.scandir(folder) as entries:
        while some := list(itertools.islice(entries, _AT_ONCE)):
            logs = []
            for entry in some:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith(_ENDING):
                    logs.append(entry)
                elif trials is not None:
                    trials.entry(entry)
            yield from sorted(logs, key=lambda e: e.name)


def _entries(
    folder: str,
    closed: list[OSError],
    settled: Settled | None = None,
    trials: TrialFiles | None = None,
) -> Iterator[os.DirEntry[str]]:
    """Yields the entries below a folder that may be logs, folder by folder, at any depth. Skips
    settled folders; settled None: no folder is. Adds the errors of folders that cannot be read to
    `closed`, and results of `darshan try` to `trials`, if that is not None."""
    waiting = [folder]
    while waiting:
        folders: list[str] = []
        here, number = waiting.pop(), 0
        if settled is not None and settled.skips(here):
            continue
        try:
            for entry in _below_one(here, folders, trials):
                number += 1
                yield entry
        except FileNotFoundError:
            continue  # removed meanwhile
        except OSError as error:
            closed.append(error)
        else:
            if settled is not None and not folders:
                settled.listed(here, number)
        waiting += sorted(folders, reverse=True)


def below(
    folder: str,
    closed: list[OSError],
    secret: bytes = b"",
    settled: Settled | None = None,
    trials: TrialFiles | None = None,
) -> Iterator[Found]:
    """Yields the files below a folder whose names are those of logs, folder by folder, in order of
    names. Symbolic links to folders are not followed, so there are no cycles. Adds the errors of
    folders that cannot be read to `closed`, and results of `darshan try` to `trials`. Skips settled
    folders. secret: key of the hashes of paths, in an anonymized lake."""
    for entry in _entries(folder, closed, settled, trials):
        try:
            if entry.is_symlink():
                yield _described(entry.path, secret)
            else:
                yield _found(entry.path, entry.stat(), secret)
        except FileNotFoundError:
            continue
        # for example a symbolic link to itself: it fails later, when it is read
        except OSError:
            yield named(entry.path, secret)


def count(path: str, settled: Settled | None = None) -> int:
    """Returns how many logs a file or folder contains, by their names alone. Logs in settled
    folders are not counted; settled None: no folder is settled."""
    if not os.path.isdir(path):
        return 1
    return sum(1 for _ in _entries(os.path.abspath(path), [], settled))


def listed(
    paths: Sequence[str],
    closed: list[OSError],
    secret: bytes = b"",
    settled: Settled | None = None,
    trials: TrialFiles | None = None,
) -> Iterator[Found]:
    """Yields the logs that a command line names: each file, and the logs below each folder. Adds
    the errors of folders that cannot be read to `closed`, and results of `darshan try` to `trials`.
    Skips settled folders. secret: key of the hashes of paths, in an anonymized lake."""
    for path in paths:
        if os.path.isdir(path):
            yield from below(os.path.abspath(path), closed, secret, settled, trials)
        else:
            if trials is not None:
                trials.beside(path)
            yield named(path, secret)


def _regular(status: os.stat_result, path: str) -> os.stat_result:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)
    return status


def state(path: str) -> State:
    """Returns the current state of a file. Raises OSError if stat fails."""
    return _state(os.stat(path))


def _is_log(begin: bytes) -> bool:
    """Returns whether the first bytes of a file are the header of a log, of either byte order."""
    return _MAGIC.to_bytes(8, "little") in (begin[8:16], begin[15:7:-1])


def identity(path: str, most: int = sys.maxsize, secret: bytes = b"") -> tuple[Identity, State]:
    """Reads a file. Returns its log's identity, and its state before it was read. Raises OSError,
    also if a log has more than `most` bytes. Pipes and devices are not opened, because this could
    block, or rewind a tape. If a file lacks the header of a log, no more of it is read, and its
    identity is a hash of its path, size and time of last modification. secret: the key of this
    hash; b"" for a hash without a key."""
    _regular(os.stat(path), path)
    whole = hashlib.sha256()
    link = os.lstat(path)
    is_link = stat.S_ISLNK(link.st_mode)
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags if is_link else flags | os.O_NOFOLLOW)
    with open(handle, "rb", buffering=0) as file:
        before = _regular(os.fstat(handle), path)
        if is_link and not _may_follow(link, before):
            raise OSError(errno.ELOOP, "Is a link to a file of another user", path)
        part = file.read(_STEP)
        if not _is_log(part):
            return of_failure(_found(path, before, secret), ""), _state(before)
        size = before.st_size
        while part and size <= most:
            whole.update(part)
            part = file.read(_STEP)
            size = max(size, file.tell())
    if size > most:
        raise OSError(errno.EFBIG, f"Larger than a log may be (--log-bytes {most})", path)
    return _identity(whole.digest()), _state(before)


def odd(found: Found, now: State | None, which: Identity) -> str:
    """Returns the reason why the file that was read is not the one that was listed: it could not be
    read, or its size or time of last modification differs. Returns "" if it is the same file. now:
    its state when it was read; None if it could not be read. which: has the reason then."""
    if now is None:
        return which.problem
    same = (now.size, now.changed) == (found.size, found.changed)
    return "" if same else "is another file there"


def is_as_found(found: Found) -> bool:
    """Returns whether a file can be read on this machine and is the file that was listed."""
    try:
        which, now = identity(found.path, secret=found.secret)
    except OSError:
        return False
    return not odd(found, now, which)


def of_failure(found: Found, why: str) -> Identity:
    """Returns an identity for a file that could not be read, with the reason `why`. Another size,
    time of last modification or reason gives another identity."""
    said = f"{found.size} {found.changed} {why} ".encode() + os.fsencode(found.path)
    if found.secret:
        return _identity(hashlib.blake2b(said, digest_size=32, key=found.secret).digest(), why)
    return _identity(hashlib.sha256(said).digest(), why)


def _identity(digest: bytes, problem: str = "") -> Identity:
    high, low = digest[:8], digest[8:16]
    return Identity(int.from_bytes(high, "big"), int.from_bytes(low, "big"), problem)


def is_gone(error: OSError, path: str) -> bool:
    """Returns whether an error means that no entry named `path` exists, not even a dangling
    symbolic link."""
    return isinstance(error, FileNotFoundError) and not os.path.lexists(path)


def rows(of: Sequence[tuple[Identity, Found]], row: np.dtype) -> np.ndarray:
    """Returns rows for commit/seen.py, one for each log and its file. row: the type of a row. The
    key of an unreadable file is half of its identity, not the key of its path. Therefore the file
    is read again: its permissions or server may change while its size and time stay the same."""
    return np.array([(i.high, i.low, i.low if i.problem else f.key) for i, f in of], row)
