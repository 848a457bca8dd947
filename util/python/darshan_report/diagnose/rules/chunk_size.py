"""Chunks that are far too small, or far larger than what is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from ...measure.attribution import Upper
from ...summary.units import amount, count
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "chunk-size"


def find(facts: Facts) -> Iterator[Finding]:
    """One finding for chunks that are too small, one for those that are too large."""
    small = large = False
    for upper in facts.datasets:
        chunk = upper.counters["CHUNK_BYTES"]
        if chunk <= 0:
            continue
        if not small and (found := _too_small(facts, upper, chunk)):
            small = True
            yield found
        elif not large and (found := _too_large(facts, upper, chunk)):
            large = True
            yield found


def _too_small(facts: Facts, upper: Upper, chunk: int) -> Finding | None:
    below = upper.below("READS") + upper.below("WRITES")
    if chunk >= facts.limits["chunk.small"] or below < facts.limits["operations"]:
        return None
    lost = float(facts.lost(upper.time(), upper.asked))
    stake = facts.stake(
        lost, "time in calls on the dataset beyond what its bytes would take at a good rate"
    )
    if upper.asked < chunk * 4 or not facts.worth(stake):
        return None
    return Finding(
        f"{NAME}-small",
        "Chunks are very small",
        f"{facts.name(upper.id)} has chunks of {amount(chunk)}; {amount(upper.asked)} became "
        f"{count(below)} POSIX transfers, and HDF5 keeps an index entry for every chunk.",
        stake=stake,
        evidence=facts.upper_rows(
            upper,
            "CHUNK_BYTES",
            "WRITE_CALLS",
            "READ_CALLS",
            "BYTES_ASKED_READ",
            "BYTES_ASKED_WRITTEN",
            "WRITE_POSIX_WRITES",
            "FLUSH_POSIX_WRITES",
            "READ_POSIX_READS",
        ),
        remedy=Remedy(
            "Make chunks of 64 KiB to a few MiB, in the shape of what is read together.",
            "H5Pset_chunk(dcpl, rank, dims);  h5repack -l NAME:CHUNK=... in.h5 out.h5",
        ),
        limits=("chunk.small", "operations"),
        covers=frozenset({upper.id}),
    )


def _too_large(facts: Facts, upper: Upper, chunk: int) -> Finding | None:
    asked, distinct = upper.counters["BYTES_ASKED_READ"], upper.counters["DISTINCT_BYTES_READ"]
    # Bytes of whole chunks of which most was never asked for, although each was read once.
    if asked <= 0 or distinct < facts.limits["chunk.amplification"] * asked:
        return None
    calls = max(1, upper.counters["READ_CALLS"])
    part = 1 - asked / distinct
    stake = facts.stake(
        upper.time(("READ",)) * part,
        "reading time times the share of bytes that nobody asked for",
        distinct - asked,
        distinct,
    )
    if asked / calls * facts.limits["chunk.amplification"] > chunk or not facts.worth(stake):
        return None
    return Finding(
        f"{NAME}-large",
        "Chunks are much larger than what is read of them",
        f"Reads of {facts.name(upper.id)} ask for {amount(asked / calls)} each; its chunks have "
        f"{amount(chunk)}, so {amount(distinct)} were read for {amount(asked)}.",
        stake=stake,
        evidence=facts.upper_rows(
            upper,
            "CHUNK_BYTES",
            "READ_CALLS",
            "BYTES_ASKED_READ",
            "DISTINCT_BYTES_READ",
            "READ_POSIX_BYTES_READ",
            "F_READ_TIME",
        ),
        remedy=Remedy(
            "Give the chunks the shape of the usual selection, or read more of a chunk at once.",
            "h5repack -l NAME:CHUNK=... in.h5 out.h5",
        ),
        limits=("chunk.amplification",),
        covers=frozenset({upper.id}),
    )
