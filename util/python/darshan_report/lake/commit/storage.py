"""The folder of a lake, and atomic operations on its files.

They use only link, rename and exclusive creation of a file, which are atomic on NFS as well. No
process holds a lock, so a killed process leaves none."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from typing import Any

FORMAT, VERSION = "darshan-lake", 1
HEAD = "_lake.json"  # the settings
# Spark and other readers ignore folders with a leading _
COMMITS, SEEN, WORK = "_commits", "_seen", "_work"


class LakeError(Exception):
    """An error of a lake, or of a query. The message is one line."""


def new_name() -> str:
    """Returns a unique name for a file or folder: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def sync(path: str) -> None:
    """Flushes a file, or the entries of a folder, to the disk. path: of the file or folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(lake: str, below: str) -> None:
    """Creates a folder in the lake if it is missing, and flushes the entries of all folders above
    it to the disk. below: its path, relative to the lake."""
    if os.path.isdir(os.path.join(lake, below)):
        return
    os.makedirs(os.path.join(lake, below), exist_ok=True)
    while below:
        below = os.path.dirname(below)
        sync(os.path.join(lake, below))


def write_beside(path: str, content: bytes) -> str:
    """Writes a new file in the folder of `path`, under a temporary name, and flushes it to the
    disk. Returns its path."""
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
    """Creates a file with its content atomically, and flushes it to the disk. Returns False,
    without a change, if the file exists."""
    beside = write_beside(path, content)
    try:
        os.link(beside, path)
    except FileExistsError:
        # If the NFS reply was lost, the client retries the link and finds the link that it made.
        if os.stat(beside).st_nlink != 2 or not os.path.samefile(beside, path):
            return False
    finally:
        os.unlink(beside)
    sync(os.path.dirname(path))
    return True


def replace(path: str, content: bytes) -> None:
    """Replaces a file atomically: a reader sees either its old or its new content."""
    os.replace(write_beside(path, content), path)


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def as_json(what: dict[str, Any]) -> bytes:
    """Returns the JSON of a file of the lake: format and version, followed by `what`."""
    return _json({"format": FORMAT, "version": VERSION, **what})


def load_json(path: str) -> dict[str, Any]:
    """Returns the content of a JSON file of the lake. Raises LakeError if the file cannot be read
    or does not belong to a lake, or if a newer release wrote it."""
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError) as error:
        raise LakeError(f"cannot read {path}: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise LakeError(f"{path} is not a file of a Darshan lake")
    if not isinstance(found.get("version"), int) or found["version"] > VERSION:
        raise LakeError(
            f"{path} has version {found.get('version')} of the format; this release reads up to "
            f"version {VERSION}: install a newer release"
        )
    return found


def is_lake(path: str) -> bool:
    """Returns whether the folder at `path` is a lake. Raises OSError if it may not be searched."""
    try:
        os.lstat(os.path.join(path, HEAD))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def settings(path: str) -> dict[str, Any]:
    """Returns the settings of the lake at `path`, the content of _lake.json. Raises LakeError if
    the folder is not a lake."""
    if not is_lake(path):
        raise LakeError(
            f"{path} is not a lake: it has no file {HEAD}; darshan collect makes a lake"
        )
    return load_json(os.path.join(path, HEAD))


def make(path: str, more: dict[str, Any]) -> dict[str, Any]:
    """Creates a lake in the folder `path` if it is none yet; returns its settings. more: settings
    of a new lake. Raises LakeError if the folder has other files."""
    if not is_lake(path):
        if os.path.isdir(path) and any(not n.startswith((".", "_")) for n in os.listdir(path)):
            raise LakeError(f"{path} contains other files and is not a lake; name another folder")
        os.makedirs(path, exist_ok=True)
        for folder in (COMMITS, SEEN, WORK):
            os.makedirs(os.path.join(path, folder), exist_ok=True)
        create(os.path.join(path, HEAD), as_json(more))
    return settings(path)
