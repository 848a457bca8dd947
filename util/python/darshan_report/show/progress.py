"""Shows the progress of a long command on the user's terminal."""

from __future__ import annotations

import sys
import time

_SECONDS = 0.2  # between two updates


class Progress:
    """A line of progress on stderr that is overwritten, and erased at the end. If stderr is not a
    terminal, nothing is printed. program: begins the line. things: noun for the items, in the
    plural."""

    def __init__(self, program: str, things: str) -> None:
        self._program, self._things = program, things
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._last = 0.0
        self._wide = 0

    def at(self, number: int, whole: int) -> None:
        """Prints that `number` of `whole` items are done, at most every 0.2 s, except the last."""
        now = time.monotonic()
        if not self._shown or (number < whole and now - self._last < _SECONDS):
            return
        self._last = now
        text = f"{self._program}: {number:,} of {whole:,} {self._things}"
        self._wide = max(self._wide, len(text))
        sys.stderr.write(f"\r{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Erases the line of progress, so that another line can be printed."""
        if self._wide:
            sys.stderr.write(f"\r{' ' * self._wide}\r")
            sys.stderr.flush()
