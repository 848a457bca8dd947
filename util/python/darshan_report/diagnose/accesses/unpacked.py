"""Finds files that a program unpacks from an archive, and files that nobody needed."""

from __future__ import annotations

import re

from ...classes import dataclass
from ..facts import Facts
from .copies import removed_of, renamed_of

# Names of functions of Python that unpack an archive into files.
UNPACKS = re.compile(
    r"(?:zipfile|tarfile)\.(?:\w+\.)*(?:_?extract|makefile\b)"
    r"|shutil\.(?:unpack_archive|_unpack_\w+)"
)


@dataclass(frozen=True)
class Unneeded:
    """Files that the run wrote and removed, and that no process of it read or mapped. files: record
    ids. bytes: that were written to them."""

    files: frozenset[int]
    bytes: float  # written to them


def unneeded(facts: Facts) -> Unneeded:
    """Returns the files that the run need not have written: it removed them, and no process of it
    read or mapped them."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    gone = {} if extra is None else removed_of(extra)
    mapped = (
        set(posix.ids[posix["MMAPS"] > 0].tolist())
        if posix is not None and posix.has("MMAPS")
        else set()
    )
    some = {
        number: one.sums.written
        for number, one in (renamed_of(facts, placed=False) if gone else {}).items()
        if number in gone and one.sums.written > 0 and one.sums.read == 0
        if not mapped.intersection(one.records)
    }
    return Unneeded(frozenset(some), sum(some.values()))
