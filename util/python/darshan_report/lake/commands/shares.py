"""Limits the share of each user's logs in a round of a collector.

Without a limit, a user with more logs than the collector can read would delay the logs of all
others. Logs above a user's share wait for the next round, which searches all folders again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..read.files import Found

_LEAST = 16 << 10  # bytes that a log counts as at least: a small log also takes time


class Shares:
    """Decides which logs are read in one round of a collection, so that each user takes at most so
    many bytes and seconds."""

    def __init__(self, most_bytes: int, most_seconds: float) -> None:
        """Begins a round in which a user may take so many bytes of logs, and seconds of a core."""
        self._most_bytes = most_bytes
        self._most_seconds = most_seconds
        # Logs of root and of the collector's user may be copies of other users' logs, so these two
        # have no share.
        self._exempt = (0, os.getuid())
        self._bytes: dict[int, int] = {}
        self._seconds: dict[int, float] = {}
        self.waiting = 0  # logs for the next round

    def takes(self, found: Found, size: int) -> bool:
        """Returns whether a log is read in this round, and counts so many bytes of it."""
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
        """Counts processor time that a part took, by the owners of its logs."""
        for owner, took in seconds.items():
            self._seconds[owner] = self._seconds.get(owner, 0.0) + took
