"""Fill values are written and then overwritten."""

from __future__ import annotations

from collections.abc import Iterator

from ...measure.attribution import OPEN
from ...summary.units import amount
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "fill-values"


def find(facts: Facts) -> Iterator[Finding]:
    """The dataset whose creation wrote most of what was overwritten later."""
    for upper in facts.datasets:
        filled = upper.below("BYTES_WRITTEN", (OPEN,))
        asked = upper.counters["BYTES_ASKED_WRITTEN"]
        if filled < facts.limits["again.bytes"] or asked < filled / 2:
            continue
        stake = facts.stake(
            upper.time((OPEN,)),
            "time of creating the dataset",
            filled,
            upper.below("BYTES_WRITTEN"),
        )
        if not facts.worth(stake):
            continue
        yield Finding(
            NAME,
            "Fill values are written for nothing",
            f"Creating {facts.name(upper.id)} wrote {amount(filled)}, and the program then wrote "
            f"{amount(asked)} over them.",
            stake=stake,
            evidence=facts.upper_rows(
                upper,
                "OPEN_CALLS",
                "OPEN_POSIX_BYTES_WRITTEN",
                "BYTES_ASKED_WRITTEN",
                "F_OPEN_TIME",
            ),
            remedy=Remedy(
                "Tell HDF5 not to write fill values where all is overwritten, or to allocate late.",
                "H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER)\n"
                "H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_INCR);  nc_set_fill(nc, NC_NOFILL, &old)",
            ),
            limits=("again.bytes",),
            covers=frozenset({upper.id}),
        )
        return
