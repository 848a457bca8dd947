"""What is committed: numbered files, each of them one step of the whole lake.

_commits/000000000007.json is made by a link, so it is there with all it says or not at all,
and of two who want number 7 one gets it.  It names files of all tables that come or go
together.  Who reads a lake reads its commits, and nothing that they do not name.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from . import place
from .place import COMMITS, LakeError

_DIGITS = 12
_TRIES = 2
_STATE = ".state.json"  # all commits up to a number as one


@dataclass(frozen=True)
class File:
    """One file of Parquet; its path is relative to the lake."""

    table: str
    path: str
    rows: int
    bytes: int
    first: str = ""  # days of the first and last job in it, empty: not known
    last: str = ""
    shape: str = ""  # equal in files of the same columns

    @property
    def month(self) -> str:
        """The partition that it is in."""
        return self.path.split("/")[1].partition("=")[2]


@dataclass
class Change:
    """What one commit does."""

    what: str
    add: list[File] = field(default_factory=list)
    remove: list[File] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)  # files in _seen that come
    unseen: list[str] = field(default_factory=list)  # and go
    note: dict[str, Any] = field(default_factory=dict)

    def content(self, number: int) -> bytes:
        """As it is written."""
        return place.as_json(
            {
                "number": number,
                "time": time.time(),
                "what": self.what,
                "add": [vars(f) for f in self.add],
                "remove": [f.path for f in self.remove],
                "seen": self.seen,
                "unseen": self.unseen,
                "note": self.note,
            }
        )


class Snapshot:
    """The files of a lake after some commit; it can be brought up to the newest."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.number = 0
        self.files: dict[str, File] = {}
        self.seen: set[str] = set()
        self.replaced: dict[str, float] = {}  # when files were taken out, by path
        self.settings = place.settings(path)
        self.refresh()

    def refresh(self) -> set[str]:
        """Takes what was committed since; the files of _seen that came."""
        for _ in range(_TRIES):
            with contextlib.suppress(LakeError):  # a sweep took a commit after it was listed
                return self._refresh()
        return self._refresh()

    def _refresh(self) -> set[str]:
        before = set(self.seen)
        numbers, states = self._there()
        later = [n for n in states if n > self.number]
        if later:
            self._take_state(max(later))
        while self.number + 1 in numbers:
            self._take(self._load(self.number + 1))
        if numbers and max(numbers) > self.number:
            raise LakeError(f"{self.path}: commit {self.number + 1} is lost")
        return self.seen - before

    def _there(self) -> tuple[set[int], set[int]]:
        numbers, states = set(), set()
        for name in os.listdir(os.path.join(self.path, COMMITS)):
            stem = name[:_DIGITS]
            if not stem.isdecimal():
                continue
            (states if name.endswith(_STATE) else numbers).add(int(stem))
        return numbers, states

    def _name(self, number: int, ending: str = ".json") -> str:
        return os.path.join(self.path, COMMITS, f"{number:0{_DIGITS}}{ending}")

    def _load(self, number: int) -> dict[str, Any]:
        return place.load_json(self._name(number))

    def _take(self, commit: dict[str, Any]) -> None:
        for path in commit["remove"]:
            if self.files.pop(path, None) is not None:
                self.replaced[path] = commit["time"]
        for said in commit["add"]:
            self.files[said["path"]] = File(**said)
        for name in commit["unseen"]:
            if name in self.seen:
                self.replaced[f"{place.SEEN}/{name}"] = commit["time"]
        self.seen |= set(commit["seen"])
        self.seen -= set(commit["unseen"])
        self.number = commit["number"]

    def _take_state(self, number: int) -> None:
        found = place.load_json(self._name(number, _STATE))
        self.files = {said["path"]: File(**said) for said in found["files"]}
        self.seen = set(found["seen"])
        self.replaced = dict(found["replaced"])
        self.number = number

    def write_state(self) -> None:
        """Says all commits until now in one file, so that nobody has to read them all."""
        content = {
            "number": self.number,
            "files": [vars(f) for f in self.files.values()],
            "seen": sorted(self.seen),
            "replaced": self.replaced,
        }
        place.replace(self._name(self.number, _STATE), place.as_json(content))

    def old_commits(self) -> Iterator[str]:
        """Files of commits that the newest state says, too; the states before it."""
        numbers, states = self._there()
        newest = max(states, default=0)
        yield from (self._name(n) for n in sorted(numbers) if n <= newest)
        yield from (self._name(n, _STATE) for n in sorted(states) if n < newest)

    def commit(self, change: Change) -> bool:
        """Tries to make this the next commit; False: somebody else was first."""
        if not place.create(self._name(self.number + 1), change.content(self.number + 1)):
            return False
        self.refresh()
        return True

    def of(self, table: str) -> list[File]:
        """The files of a table, by month and day."""
        found = [f for f in self.files.values() if f.table == table]
        return sorted(found, key=lambda f: (f.month, f.first, f.path))

    @property
    def tables(self) -> list[str]:
        """The tables that have files."""
        return sorted({f.table for f in self.files.values()})
