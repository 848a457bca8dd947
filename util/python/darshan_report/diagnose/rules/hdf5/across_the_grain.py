"""A contiguous dataset that is read or written against the order in which it is stored."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count
from ...accesses.objects import Hdf5, hdf5
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from .variable_length import of_datasets

NAME = "across-the-grain"
ROLE = CAUSE
_CONTIGUOUS = 1
_SIDES = (("READ", "READS", "BYTES_ASKED_READ"), ("WRITE", "WRITES", "BYTES_ASKED_WRITTEN"))


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the contiguous datasets that are read against the order in which they
    are stored, so that one call becomes many small POSIX calls; without such reads, over such
    writes; nothing if there are neither."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.datasets):
        return
    for kind, below_name, asked_name in _SIDES:
        found = list(_find(facts, h5, kind, below_name, asked_name))
        if found:
            yield from found
            return


def _find(facts: Facts, h5: Hdf5, kind: str, below_name: str, asked_name: str) -> Iterator[Finding]:
    """Yields the finding on the contiguous datasets of which each call becomes many small POSIX
    calls. kind: READ or WRITE. below_name, asked_name: counters of the POSIX calls and of the
    requested bytes."""
    sets, limits = h5.datasets, facts.limits
    calls, below, asked = sets[f"{kind}_CALLS"], sets.below(below_name, (kind,)), sets[asked_name]
    mask = (sets["LAYOUT"] == _CONTIGUOUS) & (calls > 0)
    mask &= below >= limits["grain.calls"] * np.maximum(1, calls)
    mask &= asked <= limits["small.bytes"] * below
    if mask.any():
        mask &= ~of_datasets(facts, h5)
    lost = np.where(mask, facts.lost(sets.time((kind,)), asked), 0.0)
    stake = facts.stake(
        lost.sum(), f"{kind.lower()} time beyond what the bytes would take at a good rate"
    )
    number, transfers = int(calls[mask].sum()), int(below[mask].sum())
    if transfers < limits["operations"] or not facts.worth(stake):
        return
    moved_name = "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"
    moved = int(sets.below(moved_name, (kind,))[mask].sum())
    yield Finding(
        NAME,
        "A contiguous dataset is read or written across its grain",
        f"Each of {count(number)} {kind.lower()}s of {sets.named(mask, lost)} became "
        f"{count(transfers / number)} POSIX calls, which moved {amount(moved)} in total for "
        f"{amount(int(asked[mask].sum()))} that the program requested: the dataset is stored row "
        "by row, "
        "but each selection takes a small part of every row.",
        stake=stake,
        evidence=sets.sums(
            mask, f"{kind}_CALLS", f"{kind}_POSIX_{below_name}", asked_name, f"F_{kind}_TIME"
        ),
        remedy=Remedy(
            "Store the dataset in chunks of the shape in which it is read, or read whole rows and "
            "select in memory.",
            "H5Pset_chunk(dcpl, rank, dims of a usual selection)\n"
            "h5repack -l NAME:CHUNK=64x64x64 in.h5 out.h5",
        ),
        limits=("grain.calls", "small.bytes", "operations"),
        covers=h5.covers(datasets=mask),
    )
