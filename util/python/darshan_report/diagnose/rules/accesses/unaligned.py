"""Transfers that straddle blocks or stripes of a parallel file system."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, share
from ...facts import PARALLEL, Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import CALLS, at_most, needs

NAME = "unaligned"
ROLE = SYMPTOM


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: on the files whose transfers straddle blocks or stripes of the
    file system, if several processes write them or the file system locks whole blocks."""
    table = facts.table("POSIX")
    if table is None:
        return
    calls = table["READS"] + table["WRITES"]
    odd, block = table["FILE_NOT_ALIGNED"], table["FILE_ALIGNMENT"]
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    # Another rule reports transfers that are smaller than a block.
    mask = (odd >= facts.limits["operations"]) & (odd > facts.limits["alignment.share"] * calls)
    mask &= (block > 1) & (moved >= block * calls)
    if not mask.any():
        return
    time = table["F_READ_TIME"] + table["F_WRITE_TIME"]
    seconds = np.where(
        mask, facts.lost(time, moved, facts.movers(table)) * odd / np.maximum(calls, 1), 0.0
    )
    for place in leading(mask, seconds, len(mask)):
        kind = facts.mount_type(int(table.ids[place]))
        contended = facts.together and table.shared[place] and table["WRITES"][place] > 0
        if kind not in PARALLEL and not contended:
            continue
        stake = facts.stake(
            float(seconds[place]),
            "time beyond a good rate, multiplied by the share of transfers that are not aligned: "
            "an upper bound",
        )
        if not facts.worth(stake):
            return
        where = f" ({kind})" if kind else ""
        yield Finding(
            NAME,
            "Transfers are not aligned to the file system",
            f"{count(int(odd[place]))} of {count(int(calls[place]))} transfers "
            f"({share(int(odd[place]), int(calls[place]))}) of {facts.name(table.ids[place])} do "
            f"not start on a block of {amount(int(block[place]))}{where}.",
            stake=stake,
            evidence=facts.rows(
                table,
                place,
                "FILE_NOT_ALIGNED",
                "FILE_ALIGNMENT",
                "READS",
                "WRITES",
                "F_READ_TIME",
                "F_WRITE_TIME",
            ),
            remedy=Remedy(
                "Let data start on block or stripe boundaries; HDF5 can align large objects, and "
                "MPI-IO "
                "aligns its file domains to stripes.",
                f"H5Pset_alignment(fapl, 65536, {int(block[place])})\n"
                f"lfs setstripe -S {int(block[place])} folder;  hint striping_unit",
            ),
            limits=("alignment.share", "operations"),
            covers=frozenset({int(table.ids[place])}),
        )
        return
