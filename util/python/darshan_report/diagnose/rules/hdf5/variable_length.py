"""Values of variable length, which HDF5 stores one by one outside of the dataset."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.layers.attribution import READ, WRITE
from ....units import amount, plural
from ...accesses.objects import Hdf5, Mask, hdf5, joined
from ...facts import Facts, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "variable-length"
ROLE = CAUSE
_CONTIGUOUS, _CHUNKED = 1, 2
_INDEXED = 1024  # bytes of a chunk from which on its index entry is comparatively small
_BYTES = (
    ("BYTES_ASKED_READ", "DISTINCT_BYTES_READ"),
    ("BYTES_ASKED_WRITTEN", "DISTINCT_BYTES_WRITTEN"),
)
_REMEDY = Remedy(
    "Give texts a fixed length, or store all values in one array and the position where each "
    "begins in a second one.",
    "Python: names = numpy.array(names, dtype='S16')  # at most 16 bytes each, then write them\n"
    "C: H5Tset_size(type, 16)  # of a copy of H5T_C_S1, not H5T_VARIABLE",
)


@once
def ids_of_datasets(facts: Facts) -> frozenset[int]:
    """Returns the ids of the datasets whose values have variable length; empty without records of
    HDF5."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.datasets):
        return frozenset()
    return frozenset(h5.datasets.ids[of_datasets(facts, h5)].tolist())


def of_datasets(facts: Facts, h5: Hdf5) -> Mask:
    """Returns a mask of the datasets whose values have variable length. No counter has the
    datatype; they are recognized because more distinct bytes are moved for them than their elements
    have. So a dataset with few values is missed, and datasets with very small chunks are left out,
    because their index is as large as the elements."""
    sets, table = h5.datasets, facts.table("H5D")
    if table is None:
        return np.zeros(len(sets), np.bool_)
    elements = np.maximum(0, table["DATASPACE_NPOINTS"]) * np.maximum(0, table["DATATYPE_SIZE"])
    whole = joined(sets.ids, table, elements)
    large = sets["CHUNK_BYTES"] >= _INDEXED
    plain = (sets["LAYOUT"] == _CONTIGUOUS) | ((sets["LAYOUT"] == _CHUNKED) & large)
    mask: Mask = plain & (whole > 0)
    beside = np.zeros(len(sets), np.bool_)
    for asked, distinct in _BYTES:
        least = facts.limits["variable.factor"] * np.maximum(whole, sets[asked])
        beside |= sets[distinct] >= least + facts.limits["again.bytes"]
    return mask & beside


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over all datasets whose values have variable length, if they cost enough
    time; otherwise nothing."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.datasets):
        return
    sets, mask = h5.datasets, of_datasets(facts, h5)
    asked = int(sets.asked[mask].sum())
    lost = np.where(mask, facts.lost(sets.time((READ, WRITE)), sets.asked), 0.0)
    stake = facts.stake(
        lost.sum(), "time of reads and writes beyond what the bytes would take at a good rate"
    )
    if not mask.any() or not facts.worth(stake):
        return
    moved = sum(int(sets.below(what)[mask].sum()) for what in ("BYTES_READ", "BYTES_WRITTEN"))
    calls = int((sets["READ_CALLS"] + sets["WRITE_CALLS"])[mask].sum())
    yield Finding(
        NAME,
        "Values of variable length are stored one by one",
        f"{plural(calls, 'transfer')} of {sets.named(mask, lost)} requested {amount(asked)} and "
        f"moved {amount(moved)}. That is more than the elements take, so they are references: HDF5 "
        "stores each value of variable length (a text, a list) in a heap of the file, and reads, "
        "writes and converts one after the other.",
        stake=stake,
        evidence=sets.sums(
            mask,
            "READ_CALLS",
            "WRITE_CALLS",
            "BYTES_ASKED_READ",
            "BYTES_ASKED_WRITTEN",
            "DISTINCT_BYTES_READ",
            "DISTINCT_BYTES_WRITTEN",
            "F_READ_TIME",
            "F_WRITE_TIME",
        ),
        remedy=_REMEDY,
        limits=("variable.factor", "again.bytes"),
        covers=h5.covers(datasets=mask),
    )
