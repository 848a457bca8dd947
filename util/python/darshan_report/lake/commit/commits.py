"""Commits of a lake: numbered files, each with one change of the whole lake.

_commits/000000000007.json is created by link(), so it is complete or absent. If two processes try
to create number 7, only one succeeds. A commit names files of all tables that appear or disappear
together. Readers of a lake read its commits, and only files that a commit names."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from ...classes import dataclass
from . import storage
from .storage import COMMITS, LakeError

_DIGITS = 12
_TRIES = 2
_EACH_STATE = 64  # commits after which a state is written, so that no reader reads many commits
_STATE = ".state.json"  # all commits up to this number in one file


@dataclass(frozen=True)
class File:
    """A Parquet file of a lake, as its commit describes it. path: relative to the lake, such as
    jobs/month=2026-11/0f3c.parquet. rows: their number."""

    table: str
    path: str
    rows: int
    bytes: int
    first: str = ""  # days of the first and last job in it; empty if unknown
    last: str = ""
    shape: str = ""  # equal in files of the same columns
    hash: str = ""  # of the content; empty in lakes of earlier releases

    @property
    def month(self) -> str:
        """The month of the partition that contains the file: 2026-11, or "unknown"."""
        return self.path.split("/")[1].partition("=")[2]


@dataclass
class Change:
    """The content of one commit. what: the kind of change: "collect", "compact" or "prune". add,
    remove: files of tables. note: counts of logs and records, for people who read the commit."""

    what: str
    add: list[File] = field(default_factory=list)
    remove: list[File] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)  # files that are added to _seen
    unseen: list[str] = field(default_factory=list)  # files that are removed from _seen
    note: dict[str, Any] = field(default_factory=dict)

    def content(self, number: int) -> bytes:
        """Returns the JSON of the commit's file, as bytes. number: of the commit."""
        return storage.as_json(
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
    """The files that a lake has after a commit. refresh() brings it to the newest commit. number:
    of the commit; 0 before the first one. files: by path. seen: names of files in _seen. settings:
    the content of _lake.json."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.number = 0
        self.files: dict[str, File] = {}
        self.seen: set[str] = set()
        self.replaced: dict[str, float] = {}  # times when files were removed, by path
        self.settings = storage.settings(path)
        self.refresh()

    def refresh(self) -> set[str]:
        """Applies the commits since the last refresh. Returns the names of new files in _seen.
        Raises LakeError if a commit is missing or cannot be read."""
        for _ in range(_TRIES):
            with contextlib.suppress(LakeError):  # a sweep removed a commit after it was listed
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
            raise LakeError(
                f"the lake {self.path} is damaged: commit {self.number + 1} is missing; restore it "
                "from a backup"
            )
        return self.seen - before

    def _there(self) -> tuple[set[int], set[int]]:
        numbers: set[int] = set()
        states: set[int] = set()
        for name in os.listdir(os.path.join(self.path, COMMITS)):
            stem = name[:_DIGITS]
            if not stem.isdecimal():
                continue
            (states if name.endswith(_STATE) else numbers).add(int(stem))
        return numbers, states

    def _name(self, number: int, ending: str = ".json") -> str:
        return os.path.join(self.path, COMMITS, f"{number:0{_DIGITS}}{ending}")

    def _load(self, number: int) -> dict[str, Any]:
        return storage.load_json(self._name(number))

    def _take(self, commit: dict[str, Any]) -> None:
        """Applies a commit, given as the content of its file, to this object."""
        for path in commit["remove"]:
            if self.files.pop(path, None) is not None:
                self.replaced[path] = commit["time"]
        for said in commit["add"]:
            self.files[said["path"]] = File(**said)
        for name in commit["unseen"]:
            if name in self.seen:
                self.replaced[f"{storage.SEEN}/{name}"] = commit["time"]
        self.seen |= set(commit["seen"])
        self.seen -= set(commit["unseen"])
        self.number = commit["number"]

    def _take_state(self, number: int) -> None:
        found = storage.load_json(self._name(number, _STATE))
        self.files = {said["path"]: File(**said) for said in found["files"]}
        self.seen = set(found["seen"])
        self.replaced = dict(found["replaced"])
        self.number = number

    def is_newest(self, look: bool = False) -> bool:
        """Returns whether no newer commit exists; False if the lake was removed. look: lists all
        commits, so that the result is right even if a sweep has removed the next commit."""
        if not os.path.isdir(os.path.join(self.path, COMMITS)):
            return False
        if look:
            numbers, states = self._there()
            return max(numbers | states, default=0) <= self.number
        return not os.path.exists(self._name(self.number + 1))

    def write_state(self) -> None:
        """Writes all commits so far into one file, a state, so that a reader need not read each of
        them. Leaves out replaced files that a sweep has removed, because states would otherwise
        grow without limit."""
        self.replaced = {
            path: when
            for path, when in self.replaced.items()
            if os.path.lexists(os.path.join(self.path, path))
        }
        content = {
            "number": self.number,
            "files": [vars(f) for f in self.files.values()],
            "seen": sorted(self.seen),
            "replaced": self.replaced,
        }
        storage.replace(self._name(self.number, _STATE), storage.as_json(content))

    def old_commits(self) -> Iterator[str]:
        """Yields the paths of commits that the newest state contains, and of all older states."""
        numbers, states = self._there()
        newest = max(states, default=0)
        yield from (self._name(n) for n in sorted(numbers) if n <= newest)
        yield from (self._name(n, _STATE) for n in sorted(states) if n < newest)

    def commit(self, change: Change) -> bool:
        """Tries to create the next commit with this change, and applies the change to this object.
        Returns False, without a change, if another process created a commit with this number
        first."""
        content = change.content(self.number + 1)
        if not storage.create(self._name(self.number + 1), content):
            return False
        # Not refresh(), which lists all commits: a compaction makes many.
        self._take(json.loads(content))
        if self.number % _EACH_STATE == 0:
            with contextlib.suppress(OSError):  # the commit is made; a later one writes a state
                self.write_state()
        return True

    def of(self, table: str) -> list[File]:
        """Returns the files of the table with this name, ordered by month and first day."""
        found = [f for f in self.files.values() if f.table == table]
        return sorted(found, key=lambda f: (f.month, f.first, f.path))

    @property
    def tables(self) -> list[str]:
        """The names of the tables that have files, sorted."""
        return sorted({f.table for f in self.files.values()})
