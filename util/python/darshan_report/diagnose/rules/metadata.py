"""Opening, asking and closing take more time than moving data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import count, seconds, share
from ..facts import Facts, Table
from ..finding import Finding, Remedy
from . import listings, lookups, many_files, opens_again, seeks

NAME = "metadata"
_CAUSES = (many_files, opens_again, lookups, listings, seeks)  # what they tell is not told again
_OPERATIONS = ("ACCESSES", "UNLINKS", "RMDIRS", "LINKS", "MKDIRS", "SETATTRS", "TRUNCATES")


def _elsewhere(extra: Table | None, posix: Table | None) -> float:
    """Seconds in metadata calls that the POSIX records do not hold."""
    if extra is None:
        return 0.0
    inside = np.array([posix is not None and posix.place(int(i)) is not None for i in extra.ids])
    return float(extra["F_META_TIME"][~inside].sum()) + extra.sum("F_LIST_TIME")


def find(facts: Facts) -> Iterator[Finding]:
    """One finding, over the lowest layers together."""
    told = sum(f.stake.seconds for rule in _CAUSES for f in rule.find(facts))
    base = [(layer, table) for layer, table in facts.layers if layer.base]
    meta = sum(float(table["F_META_TIME"].sum()) for _, table in base)
    extra = facts.table("POSIX_EXT")
    posix = facts.table("POSIX")
    other = _elsewhere(extra, posix)
    whole = facts.base_time + other
    meta += other
    stake = facts.stake(meta - told, "time in metadata calls that no other finding explains")
    opens = posix.sum("OPENS") if posix is not None else 0
    stats = posix.sum("STATS") if posix is not None else 0
    many = meta > facts.limits["metadata.share"] * whole and facts.worth(stake)
    more = sum(extra.sum(n) for n in _OPERATIONS) if extra is not None else 0.0
    many = many and opens + stats + more >= facts.limits["operations"]
    if not many and meta - told < facts.limits["metadata.seconds"] * facts.at_once:
        return
    files = len(posix) if posix is not None else 0
    evidence = ()
    if posix is not None:
        evidence += facts.sums(posix, "OPENS", "STATS", "SEEKS", "F_META_TIME")
    if extra is not None:
        evidence += facts.sums(
            extra, "ACCESSES", "MISSES", "UNLINKS", "DIR_ENTRIES", "SETATTRS", "F_META_TIME"
        )
    yield Finding(
        NAME,
        "Metadata calls take much of the I/O time",
        f"{share(meta, whole)} of the I/O time ({seconds(meta)} over all processes) went into "
        f"opening, asking, seeking and closing: {count(opens)} opens and {count(stats)} stat "
        f"calls on {count(files)} files"
        + (f", {count(more)} other operations on names." if more else "."),
        stake=stake,
        evidence=evidence,
        remedy=Remedy(
            "Open files once and keep them open, pack many small things into one file, ask once "
            "and remember; take the kind of an entry from the listing (d_type, os.scandir) instead "
            "of a stat for each; let one process ask and tell the others.",
            "one HDF5 file or an archive instead of many files;  MPI_Bcast of what rank 0 read\n"
            "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
        ),
        limits=("metadata.share", "metadata.seconds", "operations"),
    )
