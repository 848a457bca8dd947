"""Commits a part, which makes all of its rows visible to readers at once.

If two collectors have read the same log, the log belongs to the first commit. The other collector
notices this before it commits, or when its commit number is taken. It then removes the log's rows
from its files and tries the next number."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

import numpy as np

from . import modes, older_contents, seen, storage
from .commits import Change, File, Snapshot
from .delete_rows import leave_out, without_logs
from .older_contents import Older
from .resolved_errors import Unread
from .seen import Seen
from .storage import LakeError

if TYPE_CHECKING:
    from ..write.part import Part


def _text(row: np.void) -> str:
    return f"{int(row['high']):016x}{int(row['low']):016x}"


class Publisher:
    """Commits the parts of one collector. snapshot, seen: the files and logs that the lake has."""

    def __init__(self, lake: str) -> None:
        self.snapshot = Snapshot(lake)
        self.seen = Seen(lake)
        self.seen.update(self.snapshot.seen)
        self._unread = Unread(lake)
        self._mode = modes.of_lake(lake)
        self._lake = lake

    def refresh(self) -> None:
        """Applies the commits that other processes have made since the last refresh, so that their
        files and logs are known."""
        self.snapshot.refresh()
        self.seen.update(self.snapshot.seen)

    def publish(self, part: Part) -> int:
        """Commits a part, unless nothing of it is left to commit, and removes the part's folder.
        Returns how many of its logs other collectors had already committed. Raises LakeError if the
        lake is damaged or the part's files are gone."""
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
                older = self._older(part)
                if self._drop_outdated(part, older):
                    continue
                if not len(part.seen) and not len(part.copies):
                    break
                name = name or seen.write(self._lake, np.concatenate([part.seen, part.copies]))
                self._move(part.folder, part.files, published)
                self._all_there(part)
                if self._commit(part, name, older):
                    self.seen.update(self.snapshot.seen)
                    published, name = [], ""
                    break
        finally:
            if published or name:
                self._give_up(published, name)
            if part.folder:
                shutil.rmtree(part.folder, ignore_errors=True)
        return twice

    def _older(self, part: Part) -> Older:
        """Returns the logs whose rows the commit of a part must remove, because the part has newer
        contents."""
        here = np.concatenate([part.seen, part.copies])
        return older_contents.find(self.snapshot, self.seen, part.at, here)

    def _drop_outdated(self, part: Part, older: Older) -> bool:
        """Removes from a part the logs whose files changed after they were read, if the lake has
        other contents of the files, which may be newer. Returns whether it removed any."""
        keys = np.array(sorted(older_contents.outdated(older, part.at)), "u8")
        mask = np.isin(part.seen["key"], keys)
        for key in keys.tolist():
            del part.at[key]
        logs = [_text(row) for row in part.seen[mask]]
        part.seen = part.seen[~mask]
        part.copies = part.copies[~np.isin(part.copies["key"], keys)]
        part.files = leave_out(part.folder, part.files, logs) if logs else part.files
        part.without(logs)
        part.left += len(logs)
        return bool(len(keys))

    def _commit(self, part: Part, name: str, older: Older) -> bool:
        """Tries to commit a part. The same commit removes errors of files that are readable now
        (table problems), and rows of older contents of the part's files. name: of the part's file
        in _seen. Returns False if another process took the commit number."""
        note = {"logs": len(part.seen), "records": part.records}
        folder = os.path.join(self._lake, storage.WORK, storage.new_name())
        os.mkdir(folder)
        moved: list[str] = []
        change = Change("collect")
        try:
            gone = self._unread.over(self.snapshot, self.seen, part.over)
            for file in self.snapshot.files.values():
                if older.may_be_in(file):
                    gone.setdefault(file.path, set()).update(older.logs)
            without_logs(self.snapshot, gone, folder, change)
            if older.logs:
                change.unseen, change.seen = self.seen.without(older.rows)
            self._move(folder, change.add, moved)
            change.add, change.note = [*part.files, *change.add], note
            change.seen.append(name)
            done = self.snapshot.commit(change)
            moved = [] if done else moved
            part.replaced += len(older.logs) if done else 0
            return done
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if moved:
                self._give_up(moved, "")
            for new in change.seen:
                if new != name and new not in self.snapshot.seen:
                    self._drop(new)

    def _give_up(self, published: list[str], name: str) -> None:
        """Removes files that were not committed. The error may have occurred after the commit, so
        the lake's commits decide. If they cannot be read, the files remain for a later sweep.
        published: paths of files of tables, in the lake. name: the file of seen logs; may be
        empty."""
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
                os.unlink(os.path.join(self._lake, storage.SEEN, name))

    def _move(self, folder: str, files: list[File], published: list[str]) -> None:
        """Moves files from `folder` to their paths in the lake, and appends these paths to
        `published`. Files whose paths are in the list stay. No reader opens the files before the
        commit."""
        folders = set()
        for file in files:
            if file.path in published:
                continue
            target = os.path.join(self._lake, file.path)
            storage.make_folders(self._lake, os.path.dirname(file.path))
            published.append(file.path)
            if self._mode is not None:
                modes.give(os.path.join(folder, file.path), self._mode)
            os.rename(os.path.join(folder, file.path), target)
            folders.add(os.path.dirname(target))
        for one in folders:
            storage.sync(one)

    def _all_there(self, part: Part) -> None:
        """Raises LakeError if a file of the part no longer exists. A sweep removes it if the
        collector was suspended for a day."""
        for file in part.files:
            if not os.path.exists(os.path.join(self._lake, file.path)):
                raise LakeError(f"{file.path} was removed before it was committed; collect again")

    def _leave_out(self, part: Part, again: np.ndarray, published: list[str]) -> None:
        """Removes from a part the logs that another collector has committed. again: mask of the
        part's logs. published: paths of its files in the lake, which this moves back and removes
        from the list."""
        logs = [_text(row) for row in part.seen[again]]
        part.copies = np.concatenate([part.copies, part.seen[again]])
        part.seen = part.seen[~again]
        # The files that were moved for the taken number return to the part, because they change.
        while published:
            path = published[-1]
            os.rename(os.path.join(self._lake, path), os.path.join(part.folder, path))
            published.pop()
        part.files = leave_out(part.folder, part.files, logs)
        part.without(logs)
