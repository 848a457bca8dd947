"""The mode of the files of a lake, which decides who may read and write them. _lake.json stores it.

A command that writes sets its umask, so that every file and folder has the mode from the beginning.
Folders also get the group of the folder above, if that folder has the setgid bit."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from . import storage

DEFAULT = 0o640
_ALL = 0o777


def folder(mode: int) -> int:
    """Returns the mode of folders for a mode of files, 0750 for 0640: users who may read files may
    search folders."""
    return mode | (mode & 0o444) >> 2


def as_text(mode: int) -> str:
    """Returns a mode in the form of _lake.json and of the command line, "0640"."""
    return f"{mode:04o}"


def of_lake(path: str) -> int | None:
    """Returns the mode of the files of the lake in this folder; None if an earlier release made the
    lake, so that the umask of each command decides."""
    said = storage.settings(path).get("mode")
    return int(said, 8) & 0o666 if isinstance(said, str) else None


@contextlib.contextmanager
def kept(mode: int | None) -> Iterator[None]:
    """A context in which new files get this mode, and new folders the mode from folder(). If `mode`
    is None, nothing changes."""
    if mode is None:
        yield
        return
    before = os.umask(_ALL & ~folder(mode))
    try:
        yield
    finally:
        os.umask(before)


def give(path: str, mode: int) -> None:
    """Sets the mode of the file at `path` if it differs. A worker on another machine may have
    created the file with the umask there."""
    if stat.S_IMODE(os.stat(path).st_mode) != mode:
        os.chmod(path, mode)


def _each(path: str) -> Iterator[tuple[str, bool]]:
    """Yields each path of a lake, and whether it is a folder; outer folders first."""
    waiting = [path]
    while waiting:
        top = waiting.pop()
        yield top, True
        with os.scandir(top) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    yield entry.path, False


def change(path: str, mode: int) -> None:
    """Sets the mode of all files and folders of a lake, and stores it in _lake.json. Raises OSError
    if this user does not own the lake."""
    said = {**storage.settings(path), "mode": as_text(mode)}
    for one, is_folder in _each(path):
        with contextlib.suppress(FileNotFoundError):  # removed in the meantime
            if is_folder:
                setgid = stat.S_IMODE(os.stat(one).st_mode) & ~_ALL
                os.chmod(one, folder(mode) | setgid)
            else:
                os.chmod(one, mode)
    with kept(mode):
        storage.replace(os.path.join(path, storage.HEAD), storage.as_json(said))


def is_open(path: str) -> bool:
    """Returns whether all users of this machine may list the lake's folder."""
    return bool(os.stat(path).st_mode & stat.S_IROTH)
