"""MPI-IO reads data that the program only writes: data sieving, or read-modify-write."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs

NAME = "read-modify-write"
ROLE = CAUSE


@needs("MPI-IO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if MPI-IO read bytes that the program did not request, on the file that
    lost the most time to these reads; otherwise nothing."""
    upper, lower = facts.table("MPI-IO"), facts.table("POSIX")
    if upper is None or lower is None:
        return
    best, seconds = None, 0.0
    below = lower["BYTES_READ"]
    for place in np.flatnonzero(upper["BYTES_WRITTEN"]).tolist():
        written, asked = int(upper["BYTES_WRITTEN"][place]), int(upper["BYTES_READ"][place])
        at = lower.place(int(upper.ids[place]))
        if at is None or not below[at]:
            continue
        extra = int(below[at]) - asked
        if extra < max(facts.limits["sieving.share"] * written, facts.limits["again.bytes"]):
            continue
        part = extra / int(below[at])
        # As many bytes are written back as were read.
        time = float(lower["F_READ_TIME"][at]) * part
        time += float(lower["F_WRITE_TIME"][at]) * min(1.0, extra / written) / 2
        if time > seconds:
            best, seconds = (place, at, extra, written), time
    if best is None:
        return
    place, at, extra, written = best
    stake = facts.stake(
        seconds,
        "reading time of these bytes, and half of writing them back",
        extra,
        int(lower.sum("BYTES_READ")),
    )
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Writes read the file before they write",
        f"MPI-IO wrote {amount(written)} to {facts.name(upper.ids[place])}, and the POSIX calls "
        f"below also read {amount(extra)} ({extra / max(written, 1):,.1f} times the bytes "
        "written): MPI-IO reads a range, changes pieces of it and writes it back.",
        stake=stake,
        evidence=facts.rows(
            upper, place, "BYTES_WRITTEN", "BYTES_READ", "INDEP_WRITES", "COLL_WRITES"
        )
        + facts.rows(lower, at, "BYTES_READ", "BYTES_WRITTEN", "F_READ_TIME", "F_WRITE_TIME"),
        remedy=Remedy(
            "Write contiguous pieces, or collectively, so that whole ranges are filled; switch "
            "data sieving off for independent writes.",
            'MPI_Info_set(info, "romio_ds_write", "disable");  H5Pset_dxpl_mpio collective',
        ),
        limits=("sieving.share", "again.bytes"),
        covers=frozenset({int(upper.ids[place])}),
    )
