"""Finds files that are synchronized only once for many bytes or many writes, as a database does
with the groups of its journal."""

from __future__ import annotations

import numpy as np

from ...records import in_both
from ..facts import Facts, once
from ..table import Table


@once
def written(facts: Facts, posix: Table) -> tuple[np.ndarray, np.ndarray]:
    """Returns the bytes and the number of writes of each POSIX file, including those of a stream on
    the same file. A program that writes a stream and then calls fsync uses both."""
    moved, writes = posix["BYTES_WRITTEN"].astype("f8"), posix["WRITES"].astype("f8")
    streams = facts.streams
    if streams is not None:
        here, there = in_both(posix.ids, streams.table.ids)
        moved[here] += streams.moved("WRITE")[there]
        writes[here] += streams.calls("WRITE")[there]
    return moved, writes


@once
def grouped(facts: Facts, posix: Table) -> np.ndarray:
    """Returns a mask of the POSIX files that are synchronized with the disk only once per group of
    writes. In such a file, each fsync or fdatasync has at least sync.group bytes or sync.writes
    writes (thresholds), counted with those of streams. A program that must not lose data needs
    these calls."""
    syncs = posix["FSYNCS"] + posix["FDSYNCS"]
    least, most = facts.limits["sync.group"], facts.limits["sync.writes"]
    moved, writes = written(facts, posix)
    return np.asarray((syncs > 0) & ((moved >= least * syncs) | (writes >= most * syncs)))
