"""Collective calls that nevertheless reach the file system as small pieces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural
from ...accesses import collective
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from . import tiny_collective

NAME = "collective-not-aggregated"
ROLE = CAUSE


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding on the file that loses the most time in collective writes that reach the
    file system as small pieces or, if there are no such writes, on the file that loses the most
    time in such reads. Yields nothing if there are neither."""
    upper, lower = facts.table("MPI-IO"), facts.table("POSIX")
    if upper is None or lower is None or not facts.together:
        return
    for kind, bytes_of in (("WRITE", "BYTES_WRITTEN"), ("READ", "BYTES_READ")):
        calls = collective.calls(upper, kind)
        below = np.zeros(len(upper))
        moved = np.zeros(len(upper))
        seconds = np.zeros(len(upper))
        for place in np.flatnonzero(calls > 0):
            at = lower.place(int(upper.ids[place]))
            if at is not None:
                below[place], moved[place] = lower[f"{kind}S"][at], lower[bytes_of][at]
                seconds[place] = lower[f"F_{kind}_TIME"][at]
        mean = moved / np.maximum(below, 1)
        mask = (below >= facts.limits["operations"]) & (below >= calls)
        mask &= mean < facts.limits["aggregate.bytes"]
        mask &= ~tiny_collective.tiny(facts, upper)  # tiny calls have another remedy
        # If most transfers of the file are independent, another rule reports it.
        mask &= calls >= upper[f"INDEP_{kind}S"]
        if not mask.any():
            continue
        lost = np.where(mask, facts.lost(seconds, moved), 0.0)
        stake = facts.stake(
            lost.sum(), "POSIX time beyond what the bytes would take at a good rate"
        )
        if not facts.worth(stake):
            continue
        (first,) = leading(mask, lost, 1)
        at = lower.place(int(upper.ids[first]))
        yield Finding(
            NAME,
            "Collective calls are not aggregated",
            f"{count(float(collective.met(upper, kind)[first]))} collective {kind.lower()}s of "
            f"{facts.name(upper.ids[first])} by {plural(int(upper.processes[first]), 'process')} "
            f"became {count(int(below[first]))} POSIX {kind.lower()}s of "
            f"{amount(float(mean[first]))} on average.",
            stake=stake,
            evidence=facts.rows(upper, first, f"COLL_{kind}S", bytes_of)
            + (
                facts.rows(lower, at, f"{kind}S", bytes_of, f"F_{kind}_TIME")
                if at is not None
                else ()
            ),
            remedy=Remedy(
                "Switch collective buffering on with a larger buffer; transfers of one call should "
                "cover a contiguous range of the file.",
                f'MPI_Info_set(info, "romio_cb_{kind.lower()}", "enable");  "cb_buffer_size",'
                ' "16777216";  "cb_nodes"\nH5Pset_fapl_mpio(fapl, comm, info)',
            ),
            limits=("aggregate.bytes", "operations"),
            covers=frozenset({int(upper.ids[first])}),
        )
        return
