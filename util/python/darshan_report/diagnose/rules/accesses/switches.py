"""Reads and writes of one file alternate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....records import among
from ....units import count, share
from ...accesses import filled
from ...accesses.streams import Mask
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...programs.used_through import used_through
from ...reached import CALLS, at_most, needs
from ...table import Table

NAME = "read-write-alternation"
ROLE = SYMPTOM
_BLANK = 0.01  # bytes read for each byte written, at most: the reads find nothing


def _by_netcdf(facts: Facts, table: Table) -> Mask:
    """Returns a mask of the files of which netCDF itself reads each block before it writes it:
    those that get fill values first, and those in which it reads beyond the end."""
    blank = table["BYTES_READ"] <= _BLANK * table["BYTES_WRITTEN"]
    names = (filled.filled(facts), used_through(facts, filled.NETCDF))
    first, ours = (among(table.ids, np.array(sorted(some), np.uint64)) for some in names)
    found: Mask = first | (ours & blank)
    return found


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over all files whose reads and writes alternate, if that takes much time;
    otherwise nothing. It names the file that loses the most."""
    table = facts.table("POSIX")
    if table is None:
        return
    calls, switches = table["READS"] + table["WRITES"], table["RW_SWITCHES"]
    mask = (switches >= facts.limits["operations"]) & (
        switches > facts.limits["switches.share"] * calls
    )
    if mask.any():
        mask &= ~_by_netcdf(facts, table)
    if not mask.any():
        return
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    time = facts.lost(table["F_READ_TIME"] + table["F_WRITE_TIME"], moved, facts.movers(table))
    seconds = np.where(mask, time * switches / np.maximum(calls, 1), 0.0)
    stake = facts.stake(
        seconds.sum(),
        "time beyond a good rate, multiplied by the share of transfers before which the direction "
        "changes: an upper bound",
    )
    if not facts.worth(stake):
        return
    (first,) = leading(mask, seconds, 1)
    number, whole = int(switches[first]), int(calls[first])
    yield Finding(
        NAME,
        "Reads and writes of a file alternate",
        f"{facts.name(table.ids[first])} was alternately read and written: {count(number)} "
        f"changes in {count(whole)} transfers ({share(number, whole)}).",
        stake=stake,
        evidence=facts.rows(
            table, first, "RW_SWITCHES", "READS", "WRITES", "F_READ_TIME", "F_WRITE_TIME"
        ),
        remedy=Remedy(
            "Read all input first, then write; or keep the changed data in memory and write it "
            "back in larger pieces.",
            "H5Pset_chunk_cache (a larger cache absorbs updates)\n"
            "SQL: PRAGMA cache_size = -200000;  -- KiB\n"
            "one block in memory for the parts that change",
            alone=True,
        ),
        limits=("switches.share", "operations"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
