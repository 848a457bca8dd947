"""Limits how much of each user's logs a collector reads in one round.

Without a limit, a user with more logs than the collector can read would delay the logs of all
others. Logs above the limit wait for the next round, which searches all folders again."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..read.files import Found

_LEAST = 16 << 10  # bytes that a log counts as at least: a small log also takes time


class Shares:
    """Decides which logs are read in one round, so that no user takes more than a limit of bytes
    and of processor time."""

    def __init__(self, most_bytes: int, most_seconds: float) -> None:
        """most_bytes, most_seconds: how many bytes of logs and seconds of processor time a user may
        take in this round."""
        self._most_bytes = most_bytes
        self._most_seconds = most_seconds
        # Logs of root and of the collector's user may be copies of other users' logs, so these two
        # have no share.
        self._exempt = (0, os.getuid())
        self._bytes: dict[int, int] = {}
        self._seconds: dict[int, float] = {}
        self.waiting = 0  # logs for the next round

    def takes(self, found: Found, size: int) -> bool:
        """Returns whether a log is read in this round. If so, counts `size` bytes, or _LEAST if
        that is more, against the limit of the file's owner. Logs of users without a limit (root and
        the collector's user) are always read."""
        owner = found.owner
        if owner in self._exempt:
            return True
        taken = self._bytes.get(owner, 0)
        if taken >= self._most_bytes or self._seconds.get(owner, 0.0) >= self._most_seconds:
            self.waiting += 1
            return False
        self._bytes[owner] = taken + max(_LEAST, size)
        return True

    def spent(self, seconds: Mapping[int, float]) -> None:
        """Counts the processor time that a part took. seconds: by user id of the logs' owners."""
        for owner, took in seconds.items():
            self._seconds[owner] = self._seconds.get(owner, 0.0) + took
