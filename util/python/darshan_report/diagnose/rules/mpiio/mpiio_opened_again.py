"""A file is opened by all processes together, again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import count, plural, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "mpi-io-opened-again"
ROLE = CAUSE


@needs("MPI-IO")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if the processes of an MPI job open MPI-IO files together again and again;
    otherwise nothing."""
    table = facts.table("MPI-IO")
    if table is None or not facts.together:
        return
    opens = (table["INDEP_OPENS"] + table["COLL_OPENS"]) / np.maximum(table.processes, 1)
    mask = opens > facts.limits["opens.again"]
    time = np.where(mask, table["F_META_TIME"] * (1 - 1 / np.maximum(opens, 1)), 0.0)
    stake = facts.stake(
        time.sum(), "time in opening and closing these files, except the first time"
    )
    if not mask.any() or not facts.worth(stake):
        return
    first, *others = leading(mask, time, len(mask))
    yield Finding(
        NAME,
        "Files are collectively opened again and again",
        f"{plural(int(table.processes[first]), 'process')} opened {facts.name(table.ids[first])} "
        f"{count(float(opens[first]))} times with MPI-IO; each open and close is collective"
        + (f"; the same holds for {plural(len(others), 'more file')}" if others else "")
        + f". That took {seconds(float(time.sum()))}{facts.over_all}.",
        stake=stake,
        evidence=facts.rows(table, first, "INDEP_OPENS", "COLL_OPENS", "F_META_TIME"),
        remedy=Remedy(
            "Open once and keep the handle; MPI_File_sync makes written data visible to others.",
            "MPI_File_open before the loop, MPI_File_close behind it",
        ),
        limits=("opens.again",),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
