"""Transfers that jump back and forth in a file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...units import count, plural, share
from ..facts import Facts, leading
from ..finding import SYMPTOM, Finding, Remedy
from ..table import Table

NAME = "random-access"
ROLE = SYMPTOM


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding for reads and one for writes."""
    table = facts.table("POSIX")
    if table is not None:
        for kind in ("READ", "WRITE"):
            yield from _find(facts, table, kind)


def _find(facts: Facts, table: Table, kind: str) -> Iterator[Finding]:
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
        "time beyond a good rate, multiplied by the share that goes back: an upper bound",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, seconds, len(mask))
    number, whole = int(back[first]), int(calls[first])
    yield Finding(
        f"{NAME}-{kind.lower()}",
        f"The program {kind.lower()}s at random offsets",
        f"{count(number)} of {count(whole)} {kind.lower()}s ({share(number, whole)}) of "
        f"{facts.name(table.ids[first])} start before the end of the previous one"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(
            table, first, f"{kind}S", f"SEQ_{kind}S", f"CONSEC_{kind}S", f"F_{kind}_TIME"
        ),
        remedy=Remedy(
            "Sort requests by offset, advise the system of random access, or keep the file in "
            "memory "
            "while it is used; read-ahead works only for ascending offsets.",
            "qsort of the requests by offset;  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM)\n"
            "read(fd, all, size)  # once, if it fits into memory",
        ),
        limits=("random.share", "operations"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
