"""Compression that costs time and saves little space."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.layers.attribution import PUTTING, READ, WRITE, Upper
from ....units import amount, seconds, share
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from . import variable_length

NAME = "little-compression"
ROLE = CAUSE
_REMEDY = Remedy(
    "Store these data without a filter: compressing data that do not shrink takes time at each "
    "write and each read, and saves no space. A shuffle filter does not help with noise, or "
    "with data that are already compressed.",
    "no deflate: neither H5Pset_deflate nor nc_def_var_deflate for these data\n"
    "Python: file.create_dataset(name, data=array)  # no compression=",
)


def _whole(facts: Facts, upper: Upper, kind: str, asked: int) -> int:
    """Returns the uncompressed bytes of the chunks that were moved, from their number: a filter
    compresses a whole chunk, and each chunk is one transfer to or from the file. kind: READ or
    WRITE. asked: bytes that the program requested."""
    transfers = upper.below(f"{kind}S", PUTTING if kind == WRITE else (kind,))
    direction = "READ" if kind == READ else "WRITTEN"
    moved = upper.below(f"BYTES_{direction}", PUTTING if kind == WRITE else (kind,))
    distinct = upper.counters[f"DISTINCT_BYTES_{direction}"]
    if moved > distinct > 0:
        transfers = int(transfers * distinct / moved)
    return max(asked, transfers * max(0, upper.counters["CHUNK_BYTES"]))


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: on the first dataset with filters that is nearly as large in the
    file as without them, if the filters take time."""
    for upper in facts.datasets:
        if upper.counters["FILTERS"] <= 0 or upper.id in variable_length.ids_of_datasets(facts):
            continue  # a filter compresses the references, not the values
        for kind, direction in ((WRITE, "WRITTEN"), (READ, "READ")):
            asked = upper.counters[f"BYTES_ASKED_{direction}"]
            stored = upper.counters[f"DISTINCT_RAW_BYTES_{direction}"]
            if stored <= 0:
                stored = upper.counters[f"DISTINCT_BYTES_{direction}"]
            # A cached chunk goes through the filters when it leaves the cache.
            own = upper.own_time(PUTTING if kind == WRITE else (kind,))
            whole = _whole(facts, upper, kind, asked)
            if asked < facts.limits["again.bytes"] or stored > whole * 2:
                continue
            if stored < facts.limits["compression.gain"] * whole:
                continue
            stake = facts.stake(
                own, "time inside HDF5 in these calls, filters included", stored, whole
            )
            if not facts.worth(stake):
                continue
            yield Finding(
                NAME,
                "Compression gains little",
                f"{amount(whole)} of {facts.name(upper.id)} are {amount(stored)} in the file "
                f"({share(stored, whole)}); {seconds(own)} went into HDF5 itself, filters "
                f"included{facts.over_all}.",
                stake=stake,
                evidence=facts.upper_rows(
                    upper,
                    "FILTERS",
                    f"BYTES_ASKED_{direction}",
                    f"DISTINCT_BYTES_{direction}",
                    f"DISTINCT_RAW_BYTES_{direction}",
                    f"F_{kind}_TIME",
                    f"F_{kind}_POSIX_TIME",
                ),
                remedy=_REMEDY,
                limits=("compression.gain",),
                covers=frozenset({upper.id}),
            )
            return
