"""Pages that were made and are kept until the lake has a new commit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

_BYTES = 64 << 20


class KeptPages:
    """A cache of the pages of one commit. It drops the least recently requested pages first."""

    def __init__(self, most: int = _BYTES) -> None:
        """Keeps pages of at most so many bytes in all."""
        self._most = most
        self._lock = threading.Lock()
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._commit = -1
        self._bytes = 0

    def get(self, commit: int, what: Hashable) -> bytes | None:
        """Returns a page of this commit, or None."""
        with self._lock:
            if commit != self._commit or what not in self._pages:
                return None
            self._pages.move_to_end(what)
            return self._pages[what]

    def put(self, commit: int, what: Hashable, page: bytes) -> None:
        """Keeps a page; drops the pages of other commits, whose rows may have been removed."""
        with self._lock:
            if commit != self._commit:
                self._pages.clear()
                self._commit, self._bytes = commit, 0
            self._bytes += len(page) - len(self._pages.pop(what, b""))
            self._pages[what] = page
            while self._bytes > self._most:
                self._bytes -= len(self._pages.popitem(last=False)[1])
