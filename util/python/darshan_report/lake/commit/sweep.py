"""`darshan lake sweep`: removes replaced files, files of killed collectors, and commits that a
state contains."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator

from ...classes import dataclass
from ..delta.log import FOLDER
from ..delta.published import held
from ..sums.make import unused
from . import storage
from .commits import Snapshot

GRACE = 24 * 3600.0  # seconds that a file remains for processes that read or write it
# Seconds that an uncommitted file remains, even if the grace time is shorter: a collector may be
# about to commit it.
_MAKING = 3600.0


@dataclass
class Swept:
    """The number of removed files, and their size together."""

    files: int = 0
    bytes: int = 0


def _age(path: str, now: float) -> float:
    try:
        return now - os.stat(path).st_mtime
    except OSError:
        return 0.0


def _newest(folder: str, now: float) -> float:
    """Returns the age in seconds of the newest entry below a folder, or of the folder itself if it
    is newer. now: time of the file server."""
    ages = [_age(folder, now)]
    for top, folders, names in os.walk(folder):
        ages += [_age(os.path.join(top, name), now) for name in (*folders, *names)]
    return min(ages)


def _tables(lake: str) -> Iterator[str]:
    """Yields the files in the folders of tables, as paths relative to the lake."""
    for name in sorted(os.listdir(lake)):
        if name.startswith(("_", ".")) or not os.path.isdir(os.path.join(lake, name)):
            continue
        for top, folders, names in os.walk(os.path.join(lake, name)):
            folders[:] = [one for one in folders if one != FOLDER]
            yield from (os.path.relpath(os.path.join(top, n), lake) for n in names)


def _numbered(lake: str) -> Iterator[str]:
    """Yields the folders in which numbered files are created by link(): the commits, and the Delta
    logs."""
    yield os.path.join(lake, storage.COMMITS)
    for name in os.listdir(lake):
        folder = os.path.join(lake, name, FOLDER)
        if os.path.isdir(folder):
            yield folder


def _clock(lake: str) -> float:
    """Returns the current time of the file server in seconds since 1970; its clock may differ from
    this machine's."""
    path = storage.write_beside(os.path.join(lake, storage.WORK, "clock"), b"")
    try:
        return os.stat(path).st_mtime
    finally:
        os.unlink(path)


def orphans(snapshot: Snapshot) -> list[str]:
    """Returns the files in folders of tables and in _seen that the lake no longer has: replaced
    files, and files that no commit names. Their paths are relative to the lake."""
    found = [path for path in _tables(snapshot.path) if path not in snapshot.files]
    folder = os.path.join(snapshot.path, storage.SEEN)
    found += [f"{storage.SEEN}/{n}" for n in os.listdir(folder) if n not in snapshot.seen]
    return found


def _sums(snapshot: Snapshot, grace: float, replaced_now: bool, made: float) -> Iterator[str]:
    """Yields the paths of sums that may be removed. These are sums of files that were removed from
    the lake more than `grace` seconds ago (or at all, if `replaced_now`), and sums of unknown files
    that are older than the time `made`, in seconds since 1970."""
    for path, of in unused(snapshot).items():
        whole = os.path.join(snapshot.path, path)
        if not of:
            gone = _age(whole, made) > 0
        else:
            gone = replaced_now or time.time() - snapshot.replaced[of] > grace
        if gone:
            yield whole


def _remove(path: str, swept: Swept) -> None:
    with contextlib.suppress(OSError):
        size = os.path.getsize(path)
        os.unlink(path)
        swept.files += 1
        swept.bytes += size


def _sweep_work(lake: str, now: float, making: float, swept: Swept) -> None:
    """Removes files of killed collections from the folder of unfinished parts: entries in which
    nothing has changed for `making` seconds. now: time of the file server. swept: counts them."""
    work = os.path.join(lake, storage.WORK)
    for name in os.listdir(work):
        folder = os.path.join(work, name)
        if _newest(folder, now) > making:
            if os.path.isdir(folder):
                shutil.rmtree(folder, ignore_errors=True)
                swept.files += 1
            else:
                _remove(folder, swept)


def sweep(snapshot: Snapshot, grace: float = GRACE, replaced_now: bool = False) -> Swept:
    """Removes files that no process needs any more: files that no commit names, replaced files,
    unfinished files of collections, and old commits. grace: seconds after which they are removed;
    for files in published Delta tables, counted from their removal there. Files that were never
    committed remain for at least an hour. replaced_now: remove replaced files at once, because a
    user has the right to erasure. Returns what was removed."""
    now, swept = _clock(snapshot.path), Swept()
    making = max(grace, _MAKING)
    readers = {} if replaced_now else held(snapshot.path)
    # Refresh first: a file that is committed after this is newer than any grace time.
    snapshot.refresh()
    for path in orphans(snapshot):
        whole = os.path.join(snapshot.path, path)
        since = snapshot.replaced.get(path)
        if since is not None:
            since = max(since, readers.get(path, since))
        old = _age(whole, now) > making if since is None else time.time() - since > grace
        if old or (since is not None and replaced_now):
            _remove(whole, swept)
    for path in _sums(snapshot, grace, replaced_now, now - making):
        _remove(path, swept)
    _sweep_work(snapshot.path, now, making, swept)
    for folder in _numbered(snapshot.path):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.startswith(".") and _age(path, now) > making:
                _remove(path, swept)
    for path in list(snapshot.old_commits()):
        if _age(path, now) > grace:
            _remove(path, swept)
    return swept
