"""Chunks that are far too small, or far larger than the pieces that are read from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count
from ...accesses.objects import Hdf5, hdf5, span
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs

NAME = "chunk-size"
ROLE = CAUSE


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if datasets have chunks that are far too small, and another if chunks are
    far larger than the pieces that are read; otherwise nothing."""
    h5 = hdf5(facts)
    if h5 is not None and len(h5.datasets):
        yield from _too_small(facts, h5)
        yield from _too_large(facts, h5)


def _too_small(facts: Facts, h5: Hdf5) -> Iterator[Finding]:
    """Yields the finding on datasets with chunks that are too small."""
    sets, limits = h5.datasets, facts.limits
    chunk, asked = sets["CHUNK_BYTES"], sets.asked
    below = sets.below("READS") + sets.below("WRITES")
    mask = (chunk > 0) & (chunk < limits["chunk.small"]) & (asked >= 4 * chunk * sets.counts)
    number = int(below[mask].sum())
    # A program that moves one chunk per call also spends the time of Python's bindings on each
    # chunk.
    calls = sets["READ_CALLS"] + sets["WRITE_CALLS"]
    around = np.where(calls >= limits["operations"], binding(facts, calls), 0.0)
    lost = np.where(mask, facts.lost(sets.time() + around, asked), 0.0)
    stake = facts.stake(
        lost.sum(),
        "time in calls on the dataset beyond what its bytes would take at a good rate"
        + (", and what Python's bindings take for each" if around[mask].any() else ""),
    )
    if number < limits["operations"] or not facts.worth(stake):
        return
    first = int(np.argmax(lost))
    yield Finding(
        f"{NAME}-small",
        "Chunks are very small",
        f"The chunks of {sets.named(mask, lost)} have {span(chunk[mask])}; "
        f"{amount(int(asked[mask].sum()))} became {count(number)} POSIX transfers, and HDF5 keeps "
        "an index entry for every chunk.",
        stake=stake,
        evidence=sets.rows(first, "CHUNK_BYTES")
        + sets.sums(
            mask,
            "WRITE_CALLS",
            "READ_CALLS",
            "BYTES_ASKED_READ",
            "BYTES_ASKED_WRITTEN",
            "WRITE_POSIX_WRITES",
            "FLUSH_POSIX_WRITES",
            "READ_POSIX_READS",
        ),
        remedy=Remedy(
            "Make chunks of 64 KiB to a few MiB, in the shape of the data that are read together, "
            "and fill one chunk with each call.",
            "H5Pset_chunk(dcpl, rank, dims);  h5repack -l NAME:CHUNK=... in.h5 out.h5",
        ),
        limits=("chunk.small", "operations", "python.seconds"),
        covers=h5.covers(datasets=mask),
    )


def _too_large(facts: Facts, h5: Hdf5) -> Iterator[Finding]:
    """Yields the finding on datasets with chunks that are far larger than the pieces that are
    read."""
    sets, factor = h5.datasets, facts.limits["chunk.amplification"]
    chunk, asked = sets["CHUNK_BYTES"], sets["BYTES_ASKED_READ"]
    distinct = sets["DISTINCT_BYTES_READ"]
    # Each chunk was read once, but most of its bytes were never requested.
    each = asked / np.maximum(1, sets["READ_CALLS"])
    mask = (chunk > 0) & (asked > 0) & (distinct >= factor * asked) & (each * factor <= chunk)
    # One read of a dataset that the run itself writes, as to check it, tells nothing of its use.
    mask &= (sets["READ_CALLS"] > 1) | (sets["BYTES_ASKED_WRITTEN"] == 0)
    part = 1 - asked / np.maximum(distinct, 1)
    lost = np.where(mask, sets.time(("READ",)) * part, 0.0)
    read, wanted = int(distinct[mask].sum()), int(asked[mask].sum())
    stake = facts.stake(
        lost.sum(),
        "reading time, multiplied by the share of bytes that the program did not request",
        read - wanted,
        read,
    )
    if not mask.any() or not facts.worth(stake):
        return
    first = int(np.argmax(lost))
    yield Finding(
        f"{NAME}-large",
        "Chunks are much larger than the reads from them",
        f"Reads of {sets.named(mask, lost)} request {span(each[mask])} each; chunks have "
        f"{span(chunk[mask])}, so {amount(read)} were read for {amount(wanted)}.",
        stake=stake,
        evidence=sets.rows(first, "CHUNK_BYTES")
        + sets.sums(mask, "READ_CALLS", "BYTES_ASKED_READ", "DISTINCT_BYTES_READ", "F_READ_TIME"),
        remedy=Remedy(
            "Give the chunks the shape of the usual selection, or read more from a chunk at once.",
            "h5repack -l NAME:CHUNK=... in.h5 out.h5",
        ),
        limits=("chunk.amplification",),
        covers=h5.covers(datasets=mask),
    )
