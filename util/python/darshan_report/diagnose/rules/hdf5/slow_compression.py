"""An HDF5 filter that compresses chunks so slowly that it takes much of the run."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.layers.attribution import PUTTING, Upper
from ....units import amount, seconds, share
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...times import cpu_wait
from ...times.loops import processor_time
from . import variable_length

NAME = "slow-compression"
ROLE = CAUSE
_REMEDY = Remedy(
    "Use a low level of compression with the shuffle filter, or a faster filter: the highest "
    "levels take several times as long for a few percent of size.",
    "Python: file.create_dataset(..., compression='gzip', compression_opts=1, shuffle=True)\n"
    "Python: file.create_dataset(..., compression='lzf', shuffle=True)\n"
    "H5Pset_shuffle(dcpl) before H5Pset_deflate(dcpl, 1)\n"
    "nc_def_var_deflate(nc, var, 1, 1, 1)\n"
    "h5repack -f SHUF -f GZIP=1 in.h5 out.h5",
)


def _packing(facts: Facts, upper: Upper) -> float:
    """Returns the seconds that HDF5 itself took to write a dataset, mostly in filters, without the
    estimated waits for a processor."""
    spent, ran = upper.own_time(PUTTING), processor_time(facts)
    waited = cpu_wait.runnable(facts)
    return spent * ran / (ran + waited) if waited > 0 and ran < float("inf") else spent


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: on the filtered dataset that took longest to write, if its
    filters are slow and compress it well."""
    limits = facts.limits
    found = []
    for upper in facts.datasets:
        chunk = upper.counters["CHUNK_BYTES"]
        if upper.counters["FILTERS"] <= 0 or upper.id in variable_length.ids_of_datasets(facts):
            continue
        # Each compressed chunk is one write. A chunk that left the cache and came back is
        # compressed again.
        packed = upper.below("WRITES", PUTTING) * max(0, chunk)
        stored = upper.below("BYTES_WRITTEN", PUTTING)
        asked = upper.counters["BYTES_ASKED_WRITTEN"]
        writes = max(1, upper.counters["WRITE_CALLS"])
        if packed < limits["again.bytes"] or stored >= limits["compression.gain"] * packed:
            continue
        if chunk < limits["chunk.small"] or asked <= limits["element.bytes"] * writes:
            continue  # here calls and chunks take the time, not the filter
        spent = _packing(facts, upper)
        if spent * limits["compression.rate"] > packed:
            found.append((spent, packed, stored, upper))
    if not found:
        return
    spent, packed, stored, upper = max(found, key=lambda row: row[0])
    left = packed / limits["compression.fast"]
    stake = facts.stake(spent - left, "time inside HDF5 beyond what a low level takes")
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Compression takes much of the run",
        f"HDF5 packed {amount(packed)} of {facts.name(upper.id)} into {amount(stored)} "
        f"({share(stored, packed)}), at {amount(packed / spent)}/s: {seconds(spent)}"
        f"{facts.over_all}. A low level of deflate packs about "
        f"{amount(limits['compression.fast'])}/s. HDF5 packs a chunk when it leaves the cache, "
        "often only when the file is closed. The log does not have the level.",
        stake=stake,
        evidence=facts.upper_rows(
            upper, "FILTERS", "CHUNK_BYTES", "BYTES_ASKED_WRITTEN",
            "F_WRITE_TIME", "F_FLUSH_TIME", "F_CLOSE_TIME",
        ),
        remedy=_REMEDY,
        limits=(
            "compression.rate", "compression.fast", "compression.gain", "chunk.small",
            "again.bytes", "element.bytes",
        ),
        covers=frozenset({upper.id}),
    )  # fmt: skip
