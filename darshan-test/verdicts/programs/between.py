"""Programs whose time lies between their calls: between.py CASE [cured|prepare]."""

from __future__ import annotations

import functools
import sys
from datetime import datetime
from pathlib import Path


def prepare_dates_of_lines() -> None:
    """Writes a log of 4 MB."""
    with open("access.log", "w") as file:
        for i in range(80_000):
            file.write(
                f"10.0.0.{i % 250} [{1 + i % 28:02}/Nov/2026:10:{i % 60:02}:00] GET /page{i}\n"
            )


def dates_of_lines(cured: bool) -> None:
    """Converts the date of each line with strptime; cured: each date once."""
    convert = functools.cache(datetime.strptime) if cured else datetime.strptime
    found = 0
    with open("access.log") as file:
        for line in file:
            stamp = line.split(" ", 2)[1]
            found += convert(stamp, "[%d/%b/%Y:%H:%M:%S]").minute
    assert found


def prepare_words_of_lines() -> None:
    """Writes a log of 50 MB."""
    lines = "".join(f"10.0.0.{i % 250} GET /page{i}/of/a/site\n" for i in range(125_000))
    Path("access.log").write_text(lines * 10)


def words_of_lines(_: bool) -> None:
    """Counts the addresses of a log."""
    known: dict[str, int] = {}
    with open("access.log") as file:
        for line in file:
            address = line.partition(" ")[0]
            known[address] = known.get(address, 0) + 1
    assert len(known) == 250


if __name__ == "__main__":
    name = sys.argv[1].replace("-", "_")
    if sys.argv[2:] == ["prepare"]:
        globals()[f"prepare_{name}"]()
    else:
        globals()[name](sys.argv[2:] == ["cured"])
