"""The files of call sites: the files with most calls and bytes, and an estimate of their number."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import field

from ..classes import dataclass
from ..records import Records

_SLOTS = 4  # files in each list of a record
_ID = (1 << 64) - 1
_BITS = 64  # of the estimate
MOST_TOLD = 200  # files: past that, nearly all bits are set and the estimate says little


@dataclass
class Files:
    """The files (or HDF5 objects) that call sites used: calls and bytes by their record ids. All
    numbers are lower bounds, because a record lists only four files."""

    calls: Counter[int] = field(default_factory=Counter)
    moved: Counter[int] = field(default_factory=Counter)  # bytes
    bits: int = 0  # each file sets one of 64 by its id, from which number() estimates how many

    def add(self, other: Files) -> None:
        """Adds the calls and bytes of another object to those of this one, file by file."""
        self.calls.update(other.calls)
        self.moved.update(other.moved)
        self.bits |= other.bits

    def number(self) -> int | None:
        """Returns the estimated number of files; None if the estimate exceeds MOST_TOLD or if no
        estimate is possible because all bits are set."""
        free = _BITS - bin(self.bits).count("1")
        known = len(self.calls.keys() | self.moved.keys())
        if free == 0:
            return None
        about = max(known, round(-_BITS * math.log(free / _BITS)))
        return about if about <= MOST_TOLD else None

    def most(self) -> list[int]:
        """Returns the ids of the files, those with most bytes first; at equal bytes, those with
        most calls."""
        ids = self.calls.keys() | self.moved.keys()
        return sorted(ids, key=lambda one: (-self.moved[one], -self.calls[one], one))


def files_of(records: Records) -> dict[int, Files]:
    """Returns the files of each call site that names any, by the id of the site's record. records:
    of the module SITES."""
    found: dict[int, Files] = {}
    bits = records["SITES_FILE_BITS"]
    used = bits.nonzero()[0].tolist()
    ids = records.ids[used].tolist()
    for number, one in zip(ids, bits[used].tolist()):
        found.setdefault(number, Files()).bits |= one & _ID
    for measure, name in (("CALLS", "calls"), ("BYTES", "moved")):
        for slot in range(1, _SLOTS + 1):
            files = records[f"SITES_FILE{slot}_BY_{measure}"][used].tolist()
            amounts = records[f"SITES_FILE{slot}_{measure}"][used].tolist()
            for number, file, amount in zip(ids, files, amounts):
                if file and amount > 0:
                    getattr(found[number], name)[file & _ID] += amount
    return found
