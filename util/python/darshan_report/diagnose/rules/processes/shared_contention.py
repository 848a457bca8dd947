"""Signs that processes wait for each other's file-system locks on a shared file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, rate, share
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import CALLS, at_most, needs

NAME = "shared-file-contention"
ROLE = SYMPTOM
_SLOW = 8  # factor below a good rate, per process


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding on a shared file whose writes are not aligned, and far slower than one
    process writes; nothing if there is none."""
    table = facts.table("POSIX")
    if table is None or not facts.together:
        return
    calls, moved, time = table["WRITES"], table["BYTES_WRITTEN"], table["F_WRITE_TIME"]
    all_calls = table["READS"] + calls
    odd = table["FILE_NOT_ALIGNED"] > facts.limits["alignment.share"] * np.maximum(all_calls, 1)
    mask = table.shared & (calls >= facts.limits["operations"]) & odd
    # Small transfers are slow for other reasons.
    mask &= moved > facts.limits["small.bytes"] * calls
    if not mask.any():
        return
    mask &= moved * _SLOW < facts.good_rate(facts.movers(table)) * time
    if not mask.any():
        return
    lost = np.where(mask, facts.lost(time, moved, facts.movers(table)), 0.0)
    stake = facts.stake(lost.sum(), "writing time beyond a good rate per process")
    if not facts.worth(stake):
        return
    (first,) = leading(mask, lost, 1)
    number = int(table["FILE_NOT_ALIGNED"][first])
    yield Finding(
        NAME,
        "Processes seem to wait for each other on a shared file",
        f"{count(int(table.processes[first]))} processes wrote {amount(int(moved[first]))} to "
        f"{facts.name(table.ids[first])} at {rate(moved[first] / time[first] / (1 << 20))} each; "
        f"{share(number, int(all_calls[first]))} of the transfers are not aligned to its blocks of "
        f"{amount(int(table['FILE_ALIGNMENT'][first]))}: several processes then share blocks and "
        "their locks.",
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            "WRITES",
            "BYTES_WRITTEN",
            "F_WRITE_TIME",
            "FILE_NOT_ALIGNED",
            "FILE_ALIGNMENT",
        ),
        remedy=Remedy(
            "Write collectively with few aggregators, align each process's part to stripes, or "
            "spread the file over more storage targets.",
            "lfs setstripe -c -1 -S 16M folder;  hints cb_nodes, striping_unit;  H5Pset_alignment",
        ),
        limits=("alignment.share", "operations", "rate.good"),
        covers=frozenset({int(table.ids[first])}),
    )
