"""The result files of `darshan try` that a search for logs comes upon."""

from __future__ import annotations

import os
from collections import defaultdict

from ...report.tried import ENDING, path_of

# Limits for one owner in one search. Any user can make these files, and the collector reads all of
# them each time that it lists their folder.
_MOST_FILES, _MOST_BYTES = 10_000, 64 << 20


class TrialFiles:
    """The paths of result files of `darshan try` that a search has found. A limited number and size
    of files count for each owner."""

    def __init__(self, since: int = 0) -> None:
        """since: nanoseconds since 1970; files that changed earlier are left out; 0: none is."""
        self._since = since
        self._files: dict[int, int] = defaultdict(int)
        self._bytes: dict[int, int] = defaultdict(int)
        self.paths: list[str] = []
        self.above = 0  # files above the share of their owner

    def take(self, path: str, status: os.stat_result) -> None:
        """Adds a result file, unless it changed before `since` or is above the limits of its owner.
        status: of the file."""
        owner = status.st_uid
        if status.st_mtime_ns < self._since:
            return
        self._files[owner] += 1
        self._bytes[owner] += status.st_size
        if self._files[owner] > _MOST_FILES or self._bytes[owner] > _MOST_BYTES:
            self.above += 1
        else:
            self.paths.append(path)

    def entry(self, entry: os.DirEntry[str]) -> None:
        """Adds an entry of a folder if it has the name of a result file."""
        if entry.name.endswith(ENDING):
            try:
                self.take(entry.path, entry.stat(follow_symlinks=False))
            except OSError:
                return  # removed meanwhile

    def beside(self, log: str) -> None:
        """Adds the result file next to a log, if there is one."""
        path = path_of(os.path.abspath(log))
        try:
            self.take(path, os.lstat(path))
        except OSError:
            return
