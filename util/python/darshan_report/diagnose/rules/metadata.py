"""Opening, querying and closing files takes much of the I/O time."""

from __future__ import annotations

from collections.abc import Iterator

from ...units import count, seconds, share
from .. import program_text
from ..facts import Facts
from ..finding import SYMPTOM, Evidence, Finding, Remedy
from ..overlap import together
from . import (
    listings,
    lookups,
    many_files,
    opens_again,
    rewritten,
    seeks,
    stream_seeks,
)

NAME = "metadata"
ROLE = SYMPTOM
# Time that these rules report is not reported again.
_CAUSES = (
    many_files,
    opens_again,
    rewritten,
    lookups,
    listings,
    seeks,
    stream_seeks,
)
_OPERATIONS = ("ACCESSES", "UNLINKS", "RMDIRS", "LINKS", "MKDIRS", "SETATTRS", "TRUNCATES")


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if opening, querying and closing files takes much of the I/O time, over
    the lowest layers together."""
    told = together(f for rule in _CAUSES for f in facts.found(rule.find))
    # Program files that an interpreter loads are not data, and users do not pack them into one
    # file.
    base = [
        (table, ~program_text.which(facts, table)) for layer, table in facts.layers if layer.base
    ]
    meta = sum(float(t["F_META_TIME"][own].sum()) for t, own in base) + facts.beside.metadata
    whole, extra, posix = facts.base_time, facts.table("POSIX_EXT"), facts.table("POSIX")
    stake = facts.stake(meta - told, "time in metadata calls that no other finding explains")
    opens = sum(float(facts.opens(table)[own].sum()) for table, own in base)
    stats = sum(float(table["STATS"][own].sum()) for table, own in base)
    more = sum(extra.sum(n) for n in _OPERATIONS) if extra is not None else 0.0
    renames = facts.renames()
    # If other findings explain nearly all of the time, they have the remedy.
    if meta - told < facts.limits["metadata.share"] * meta:
        return
    if meta <= facts.limits["metadata.share"] * whole or not facts.worth(stake):
        return
    if opens + stats + more + renames < facts.limits["operations"]:
        return
    # A file may have a record in POSIX and one in STDIO, and a record may be of many files.
    known = {
        number: files
        for table, own in base
        for number, files in zip(table.ids[own].tolist(), facts.files(table)[own].tolist())
    }
    files = sum(known.values())
    evidence: tuple[Evidence, ...] = ()
    if posix is not None:
        renamed = ("RENAME_SOURCES",) if renames else ()
        evidence += facts.sums(posix, "OPENS", "STATS", "SEEKS", *renamed, "F_META_TIME")
    if extra is not None:
        renamed = ("RENAMES",) if renames else ()
        evidence += facts.sums(
            extra, "ACCESSES", "MISSES", "UNLINKS", "DIR_ENTRIES", "SETATTRS", *renamed,
            "F_META_TIME",
        )  # fmt: skip
    calls = [
        text
        for number, text in (
            (opens + stats, f"{count(opens)} opens and {count(stats)} stat calls on "
             f"{count(files)} files"),
            (renames, f"{count(renames)} rename" + "s" * (renames != 1)),
            (more, f"{count(more)} other operation" + "s" * (more != 1) + " on names"),
        )
        if number
    ]  # fmt: skip
    yield Finding(
        NAME,
        "Metadata calls take much of the I/O time",
        f"{share(meta, whole)} of the I/O time ({seconds(meta)}{facts.over_all}) went into "
        f"metadata calls (open, stat, seek, close and the like): {', '.join(calls)}.",
        stake=stake,
        evidence=evidence,
        remedy=Remedy(
            "Open files once and keep them open, pack many small objects into one file, stat once "
            "and remember the result; take the type of an entry from the listing (d_type, "
            "os.scandir) instead of a stat for each; let one process ask and send the result to "
            "the "
            "others.",
            "one HDF5 file or an archive instead of many files;  MPI_Bcast of what rank 0 read\n"
            "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
        ),
        limits=("metadata.share", "operations"),
    )
