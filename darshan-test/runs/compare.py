"""Counts of strace against the counters of a run's log, file by file, redirections included."""

from __future__ import annotations

import re
from collections.abc import Iterator

from calls.run_case import Log
from e2e.compare import EXCLUDED, by_name, of_posix_alone, of_streams, recorded
from e2e.descriptors import Tally

from .row import Row


def of_file(name: str, seen: Tally, row: dict[str, float]) -> Iterator[str]:
    """What is wrong with one file."""
    if any(counter.startswith("STDIO_") for counter in row):
        # What a stream had read in advance is in strace's count alone: a bound there, and
        # exact in all that it has written.
        yield from of_streams(name, seen, row)
    else:
        yield from of_posix_alone(name, seen, row)


def looked_at(row: Row, name: str, work: str) -> bool:
    """Whether a name counts: not what is never recorded, nor what the row exempts."""
    if EXCLUDED.match(name) or (row.inside and re.search(row.inside, name)):
        return False
    return not row.only_work or name.startswith(f"{work}/")


def differences(row: Row, counts: dict[str, Tally], log: Log, work: str) -> list[str]:
    """Everything in which a run's log and its trace do not agree."""
    seen, rows = by_name(counts, row.random), recorded(log, row.random)
    found = []
    for name in sorted(seen.keys() | rows.keys()):
        if looked_at(row, name, work):
            found += of_file(name, seen.get(name, Tally()), rows.get(name, {}))
    return found
