"""The folder that a lake is, and the steps on its file system that are one or none.

Only link, rename and the creation of a file that must not be there yet are relied on,
which are such steps on NFS, too.  No lock is held by anybody, so none can be left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from typing import Any

FORMAT, VERSION = "darshan-lake", 1
_HEAD = "_lake.json"
COMMITS, SEEN, WORK = "_commits", "_seen", "_work"  # a _ hides a folder from Spark and others


class LakeError(Exception):
    """Something is wrong with a lake; the text is one line."""


def new_name() -> str:
    """A name that nobody else has."""
    return uuid.uuid4().hex


def sync(path: str) -> None:
    """What was written to a file, or named in a folder, survives a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(lake: str, below: str) -> None:
    """The folders that a file is to be put into, on the disk before it is."""
    if os.path.isdir(os.path.join(lake, below)):
        return
    os.makedirs(os.path.join(lake, below), exist_ok=True)
    while below:
        below = os.path.dirname(below)
        sync(os.path.join(lake, below))


def write_beside(path: str, content: bytes) -> str:
    """A new file in the folder of path, complete and on the disk; its name."""
    name = os.path.join(os.path.dirname(path), f".{new_name()}")
    try:
        with open(name, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return name


def create(path: str, content: bytes) -> bool:
    """A file that has its content from its first moment; False if there is one already."""
    beside = write_beside(path, content)
    try:
        os.link(beside, path)
    except FileExistsError:
        # A reply of NFS that was lost is asked for again, and then this is our own.
        if os.stat(beside).st_nlink != 2 or not os.path.samefile(beside, path):
            return False
    finally:
        os.unlink(beside)
    sync(os.path.dirname(path))
    return True


def replace(path: str, content: bytes) -> None:
    """A file with this content, whether there was one or not."""
    os.replace(write_beside(path, content), path)


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def as_json(what: dict[str, Any]) -> bytes:
    """The content of one of our files: what it is, then what it says."""
    return _json({"format": FORMAT, "version": VERSION, **what})


def load_json(path: str) -> dict[str, Any]:
    """The content of one of our files; LakeError if it is none, or of a newer release."""
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError) as error:
        raise LakeError(f"{path}: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise LakeError(f"{path} is not what a lake has there")
    if not isinstance(found.get("version"), int) or found["version"] > VERSION:
        raise LakeError(
            f"{path} is of version {found.get('version')} of the format; this release knows "
            f"{VERSION}: a newer one is needed"
        )
    return found


def is_lake(path: str) -> bool:
    """Whether there is a lake in this folder; OSError if one may not look."""
    try:
        os.lstat(os.path.join(path, _HEAD))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def settings(path: str) -> dict[str, Any]:
    """What a lake says of itself; LakeError if there is none."""
    if not is_lake(path):
        raise LakeError(f"{path} is no lake: it has no {_HEAD} (darshan collect makes one)")
    return load_json(os.path.join(path, _HEAD))


def make(path: str, more: dict[str, Any]) -> dict[str, Any]:
    """The lake in this folder, made if there is none; what it says of itself."""
    if not is_lake(path):
        if os.path.isdir(path) and any(not n.startswith((".", "_")) for n in os.listdir(path)):
            raise LakeError(f"{path} has other files in it, and is no lake")
        os.makedirs(path, exist_ok=True)
        for folder in (COMMITS, SEEN, WORK):
            os.makedirs(os.path.join(path, folder), exist_ok=True)
        create(os.path.join(path, _HEAD), as_json(more))
    return settings(path)
