"""Finds files that a program makes before its training and then reads in it: a cache of samples,
which each run makes again unless it is kept."""

from __future__ import annotations

import numpy as np

from ...checkpoints.saves import state_ids
from ...classes import dataclass
from ...measure.training import Loader
from ...records import among
from ..facts import Facts

_WHOLE = 0.9  # share of a file's bytes from which on it was written, or read, as a whole


@dataclass(frozen=True)
class MadeBefore:
    """The largest file that the program wrote before the first batch, and then read or mapped."""

    name: str  # its last name
    size: int  # bytes
    at: float  # end of the last write, in seconds after the start of the run
    more: int  # number of further files of this kind
    # The records of the writes: module, record id, and bytes written.
    records: tuple[tuple[str, int, int], ...]


def _used(facts: Facts) -> frozenset[int]:
    """Returns the ids of files, under their last names, of which most bytes were read or mapped."""
    found: set[int] = set()
    table, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if table is not None:
        size = np.maximum(table["MAX_BYTE_READ"], table["MAX_BYTE_WRITTEN"]) + 1
        found.update(table.ids[table["BYTES_READ"] >= _WHOLE * size].tolist())
    if extra is not None:
        found.update(extra.ids[extra["MMAP_BYTES"] > 0].tolist())
    return frozenset(facts.finals.get(one, one) for one in found)


@dataclass(frozen=True)
class _Made:
    """A file that was written as a whole."""

    size: int  # bytes
    end: float  # end of the last write, in seconds after the start of the run
    records: tuple[tuple[str, int, int], ...]  # as in MadeBefore


def _made(facts: Facts, begin: float) -> dict[int, _Made]:
    """Returns the files that were written as a whole before a time, by the id of their last name.
    begin: this time, in seconds after the start of the run."""
    found: dict[int, _Made] = {}
    # numpy writes the header of a file by POSIX, the rest by STDIO.
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        size, end = table["MAX_BYTE_WRITTEN"] + 1, table["F_WRITE_END_TIMESTAMP"]
        written = table["BYTES_WRITTEN"]
        mask = facts.single(table) & (size >= facts.limits["training.again"])
        mask &= (written >= _WHOLE * size) & (end > 0) & (end <= begin)
        mask &= ~among(table.ids, state_ids(facts))
        for place in np.flatnonzero(mask).tolist():
            number = int(table.ids[place])
            this = ((module, number, int(written[place])),)
            found[facts.finals.get(number, number)] = _Made(
                int(size[place]), float(end[place]), this
            )
    return found


def made_before(facts: Facts, loader: Loader) -> MadeBefore | None:
    """Returns the largest file that the program wrote before the first epoch of a loader, and then
    read or mapped as a whole. Returns None if there is none of at least training.again bytes (a
    threshold)."""
    made = _made(facts, loader.epochs[0].start) if loader.epochs else {}
    used = _used(facts) if made else frozenset()
    ours = {number: told for number, told in made.items() if number in used}
    if not ours:
        return None
    first = max(ours, key=lambda number: ours[number].size)
    file = ours[first]
    return MadeBefore(facts.name(first), file.size, file.end, len(ours) - 1, file.records)
