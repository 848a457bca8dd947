"""Expected counters of a script's log, which the script prints in rows on standard output for the
test."""

from __future__ import annotations

from collections import Counter


class Expectations:
    """The expected counters of records, added up while the script works, and printed at its end."""

    def __init__(self) -> None:
        self.exact: Counter[tuple[str, str]] = Counter()
        self.least: Counter[tuple[str, str]] = Counter()

    def add(self, name: str, **counters: int) -> None:
        """Adds these numbers to the expected counters of the record `name`. counters: by full
        counter name."""
        for counter, value in counters.items():
            self.exact[counter, name] += value

    def fix(self, name: str, **counters: int) -> None:
        """Sets the expected counters of the record `name`; later calls of add() add to them."""
        for counter, value in counters.items():
            self.exact[counter, name] = value

    def at_least(self, name: str, **counters: int) -> None:
        """Adds these numbers to lower bounds of counters of the record `name`, for operations that
        a library may do more often than requested."""
        for counter, value in counters.items():
            self.least[counter, name] += value

    def say(self) -> None:
        """Prints the expectations. Must be called after all other output."""
        for relation, counters in (("=", self.exact), (">", self.least)):
            for (counter, name), value in counters.items():
                print(f"expect\t{relation}\t{counter}\t{value}\t{name}")
