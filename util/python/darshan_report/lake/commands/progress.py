"""The progress of a collection: on a terminal one line that is overwritten, else one line per
thousand logs."""

from __future__ import annotations

import sys
import time

from .messages import say

_EACH = 1000


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


class Progress:
    """Prints the progress of one collection on stderr."""

    def __init__(self, program: str, whole: int) -> None:
        """Begins the progress of a collection. whole: number of files to check."""
        self._program = program
        self.whole = whole
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._wide = 0
        self._told = 0

    @property
    def seconds(self) -> float:
        """The seconds since the collection began."""
        return time.monotonic() - self._begun

    def at(self, number: int, done: int) -> None:
        """Prints the progress: on a terminal each time, else once per thousand files. number: of
        checked files. done: number of collected logs."""
        rate = done / self.seconds if self.seconds > 0 else 0.0
        left = self.whole - number
        text = f"{number:,} of {self.whole:,} logs, {rate:,.0f}/s"
        pace = number / self.seconds if self.seconds > 0 else 0.0
        if pace and left > 0:
            text += f", {_span(left / pace)} left"
        if self._terminal:
            line = f"{self._program}: {text}"
            self._wide = max(self._wide, len(line))
            sys.stderr.write(f"\r{line:<{self._wide}}")
            sys.stderr.flush()
        elif number // _EACH > self._told // _EACH:
            self._told = number
            say(self._program, text)

    def clear(self) -> None:
        """Erases the line of progress, so that another line can be printed."""
        if self._wide:
            sys.stderr.write(f"\r{' ' * self._wide}\r")
            sys.stderr.flush()
