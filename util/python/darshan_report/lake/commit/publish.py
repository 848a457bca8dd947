"""From a part, which nobody sees, to a commit, which all see at once.

Of two collectors that have read the same log, the one that commits first has it: the other
one finds that out when its number is taken, takes the log's rows out of its files, and
tries the next number.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

import numpy as np

from . import place, seen
from .commits import File, Snapshot
from .fewer import leave_out
from .over import Unread
from .place import LakeError
from .seen import Seen

if TYPE_CHECKING:
    from ..write.part import Part


def _text(row: np.void) -> str:
    return f"{int(row['high']):016x}{int(row['low']):016x}"


class Publisher:
    """Commits the parts of one collector."""

    def __init__(self, lake: str) -> None:
        self.snapshot = Snapshot(lake)
        self.seen = Seen(lake)
        self.seen.update(self.snapshot.seen)
        self._unread = Unread(lake)
        self._lake = lake

    def refresh(self) -> None:
        """Looks at what others committed."""
        self.snapshot.refresh()
        self.seen.update(self.snapshot.seen)

    def publish(self, part: Part) -> int:
        """Makes a part visible; how many of its logs others had committed before."""
        twice = 0
        name = ""
        published: list[str] = []
        try:
            while True:
                self.refresh()
                again = self.seen.has(part.seen["high"], part.seen["low"])
                if again.any():
                    twice += int(again.sum())
                    self._leave_out(part, again, published)
                    self._drop(name)
                    name = ""
                if not len(part.seen) and not len(part.copies):
                    break
                name = name or seen.write(self._lake, np.concatenate([part.seen, part.copies]))
                self._move(part.folder, part.files, published)
                self._all_there(part)
                if self._commit(part, name):
                    self.seen.update(self.snapshot.seen)
                    published, name = [], ""
                    break
        finally:
            if published or name:
                self._give_up(published, name)
            if part.folder:
                shutil.rmtree(part.folder, ignore_errors=True)
        return twice

    def _commit(self, part: Part, name: str) -> bool:
        """Tries it; with it go the problems that are over."""
        note = {"logs": len(part.seen), "records": part.records}
        folder = os.path.join(self._lake, place.WORK, place.new_name())
        os.mkdir(folder)
        moved: list[str] = []
        try:
            change = self._unread.over(self.snapshot, self.seen, part.over, folder)
            self._move(folder, change.add, moved)
            change.add, change.seen, change.note = [*part.files, *change.add], [name], note
            done = self.snapshot.commit(change)
            moved = [] if done else moved
            return done
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if moved:
                self._give_up(moved, "")

    def _give_up(self, published: list[str], name: str) -> None:
        """Removes what was not committed, which is asked of the lake itself: what ended the
        attempt may have come after the commit.  What cannot be asked stays, to be swept."""
        self.snapshot.refresh()
        if name and name not in self.snapshot.seen:
            self._drop(name)
        for path in published:
            if path not in self.snapshot.files:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self._lake, path))

    def _drop(self, name: str) -> None:
        if name:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self._lake, place.SEEN, name))

    def _move(self, folder: str, files: list[File], published: list[str]) -> None:
        """Puts the files where they belong; nobody looks at them before they are committed."""
        folders = set()
        for file in files:
            if file.path in published:
                continue
            target = os.path.join(self._lake, file.path)
            place.make_folders(self._lake, os.path.dirname(file.path))
            published.append(file.path)
            os.rename(os.path.join(folder, file.path), target)
            folders.add(os.path.dirname(target))
        for one in folders:
            place.sync(one)

    def _all_there(self, part: Part) -> None:
        """Who slept for a day may have been swept meanwhile."""
        for file in part.files:
            if not os.path.exists(os.path.join(self._lake, file.path)):
                raise LakeError(f"{file.path} went before it was committed: collect again")

    def _leave_out(self, part: Part, again: np.ndarray, published: list[str]) -> None:
        """Takes logs that another one has committed out of the files of a part."""
        logs = [_text(row) for row in part.seen[again]]
        part.copies = np.concatenate([part.copies, part.seen[again]])
        part.seen = part.seen[~again]
        # Those that were moved for the number that was taken come back: they change.
        while published:
            path = published[-1]
            os.rename(os.path.join(self._lake, path), os.path.join(part.folder, path))
            published.pop()
        part.files = leave_out(part.folder, part.files, logs)
        part.without(logs)
