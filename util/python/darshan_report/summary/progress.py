"""How far a long command is, on the terminal of who waits for it."""

from __future__ import annotations

import sys
import time

_SECONDS = 0.2  # between two numbers


class Progress:
    """A line that is written over and over, and gone at the end; nothing where stderr is no
    terminal."""

    def __init__(self, program: str, things: str) -> None:
        self._program, self._things = program, things
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._last = 0.0
        self._wide = 0

    def at(self, number: int, whole: int) -> None:
        """So many are done."""
        now = time.monotonic()
        if not self._shown or (number < whole and now - self._last < _SECONDS):
            return
        self._last = now
        text = f"{self._program}: {number:,} of {whole:,} {self._things}"
        self._wide = max(self._wide, len(text))
        sys.stderr.write(f"\r{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Makes room for another line."""
        if self._wide:
            sys.stderr.write(f"\r{' ' * self._wide}\r")
            sys.stderr.flush()
