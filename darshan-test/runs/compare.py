"""Compares strace's counts with the counters of a run's log, file by file, including
redirections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from e2e.compare import EXCLUDED, by_name, of_posix_alone, of_streams, recorded
from e2e.descriptors import Tally
from lab.log import Log

from .row import Row


def of_file(name: str, seen: Tally, row: dict[str, float]) -> Iterator[str]:
    """Yields a text for each difference between strace's counts of a file (seen) and its counters
    in the log (row)."""
    if any(counter.startswith("STDIO_") for counter in row):
        # strace counts what a stream read ahead, so its count of reads is only a bound; writes are
        # compared exactly.
        yield from of_streams(name, seen, row)
    else:
        yield from of_posix_alone(name, seen, row)


def looked_at(row: Row, name: str, work: str) -> bool:
    """Returns whether the file `name` is compared: not if the runtime excludes it, if the row says
    that only libc or the kernel uses it (inside), or if it is outside of the folder `work` and the
    row compares only files there."""
    if EXCLUDED.match(name) or (row.inside and re.search(row.inside, name)):
        return False
    return not row.only_work or name.startswith(f"{work}/")


def differences(row: Row, counts: dict[str, Tally], log: Log, work: str) -> list[str]:
    """Returns a text for each difference between a run's log and its trace. counts: strace's counts
    by file name; work: the working folder."""
    seen, rows = by_name(counts, row.random), recorded(log, row.random)
    found = []
    for name in sorted(seen.keys() | rows.keys()):
        if looked_at(row, name, work):
            found += of_file(name, seen.get(name, Tally()), rows.get(name, {}))
    return found
