"""Removes what nobody needs any more: files that were replaced, what killed collectors left,
commits that a state says."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass

from . import place
from .commits import Snapshot

GRACE = 24 * 3600.0  # seconds that a file stays for those who read it, or still make it
# Of what is not committed yet, whatever grace is wanted: a file that is about to be named by a
# commit must not go in between.
_MAKING = 3600.0


@dataclass
class Swept:
    """What went."""

    files: int = 0
    bytes: int = 0


def _age(path: str, now: float) -> float:
    try:
        return now - os.stat(path).st_mtime
    except OSError:
        return 0.0


def _newest(folder: str, now: float) -> float:
    """Age of what was changed last in a folder."""
    ages = [_age(folder, now)]
    for top, folders, names in os.walk(folder):
        ages += [_age(os.path.join(top, name), now) for name in (*folders, *names)]
    return min(ages)


def _tables(lake: str) -> Iterator[str]:
    """Files below the folders of tables, as commits name them."""
    for name in sorted(os.listdir(lake)):
        if name.startswith(("_", ".")) or not os.path.isdir(os.path.join(lake, name)):
            continue
        for top, _, names in os.walk(os.path.join(lake, name)):
            yield from (os.path.relpath(os.path.join(top, n), lake) for n in names)


def _clock(lake: str) -> float:
    """What time it is where the files are: a server has a clock of its own."""
    path = place.write_beside(os.path.join(lake, place.WORK, "clock"), b"")
    try:
        return os.stat(path).st_mtime
    finally:
        os.unlink(path)


def orphans(snapshot: Snapshot) -> list[str]:
    """Files that no commit names, or that were replaced."""
    found = [path for path in _tables(snapshot.path) if path not in snapshot.files]
    folder = os.path.join(snapshot.path, place.SEEN)
    found += [f"{place.SEEN}/{n}" for n in os.listdir(folder) if n not in snapshot.seen]
    return found


def _remove(path: str, swept: Swept) -> None:
    with contextlib.suppress(OSError):
        size = os.path.getsize(path)
        os.unlink(path)
        swept.files += 1
        swept.bytes += size


def sweep(snapshot: Snapshot, grace: float = GRACE, replaced_now: bool = False) -> Swept:
    """Removes what is older than the grace time; replaced_now: what was replaced at once, for
    somebody's right to be forgotten."""
    now, swept = _clock(snapshot.path), Swept()
    making = max(grace, _MAKING)
    # The snapshot first: what is committed after it is newer than any grace.
    snapshot.refresh()
    for path in orphans(snapshot):
        whole = os.path.join(snapshot.path, path)
        since = snapshot.replaced.get(path)
        old = _age(whole, now) > making if since is None else time.time() - since > grace
        if old or (since is not None and replaced_now):
            _remove(whole, swept)
    work = os.path.join(snapshot.path, place.WORK)
    for name in os.listdir(work):
        folder = os.path.join(work, name)
        if _newest(folder, now) > making:
            if os.path.isdir(folder):
                shutil.rmtree(folder, ignore_errors=True)
                swept.files += 1
            else:
                _remove(folder, swept)
    commits = os.path.join(snapshot.path, place.COMMITS)
    for name in os.listdir(commits):
        path = os.path.join(commits, name)
        if name.startswith(".") and _age(path, now) > making:
            _remove(path, swept)
    for path in list(snapshot.old_commits()):
        if _age(path, now) > grace:
            _remove(path, swept)
    return swept
