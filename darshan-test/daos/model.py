"""Computes the records that the log of a test program must have, from the lines that the program
prints about its calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

# Upper bounds of the size classes in bytes, and the names of the classes.
BOUNDS = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
SIZES = [
    "0_100",
    "100_1K",
    "1K_10K",
    "10K_100K",
    "100K_1M",
    "1M_4M",
    "4M_10M",
    "10M_100M",
    "100M_1G",
    "1G_PLUS",
]
# The module, and a path or an object.
Name = tuple[str, str]


@dataclass
class Item:
    """The expected counters of a record, except times, while they are added up. sizes: how often
    each size was transferred; last: the last transfer, r or w."""

    module: str
    counters: Counter[str] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    last: str = ""

    def moved(self, way: str, size: int, begun: bool) -> None:
        """Counts a transfer of `size` bytes. way: "r" or "w". begun: whether it had an event."""
        word = {"r": "READ", "w": "WRITE"}[way]
        self.counters["BYTES_READ" if way == "r" else "BYTES_WRITTEN"] += size
        bucket = SIZES[sum(size > bound for bound in BOUNDS)]
        self.counters[f"SIZE_{word}_{bucket}"] += 1
        self.counters["RW_SWITCHES"] += self.last not in ("", way)
        self.last = way
        self.sizes[size] += size != 0
        if begun and self.module == "DFS":
            self.counters[f"NB_{word}S"] += 1

    def finished(self) -> dict[str, int]:
        """Returns the counters that are not 0. The four most common sizes are in descending order
        of count, then of size."""
        best = sorted(self.sizes.items(), key=lambda pair: (-pair[1], -pair[0]))
        best = [(size, count) for size, count in best if count][:4]
        for place, (size, count) in enumerate(best, 1):
            self.counters[f"ACCESS{place}_ACCESS"] = size
            self.counters[f"ACCESS{place}_COUNT"] = count
        return {name: value for name, value in self.counters.items() if value}


def rows_said(said: str) -> list[list[str]]:
    """Returns the columns of each line that a program printed."""
    return [line.split("\t") for line in said.splitlines()]


def expected(said: str) -> dict[Name, dict[str, int]]:
    """Returns the counters that must not be 0, for each record by module and name. said: the
    program's output."""
    items: dict[Name, Item] = {}
    for module, name, counter, what, number, begun in rows_said(said):
        item = items.setdefault((module, name), Item(module))
        if what == "=":
            item.counters[counter] = int(number)
            continue
        item.counters[counter] += int(number) if what == "n" else 1
        if module == "DAOS":
            item.counters["NB_OPS"] += int(begun)
        if what != "n":
            item.moved(what, int(number), begun == "1")
    return {name: item.finished() for name, item in items.items()}
