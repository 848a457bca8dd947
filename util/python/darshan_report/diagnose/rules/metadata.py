"""Opening, asking and closing take more time than moving data."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import count, seconds, share
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "metadata"


def find(facts: Facts) -> Iterator[Finding]:
    """One finding, over the lowest layers together."""
    base = [(layer, table) for layer, table in facts.layers if layer.base]
    meta = sum(float(table["F_META_TIME"].sum()) for _, table in base)
    extra = facts.table("POSIX_EXT")
    other = float(extra["F_META_TIME"].sum()) if extra is not None else 0.0
    whole = facts.base_time + other
    meta += other
    stake = facts.stake(meta, "all time in metadata calls")
    posix = facts.table("POSIX")
    opens = posix.sum("OPENS") if posix is not None else 0
    stats = posix.sum("STATS") if posix is not None else 0
    many = meta > facts.limits["metadata.share"] * whole and facts.worth(stake)
    many = many and opens + stats >= facts.limits["operations"]
    if not many and meta < facts.limits["metadata.seconds"] * facts.at_once:
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
        f"calls on {count(files)} files.",
        stake=stake,
        evidence=evidence,
        remedy=Remedy(
            "Open files once and keep them open, pack many small things into one file, ask once "
            "and remember; let one process ask and tell the others.",
            "one HDF5 file or an archive instead of many files;  MPI_Bcast of what rank 0 read\n"
            "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
        ),
        limits=("metadata.share", "metadata.seconds", "operations"),
    )
