"""How a script says what its log must hold: a row each on standard output."""

from __future__ import annotations

from collections import Counter


class Expectations:
    """Counters of records, added up while the script works."""

    def __init__(self) -> None:
        self.exact: Counter[tuple[str, str]] = Counter()
        self.least: Counter[tuple[str, str]] = Counter()

    def add(self, name: str, **counters: int) -> None:
        """So much more of these counters of the record of this name."""
        for counter, value in counters.items():
            self.exact[counter, name] += value

    def fix(self, name: str, **counters: int) -> None:
        """These counters have these values, however often the script says so."""
        for counter, value in counters.items():
            self.exact[counter, name] = value

    def at_least(self, name: str, **counters: int) -> None:
        """So much more, of what a library may do more often than it is asked to."""
        for counter, value in counters.items():
            self.least[counter, name] += value

    def say(self) -> None:
        """Prints them, after all other output."""
        for relation, counters in (("=", self.exact), (">", self.least)):
            for (counter, name), value in counters.items():
                print(f"expect\t{relation}\t{counter}\t{value}\t{name}")
