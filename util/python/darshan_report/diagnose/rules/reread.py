"""The same bytes of a file are read, or written, several times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import amount, plural, share
from ..facts import Facts, Table, leading
from ..finding import Finding, Remedy

NAME = "same-bytes-again"
_WORDS = {
    "READ": (
        "read",
        "The same bytes are read again and again",
        "Keep what was read in memory, or read it in one process and send it to the others; "
        "for HDF5 enlarge the chunk cache, for streams the buffer.",
        "setvbuf(stream, NULL, _IOFBF, 4 << 20);  H5Pset_chunk_cache(...);  MPI_Bcast(...)",
    ),
    "WRITTEN": (
        "written",
        "The same bytes are written again and again",
        "Collect changes in memory and write them once.",
        "H5Pset_cache / H5Pset_chunk_cache;  PRAGMA cache_size;  one fsync at the end",
    ),
}


def find(facts: Facts) -> Iterator[Finding]:
    """One finding for reading, one for writing."""
    table = facts.table("POSIX")
    if table is None:
        return
    for direction, kind in (("READ", "READ"), ("WRITTEN", "WRITE")):
        yield from _find(facts, table, direction, kind)


def _find(facts: Facts, table: Table, direction: str, kind: str) -> Iterator[Finding]:
    moved = np.maximum(0, table[f"BYTES_{direction}"] - facts.unplaced(table, direction))
    # Every process may need the file once: that is not "again".
    size = (table[f"MAX_BYTE_{direction}"] + 1) * np.where(table.shared, table.processes, 1)
    extra = moved - size
    mask = (moved >= facts.limits["again.factor"] * size) & (extra >= facts.limits["again.bytes"])
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds = np.where(mask, facts.moving(table, kind) * extra / np.maximum(moved, 1), 0.0)
    again = int(extra[mask].sum())
    whole = int(moved.sum())
    stake = facts.stake(seconds.sum(), "time times the share of bytes moved again", again, whole)
    if not mask.any() or not facts.worth(stake):
        return
    word, title, text, example = _WORDS[direction]
    first, *others = leading(mask, seconds, len(mask))
    yield Finding(
        f"{NAME}-{word}",
        title,
        f"{facts.name(table.ids[first])} has {amount(int(size[first]))} that were {word}, and "
        f"{amount(int(moved[first]))} were moved for it ({moved[first] / size[first]:.1f} times)"
        + (f"; so were {plural(len(others), 'more file')}" if others else "")
        + f". {amount(again)} ({share(again, whole)} of all bytes {word}) moved again.",
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            f"{kind}S",
            f"BYTES_{direction}",
            f"MAX_BYTE_{direction}",
            f"F_{kind}_TIME",
        ),
        remedy=Remedy(text, example),
        limits=("again.factor", "again.bytes"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
