"""Files that are synchronized once for many bytes or many writes: the groups of a journal."""

from __future__ import annotations

import numpy as np

from ..facts import Facts, once
from ..table import Table


@once
def grouped(facts: Facts, posix: Table) -> np.ndarray:
    """Returns a mask of the POSIX files that are written in groups with one fsync or fdatasync for
    each: a program that must not lose what it said needs these calls."""
    syncs = posix["FSYNCS"] + posix["FDSYNCS"]
    least, writes = facts.limits["sync.group"], facts.limits["sync.writes"]
    found = (posix["BYTES_WRITTEN"] >= least * syncs) | (posix["WRITES"] >= writes * syncs)
    return np.asarray((syncs > 0) & found)
