"""Decides which client's page is made next: pages are made one at a time, with all cores.

Clients that request costly pages must not keep others waiting. The next page is for the client that
has used the least time lately. If several such clients wait, the page that will probably take the
least time comes first. Waiting counts a little, so that a costly page is made eventually."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator

from ...classes import dataclass
from .request import Refused

_MOST = 128  # requests that wait
_LONGEST = 20.0  # seconds that a request waits
_HALF = 60.0  # seconds after which a client's time counts half
_USUAL = 0.1  # seconds of a page of a kind that was not made yet
_USED = 3.0  # seconds of a page that a second of the client's time outweighs
_WAITING = 0.01  # seconds of a page that a second of waiting outweighs
_CLIENTS = 1024  # of which the used time is remembered
_BUSY = "too many pages are being made; try again later"


@dataclass(eq=False)
class _Request:
    """A waiting request. kind: what determines the cost of its page. since: when it came, in
    seconds of the clock."""

    client: str
    kind: Hashable
    since: float


class Turns:
    """The queue of requests for pages, from all clients."""

    def __init__(
        self,
        most: int = _MOST,
        longest: float = _LONGEST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """most: number of requests that may wait. longest: seconds that a request may wait. clock:
        returns the time in seconds."""
        self._most = most
        self._longest = longest
        self._clock = clock
        self._condition = threading.Condition()
        self._waiting: list[_Request] = []
        self._busy = False
        self._used: dict[str, tuple[float, float]] = {}  # seconds, and when that was
        self._costs: dict[Hashable, float] = {}  # seconds of a page, by its kind

    @property
    def waiting(self) -> int:
        """The number of requests that wait for their turn."""
        return len(self._waiting)

    @contextlib.contextmanager
    def turn(self, client: str, kind: Hashable) -> Iterator[None]:
        """A context in which a client may make a page; waits until it is the client's turn. client:
        any text that is equal for requests of one client. kind: pages of equal kind take about the
        same time. Raises Refused if too many requests wait, or if this one has waited too long."""
        self._wait(_Request(client, kind, self._clock()))
        began = self._clock()
        try:
            yield
        finally:
            with self._condition:
                self._busy = False
                self._count(client, kind, self._clock() - began)
                self._condition.notify_all()

    def _wait(self, one: _Request) -> None:
        """Waits until the request is first and no page is being made. Raises Refused if too many
        requests wait, or after too long a time."""
        with self._condition:
            if len(self._waiting) >= self._most:
                raise Refused(503, _BUSY)
            self._waiting.append(one)
            try:
                while self._busy or min(self._waiting, key=self._rank) is not one:
                    left = one.since + self._longest - self._clock()
                    if left <= 0 or not self._condition.wait(left):
                        raise Refused(503, _BUSY)
                self._busy = True
            finally:
                self._waiting.remove(one)
                self._condition.notify_all()  # another request may be the first now

    def _rank(self, one: _Request) -> float:
        cost = self._costs.get(one.kind, _USUAL)
        waited = self._clock() - one.since
        return cost + _USED * self._used_by(one.client) - _WAITING * waited

    def _used_by(self, client: str) -> float:
        seconds, when = self._used.get(client, (0.0, 0.0))
        lately: float = seconds * 0.5 ** ((self._clock() - when) / _HALF)
        return lately

    def _count(self, client: str, kind: Hashable, seconds: float) -> None:
        before = self._costs.get(kind, seconds)
        self._costs[kind] = before + (seconds - before) / 4
        used = self._used_by(client) + seconds
        self._used.pop(client, None)
        self._used[client] = (used, self._clock())
        while len(self._used) > _CLIENTS:
            del self._used[next(iter(self._used))]  # the client that was served longest ago
