"""Many small transfers: the time goes into calls, not into bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import amount, count, plural, share
from ..facts import Facts, Table, leading
from ..finding import Finding, Remedy
from . import reread

NAME = "small-accesses"
_FLUSHED = (
    " Do not flush after each line: std::endl, flush=True, flush(unit) and line buffering do."
)
_HERE_AND_THERE = (
    " These go here and there: put them in order first; a larger buffer alone reads for nothing."
)
# glibc ignores the size where it shall take the memory itself.
_BUFFERS = (
    "static char room[1 << 20];  setvbuf(stream, room, _IOFBF, sizeof room);\n"
    "open(path, buffering=1 << 20)\n"
)
_MOVED = {"READ": ("BYTES_READ", "read"), "WRITE": ("BYTES_WRITTEN", "written")}


def find(facts: Facts) -> Iterator[Finding]:
    """One finding for reads, one for writes of the POSIX layer."""
    table = facts.table("POSIX")
    if table is None:
        return
    for kind in _MOVED:
        yield from _find(facts, table, kind)


def _find(facts: Facts, table: Table, kind: str) -> Iterator[Finding]:
    calls, (moved, word) = f"{kind}S", _MOVED[kind]
    small, all_calls = facts.small(table, kind), table[calls]
    # Of files that share a record each would have to have so many.
    enough = facts.limits["operations"] * facts.files(table)
    mask = (small >= enough) & (small > facts.limits["small.share"] * all_calls)
    # Blocks that memory answers cost their copying, in few calls or in many.
    calls_made = np.maximum(all_calls, 1)
    blocks = table[moved] >= facts.limits["stream.buffer"] * calls_made
    mask &= ~(blocks & (facts.moving(table, kind) < facts.limits["stream.latency"] * calls_made))
    mask &= ~reread.mostly(facts, table, kind)
    if not mask.any():
        return
    part = small / np.maximum(all_calls, 1)
    users = facts.movers(table)
    lost = facts.lost(facts.moving(table, kind) * part, table[moved] * part, users)
    seconds = np.where(mask, lost, 0.0)
    stake = facts.stake(
        seconds.sum(),
        "time of the small transfers beyond what their bytes would take in large "
        f"ones at {facts.rate_words(int(users[mask].max()))}",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, seconds, len(mask))
    number, whole = int(small[mask].sum()), int(all_calls.sum())
    mean = float(table[moved][first]) / max(1, int(all_calls[first]))
    in_order = 2 * int(table[f"SEQ_{calls}"][first]) >= int(all_calls[first])
    yield Finding(
        f"{NAME}-{kind.lower()}",
        f"Many small {kind.lower()}s",
        f"{count(number)} of {count(whole)} POSIX {calls.lower()} ({share(number, whole)}) have "
        f"at most {amount(facts.limits['small.bytes'])}; {facts.name(table.ids[first])} was "
        f"{word} {amount(mean)} at a time on average"
        + (f", and {plural(len(others), 'more file')} like it." if others else "."),
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            calls,
            moved,
            f"SIZE_{kind}_0_100",
            f"SIZE_{kind}_100_1K",
            f"SIZE_{kind}_1K_10K",
            f"SIZE_{kind}_10K_100K",
            f"F_{kind}_TIME",
        ),
        remedy=Remedy(
            "Move more with each call: collect records in memory and write them together, read "
            "ahead in blocks of a megabyte or more, or let a library do it (buffered streams, "
            "HDF5 chunks, collective MPI-IO)."
            + (_FLUSHED if kind == "WRITE" else "")
            + ("" if in_order else _HERE_AND_THERE),
            (_BUFFERS if in_order else "")
            + "H5Dwrite of a whole block instead of an element;  MPI_File_write_at_all",
        ),
        limits=(
            "small.bytes",
            "small.share",
            "operations",
            "stream.buffer",
            "stream.latency",
            "again.mostly",
        ),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
