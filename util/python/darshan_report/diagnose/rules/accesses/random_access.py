"""Transfers that jump back and forth in a file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import count, plural, share
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...table import Table

NAME = "random-access"
ROLE = SYMPTOM
_FEW_FORWARD = 0.1  # share of the transfers; half of random transfers go forward


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if the reads of files jump back and forth, and another if their writes do,
    each over all such files; otherwise nothing."""
    table = facts.table("POSIX")
    if table is not None:
        for kind in ("READ", "WRITE"):
            yield from _find(facts, table, kind)


def goes_back(facts: Facts, table: Table, kind: str, place: int) -> bool:
    """Returns whether the transfers of a file are in descending order of their offsets (of random
    transfers, half would go forward). False if bytes are moved several times, because then the
    order is unknown. kind: READ or WRITE. place: row of the file."""
    calls, forward = int(table[f"{kind}S"][place]), int(table[f"SEQ_{kind}S"][place])
    direction = "READ" if kind == "READ" else "WRITTEN"
    moved, there = (int(table[f"{name}_{direction}"][place]) for name in ("BYTES", "MAX_BYTE"))
    dense = moved <= there + 1 < facts.limits["again.factor"] * moved
    return dense and bool(facts.single(table)[place]) and forward <= _FEW_FORWARD * calls


def backwards(kind: str) -> Remedy:
    """Returns the advice for a file that is read or written from its end to its start. kind: READ
    or WRITE."""
    word = kind.lower()
    return Remedy(
        f"They go from the end of the file to its start: {word} it forward, in blocks of a "
        f"megabyte or more. If the last record must come first, {word} such blocks from the end, "
        "with the records of each in their order in the file.",
        "C: pread(fd, block, size, end - size);  /* then its records, the last one first */\n"
        "Python: file.seek(end - size); block = file.read(size)"
        if kind == "READ"
        else "C: pwrite(fd, block, size, end - size);  /* which was filled from behind */\n"
        "Python: file.seek(end - size); file.write(block)",
    )


def _sorted(*, in_common: bool) -> Remedy:
    """Returns the advice for transfers in random order. in_common: other processes use the file, so
    a process must not keep it in memory."""
    kept = "" if in_common else ", or keep the file in memory while it is used"
    once = "" if in_common else "C: read(fd, all, size);  // once, if it fits into memory\n"
    return Remedy(
        f"Sort requests by offset, and advise the system of random access{kept}; read-ahead works "
        "only for ascending offsets.",
        f"C: posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM)\n{once}"
        "Python: places.sort();  os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)\n"
        "Java: Collections.sort(places)\n"
        "sort the requests by offset",
    )


def _find(facts: Facts, table: Table, kind: str) -> Iterator[Finding]:
    """Yields the finding on the files whose reads, or writes, jump back and forth. kind: READ or
    WRITE."""
    calls, forward = table[f"{kind}S"], table[f"SEQ_{kind}S"]
    # The first transfer after each open goes neither forward nor back.
    back = np.maximum(0, calls - forward - np.maximum(facts.opens(table), table.processes))
    enough = facts.limits["operations"] * facts.files(table)
    mask = (back >= enough) & (back > facts.limits["random.share"] * calls)
    if not mask.any():
        return
    moved = table["BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"]
    lost = (
        facts.lost(facts.moving(table, kind), moved, facts.movers(table))
        * back
        / np.maximum(calls, 1)
    )
    seconds = np.where(mask, lost, 0.0)
    stake = facts.stake(
        seconds.sum(),
        "time beyond a good rate, multiplied by the share of transfers that go back: an upper "
        "bound",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, seconds, len(mask))
    number, whole = int(back[first]), int(calls[first])
    descending = goes_back(facts, table, kind, first)
    yield Finding(
        f"{NAME}-{kind.lower()}",
        f"The program {kind.lower()}s {'backwards' if descending else 'at random offsets'}",
        f"{count(number)} of {count(whole)} {kind.lower()}s ({share(number, whole)}) of "
        f"{facts.name(table.ids[first])} start before the end of the previous one"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(
            table, first, f"{kind}S", f"SEQ_{kind}S", f"CONSEC_{kind}S", f"F_{kind}_TIME"
        ),
        remedy=backwards(kind)
        if descending
        else _sorted(in_common=int(table.ids[first]) in facts.common.ids),
        limits=("random.share", "operations", "again.factor"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
