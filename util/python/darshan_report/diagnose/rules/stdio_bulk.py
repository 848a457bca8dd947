"""Bulk data through buffered streams."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import amount, count, share
from ..facts import Facts, leading
from ..finding import Finding, Remedy

NAME = "stdio-bulk"


def find(facts: Facts) -> Iterator[Finding]:
    """Streams that move much of the bytes, and time with it."""
    table = facts.table("STDIO")
    if table is None:
        return
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    streams = float(moved.sum())
    whole = sum(
        t.sum("BYTES_READ") + t.sum("BYTES_WRITTEN") for layer, t in facts.layers if layer.base
    )
    if streams < max(facts.limits["stdio.share"] * whole, facts.limits["stdio.bytes"]):
        return
    time = facts.time(table)
    stake = facts.stake(
        float(facts.lost(time, moved).sum()),
        "time in streams beyond what the bytes would take at a good rate",
        int(streams),
        int(whole),
    )
    if not (moved > 0).any() or not facts.worth(stake):
        return
    (first,) = leading(moved > 0, time, 1)
    calls = int(table["READS"][first] + table["WRITES"][first])
    yield Finding(
        NAME,
        "Bulk data goes through stdio",
        f"{amount(streams)} ({share(streams, whole)} of all bytes) went through streams; "
        f"{facts.name(table.ids[first])} was moved with {count(calls)} calls, "
        f"{amount(float(moved[first]) / max(1, calls))} each.",
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            "READS",
            "WRITES",
            "BYTES_READ",
            "BYTES_WRITTEN",
            "F_READ_TIME",
            "F_WRITE_TIME",
        ),
        remedy=Remedy(
            "Give the stream a buffer of a megabyte or more, move larger records with each call, "
            "or use read and write (or a library such as HDF5) for bulk data.",
            "setvbuf(stream, NULL, _IOFBF, 4 << 20);  numpy.fromfile instead of text lines",
        ),
        limits=("stdio.share", "stdio.bytes"),
        covers=frozenset({int(table.ids[first])}),
    )
