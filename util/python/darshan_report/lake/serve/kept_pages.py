"""A cache of generated pages, which are valid until the lake has a new commit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

_BYTES = 64 << 20


class KeptPages:
    """A cache of the pages of one commit. If it is full, it drops the least recently requested
    pages."""

    def __init__(self, most: int = _BYTES) -> None:
        """most: bytes of all stored pages together."""
        self._most = most
        self._lock = threading.Lock()
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._commit = -1
        self._bytes = 0

    def get(self, commit: int, what: Hashable) -> bytes | None:
        """Returns a stored page of this commit; None if there is none. commit: its number. what:
        key of the page."""
        with self._lock:
            if commit != self._commit or what not in self._pages:
                return None
            self._pages.move_to_end(what)
            return self._pages[what]

    def put(self, commit: int, what: Hashable, page: bytes) -> None:
        """Stores a page of this commit under the key `what`. Drops the pages of other commits,
        because their rows may have been removed."""
        with self._lock:
            if commit != self._commit:
                self._pages.clear()
                self._commit, self._bytes = commit, 0
            self._bytes += len(page) - len(self._pages.pop(what, b""))
            self._pages[what] = page
            while self._bytes > self._most:
                self._bytes -= len(self._pages.popitem(last=False)[1])
