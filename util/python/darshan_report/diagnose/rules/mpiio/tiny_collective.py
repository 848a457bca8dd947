"""Collective calls that move very few bytes, although all processes must take part in each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses import collective
from ...facts import Facts, leading, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...table import Table

NAME = "tiny-collective"
ROLE = CAUSE
_SIDES = (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN"))


@once
def tiny(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the MPI-IO files that are mostly moved by collective calls of very few
    bytes. table: the MPI-IO files."""
    found = np.zeros(len(table), bool)
    for kind, moved in _SIDES:
        calls = collective.calls(table, kind)
        others = table[f"INDEP_{kind}S"] + table[f"NB_{kind}S"]
        found |= (
            (calls >= facts.limits["collective.calls"] * table.processes)
            & (calls >= others)
            & (table[moved] <= facts.limits["small.bytes"] * (calls + others))
        )
    return found


@needs("MPI-IO")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all files that collective MPI-IO calls read or write in tiny pieces;
    nothing if there are none."""
    table = facts.table("MPI-IO")
    if table is None or not facts.together:
        return
    mask = tiny(facts, table)
    if not mask.any():
        return
    calls, each = collective.calls(table), collective.met(table)
    moved, time = collective.moved(table), collective.time(table)
    lost = np.where(mask, facts.lost(time * (1 - 1 / np.maximum(each, 1)), moved), 0.0)
    stake = facts.stake(
        lost.sum(), "time in these calls beyond that of one, and beyond what the bytes would take"
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    yield Finding(
        NAME,
        "Collective calls transfer very few bytes",
        f"{plural(int(table.processes[first]), 'process')} made {count(float(each[first]))} "
        "collective calls "
        f"to transfer {amount(float(moved[first]) / int(calls[first]))} each in "
        f"{facts.name(table.ids[first])}"
        + (f", and in {plural(len(others), 'more file')}" if others else "")
        + f". {seconds(float(time[mask].sum()))}{facts.over_all} went into these calls.",
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            "COLL_READS",
            "COLL_WRITES",
            "BYTES_READ",
            "BYTES_WRITTEN",
            "F_READ_TIME",
            "F_WRITE_TIME",
        ),
        remedy=Remedy(
            "Make fewer, larger calls: describe all pieces of a process with a file view, or "
            "collect them in memory, and move them with one collective call. If small pieces are "
            "rare, let one process write them.",
            "MPI_Type_vector / MPI_Type_create_subarray;  MPI_File_set_view;  one "
            "MPI_File_write_all",
        ),
        limits=("collective.calls", "small.bytes"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
