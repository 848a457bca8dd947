"""The same file is opened and closed, or asked about, again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import count, plural, seconds
from ..facts import Facts, Table, leading
from ..finding import Finding, Remedy

NAME = "opened-again"
_LIGHTER = 20  # an open or a stat costs so many seeks


def find(facts: Facts) -> Iterator[Finding]:
    """One finding for files, one for streams."""
    for module in ("POSIX", "STDIO"):
        if (table := facts.table(module)) is not None:
            yield from _find(facts, table)


def _find(facts: Facts, table: Table) -> Iterator[Finding]:
    opens = facts.opens(table) / table.processes
    stats = table["STATS"] / table.processes
    mask = (opens > facts.limits["opens.again"]) | (stats > facts.limits["stats.again"])
    mask &= facts.single(table)
    if not mask.any():
        return
    again = np.maximum(0, opens - 1) + np.maximum(0, stats - 1)
    part = again / np.maximum(opens + stats, 1)
    # Seeks are metadata as well, which a file system is not asked for.
    calls = facts.opens(table) + table["STATS"]
    part = part * calls / np.maximum(calls + table["SEEKS"] / _LIGHTER, 1)
    time = np.where(mask, table["F_META_TIME"] * part, 0.0)
    stake = facts.stake(time.sum(), "metadata time of the repeated calls")
    if not facts.worth(stake):
        return
    first, *others = leading(mask, time, len(mask))
    yield Finding(
        NAME,
        "Files are opened or asked about again and again",
        f"{facts.name(table.ids[first])} was opened {count(float(opens[first]))} times and asked "
        f"about {count(float(stats[first]))} times by each process that used it"
        + (f"; so it is with {plural(len(others), 'more file')}" if others else "")
        + f". That took {seconds(float(time.sum()))} over all processes.",
        stake=stake,
        evidence=facts.rows(
            table, first, "OPENS", *(["STATS"] if table.has("STATS") else []), "F_META_TIME"
        ),
        remedy=Remedy(
            "Open once and keep the descriptor; ask once and remember the answer; lock a range of "
            "an open file with fcntl instead of making a file that is the lock.",
            "with open(path) as f: outside of the loop;  H5Fopen once, not per record",
        ),
        limits=("opens.again", "stats.again"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
