"""A parallel job on shared files without MPI-IO."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most
from ...table import Table
from ..processes import read_by_all

NAME = "no-mpi-io"
ROLE = CAUSE
_LINE = 512  # bytes: most lines are shorter
_ALIKE = 0.95  # share of transfers with the same size from which on transfers are records
_LOG = re.compile(r"(^|[._-])(log|out|err|txt|csv|jsonl?|progress|status)([._-]|\d*$)", re.I)


def _lines(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the files to which processes only write lines of text, as the different
    sizes of the writes, or the file's name, show. MPI-IO would not help with such files: each
    process writes single lines, too often for collective calls."""
    found: np.ndarray = table["BYTES_WRITTEN"] < _LINE * np.maximum(table["WRITES"], 1)
    found &= (table["READS"] == 0) & (table["WRITES"] > 0)
    alike = table["ACCESS1_COUNT"] >= _ALIKE * table["WRITES"]
    for place in np.flatnonzero(found & alike):
        found[place] = bool(_LOG.search(os.path.basename(facts.name(int(table.ids[place])))))
    return found


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if the processes of an MPI job make many transfers on shared files and the
    log has no MPI-IO calls; otherwise nothing."""
    table = facts.table("POSIX")
    if not facts.together or table is None or facts.table("MPI-IO") is not None:
        return
    if facts.table("DFS") is not None:
        return
    calls = table["READS"] + table["WRITES"]
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    time = table["F_READ_TIME"] + table["F_WRITE_TIME"]
    mask = table.shared & (calls >= facts.limits["operations"])
    mask &= ~_lines(facts, table)
    mask &= ~read_by_all.whole(facts, table) & (moved < facts.limits["aggregate.bytes"] * calls)
    if not mask.any():
        return
    lost = np.where(mask, facts.lost(time, moved, facts.movers(table)), 0.0)
    stake = facts.stake(lost.sum(), "time beyond what the bytes would take at a good rate")
    if not facts.worth(stake):
        return
    (first,) = leading(mask, lost, 1)
    yield Finding(
        NAME,
        "A shared file is used without MPI-IO",
        f"{plural(facts.nprocs, 'process')} made {count(int(calls[first]))} POSIX transfers of "
        f"{amount(float(moved[first]) / int(calls[first]))} each on "
        f"{facts.name(table.ids[first])}; without MPI-IO, no library combines them.",
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            "READS",
            "WRITES",
            "BYTES_READ",
            "BYTES_WRITTEN",
            "F_READ_TIME",
            "F_WRITE_TIME",
        ),
        remedy=Remedy(
            "Use MPI-IO, or parallel HDF5, netCDF or PnetCDF on top of it, with collective calls.",
            "MPI_File_write_at_all;  H5Pset_fapl_mpio;  nc_create_par",
        ),
        limits=("aggregate.bytes", "operations"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
