"""The files that the published Delta tables name. A sweep must not remove them while they may be
read."""

from __future__ import annotations

import contextlib
import os
import urllib.parse
from collections.abc import Iterator

from .. import columns
from .log import DamagedError, Log, State


def _path(table: str, relative: str) -> str:
    return f"{table}/{urllib.parse.unquote(relative)}"


def states(lake: str) -> dict[str, State]:
    """Returns the published tables of a lake whose Delta logs can be read, by the names of the
    tables."""
    found: dict[str, State] = {}
    for name in columns.tables():
        with contextlib.suppress(DamagedError, OSError):
            state = Log(os.path.join(lake, name)).read()
            if state.version >= 0:
                found[name] = state
    return found


def held(lake: str) -> dict[str, float]:
    """Returns when files were removed from the published tables, in seconds since 1970, by their
    paths relative to the lake; infinity for files of the newest version."""
    found: dict[str, float] = {}
    for name, state in states(lake).items():
        for path, removed in state.gone.items():
            found[_path(name, path)] = removed.get("deletionTimestamp", 0) / 1000
        found.update((_path(name, path), float("inf")) for path in state.live)
    return found


def lost(lake: str) -> Iterator[str]:
    """Yields the paths, relative to the lake, of files that the newest versions name but that do
    not exist."""
    for path, when in held(lake).items():
        if when == float("inf") and not os.path.exists(os.path.join(lake, path)):
            yield path
