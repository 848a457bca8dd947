"""The setting of a lake that decides whether, and how often, it publishes Delta tables."""

from __future__ import annotations

import os
import shutil
import time

from .. import columns
from ..commit import storage
from ..commit.commits import Snapshot
from .log import FOLDER
from .publish import Made, Publisher

HOURLY = 3600.0  # seconds
_NAME = "delta_every"
_MARK = "_delta.json"  # when the lake was published


def every(lake: str) -> float | None:
    """Returns the minimum number of seconds between two publications by collectors; None if the
    lake publishes no Delta tables."""
    said = storage.settings(lake).get(_NAME)
    return float(said) if isinstance(said, (int, float)) else None


def _set(lake: str, seconds: float | None) -> None:
    said = {**storage.settings(lake), _NAME: seconds}
    if seconds is None:
        del said[_NAME]
    storage.replace(os.path.join(lake, storage.HEAD), storage.as_json(said))


def switch_on(lake: str, seconds: float) -> None:
    """Makes each later command that changes the lake publish it, too; collectors do so at most once
    in `seconds`."""
    if every(lake) != seconds:
        _set(lake, seconds)


def switch_off(lake: str) -> int:
    """Stops publishing and removes the Delta logs, because a log that is not continued names files
    that a sweep removes. Returns the number of tables that had one."""
    if every(lake) is not None:
        _set(lake, None)
    found = [os.path.join(lake, name, FOLDER) for name in columns.tables()]
    found = [path for path in found if os.path.isdir(path)]
    for path in found:
        shutil.rmtree(path)
    return len(found)


def last(lake: str) -> float:
    """Returns when the lake was last published, in seconds since 1970; 0 for never."""
    try:
        return float(storage.load_json(os.path.join(lake, _MARK)).get("time", 0))
    except (storage.LakeError, TypeError, ValueError):
        return 0.0


def publish(snapshot: Snapshot) -> Made:
    """Publishes the tables that changed, and stores the time. Returns the counts of tables and
    files."""
    made = Publisher(snapshot).publish()
    mark = storage.as_json({"time": time.time(), "number": snapshot.number})
    storage.replace(os.path.join(snapshot.path, _MARK), mark)
    return made


def publish_if_on(snapshot: Snapshot) -> None:
    """Publishes the lake if its setting says so, however recent the last version is."""
    if every(snapshot.path) is not None:
        publish(snapshot)


class Due:
    """Publishes the Delta tables of a lake, at most as often as its setting says. A collector keeps
    this object while it runs."""

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._tried = 0.0

    def publish(self) -> None:
        """Publishes if the last publication, by any process, is old enough. After an error, the
        next try of this object waits as long. Raises LakeError or OSError."""
        seconds = every(self._lake)
        if seconds is None:
            return
        now = time.time()
        if any(0 <= now - when < seconds for when in (self._tried, last(self._lake))):
            return
        self._tried = now
        publish(Snapshot(self._lake))
