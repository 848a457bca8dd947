"""Limits of the time and the memory of queries.

DuckDB's own limit of memory does not count everything (`range(1000000000)` takes gigabytes), and it
has no limit of time. So a thread looks at the clock and at this process's memory while queries run,
and interrupts them. Some functions of SQL do not react to that; a command then ends the process.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from ...classes import dataclass
from ...closing import Closing
from ...units import amount
from ..commit.storage import LakeError

_LOOK = 0.05  # seconds between two looks
_GRACE = 2.0  # seconds that an interrupted query has to end
_FAR = 1.25  # share of the limit of memory at which nobody waits for the query to end
_BESIDE = 1 << 30  # bytes of Python, of its packages, and of results on their way


class LimitExceeded(LakeError):
    """A query was stopped, because it took too much time or memory."""


@dataclass(frozen=True)
class Limits:
    """The largest time of queries in seconds (0: any), the bytes that DuckDB may take (0: any), and
    for messages the name of the option that sets the time, and how to ask for less."""

    seconds: float = 0.0
    memory: int = 0
    timeout: str = "--timeout"
    advice: str = "select fewer days, or a user or a program"

    @property
    def most(self) -> int:
        """Bytes at which queries are stopped: the limit of DuckDB does not count everything, so
        this process may have twice as much, and a GiB. 0 if queries have no limit."""
        return 2 * self.memory + _BESIDE if self.memory else 0


def _taken() -> int:
    """Returns the bytes of memory of this process, without mapped files and other shared pages."""
    with open("/proc/self/statm", "rb") as file:
        resident, shared = map(int, file.read().split()[1:3])
    return (resident - shared) * os.sysconf("SC_PAGESIZE")


class Watch(Closing):
    """Watches the queries of a lake, in a thread, until it is closed."""

    def __init__(
        self,
        limits: Limits,
        interrupt: Callable[[], None],
        end: Callable[[str], None] | None = None,
    ) -> None:
        """Begins to watch. interrupt: stops a query, from any thread. end: ends this process, for
        the reason that it gets, if the interrupted query goes on; None: it may go on."""
        self.exceeded = ""  # the reason why the queries were stopped
        self._limits = limits
        self._interrupt = interrupt
        self._end = end
        self._begun = time.monotonic()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        if limits.seconds or limits.memory:
            self._thread.start()

    def check(self) -> None:
        """Raises LimitExceeded, with the reason, if a limit has been exceeded."""
        if self.exceeded:
            raise LimitExceeded(self.exceeded)

    def _why(self, taken: int) -> str:
        """Returns the reason why the query must be stopped; "" if it is within its limits. taken:
        bytes of memory."""
        limits = self._limits
        if limits.seconds and time.monotonic() - self._begun > limits.seconds:
            return (
                f"the query was stopped after {limits.seconds:g} s ({limits.timeout}); "
                f"{limits.advice}"
            )
        if limits.memory and taken > limits.most:
            return (
                f"the query was stopped, because it took {amount(taken)} of memory; select less, "
                "or allow more with --memory"
            )
        return ""

    def _watch(self) -> None:
        """Interrupts queries that exceed a limit, until the watch is closed. If a query does not
        end, or takes far too much memory, calls `_end` with the reason. Runs in a thread of its
        own."""
        since = 0.0
        while not self._over.wait(_LOOK):
            taken = _taken() if self._limits.memory else 0
            if not self.exceeded:
                self.exceeded = self._why(taken)
                since = time.monotonic()
            if not self.exceeded:
                continue
            with self._lock:
                # Again and again: an interrupt between two queries has no effect on the second.
                if not self._over.is_set():
                    self._interrupt()
            late = time.monotonic() - since > _GRACE
            far = self._limits.memory and taken > _FAR * self._limits.most
            if self._end is not None and (late or far) and not self._over.is_set():
                self._end(self.exceeded)

    def close(self) -> None:
        """Ends watching. Later queries are not interrupted."""
        with self._lock:
            self._over.set()
        # At the end of the process, a thread that still has the database makes DuckDB print what
        # was not freed.
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(_GRACE)
