"""Opening, querying and closing files takes much of the I/O time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ....units import count, plural, seconds, share
from ...facts import Facts
from ...finding import SYMPTOM, Evidence, Finding
from ...overlap import together
from ...programs import program_text
from ...reached import CALLS, at_most
from ...remedies.advice import METADATA, Seen, remedy
from ...table import Table
from ...times.naming import naming_times
from ..accesses import seeks
from ..processes import lock_files
from ..streams import refills, stream_each, stream_seeks, stream_steps
from . import failed_imports, listings, lookups, many_files, opens_again, rewritten, rotated_often

NAME = "metadata"
ROLE = SYMPTOM
# Time that these rules report is not reported a second time.
_CAUSES = (
    many_files,
    opens_again,
    rewritten,
    rotated_often,
    lookups,
    listings,
    refills,
    seeks,
    stream_seeks,
    stream_steps,
)
_OF_SITES = (failed_imports, lock_files, stream_each)  # such rules that need call sites
_PART = 0.3  # smallest share of the time in tries to make a lock that explains the rest
_CHANGES = ("UNLINKS", "RMDIRS", "LINKS", "MKDIRS", "SETATTRS")
_RESIZES = ("TRUNCATES", "FALLOCATES")
_LOOKUPS = ("FOLDER_STATS", "RESOLVES", "FAILURES")
_OPERATIONS = ("ACCESSES", *_CHANGES)


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if opening, querying and closing files takes much of the I/O time, over
    the lowest layers (POSIX, STDIO) together; otherwise nothing."""
    causes = _CAUSES if facts.info.region("SITES") is None else (*_CAUSES, *_OF_SITES)
    told = together(f for rule in causes for f in facts.found(rule.find))
    # Program files that an interpreter loads are not data, and users do not pack them into one
    # file.
    base = [
        (table, ~program_text.which(facts, table)) for layer, table in facts.layers if layer.base
    ]
    meta = sum(float(naming_times(facts, t)[own].sum()) for t, own in base) + facts.beside.metadata
    whole, extra, posix = facts.base_time, facts.table("POSIX_EXT"), facts.table("POSIX")
    stake = facts.stake(meta - told, "time in metadata calls that no other finding explains")
    opens = sum(float(facts.opens(table)[own].sum()) for table, own in base)
    stats = sum(float(table["STATS"][own].sum()) for table, own in base)
    more = sum(extra.sum(n) for n in _OPERATIONS) if extra is not None else 0.0
    asked = 0 if extra is None else int(extra.sum("ACCESSES"))
    folders, resolved, failed = (0 if extra is None else int(extra.sum(name)) for name in _LOOKUPS)
    resizes = 0 if extra is None else sum(int(extra.sum(name)) for name in _RESIZES)
    renames = facts.renames()
    # If other findings explain nearly all of the time, their remedies are enough.
    # While processes spin on a name, the kernel lets the other calls on its folder wait.
    spins = causes is not _CAUSES and facts.found(lock_files.find)
    if meta - told < facts.limits["metadata.share"] * meta or (spins and told >= _PART * meta):
        return
    if meta <= facts.limits["metadata.share"] * whole or not facts.worth(stake):
        return
    looked_up = folders + resolved + failed
    if opens + stats + more + looked_up + resizes + renames < facts.limits["operations"]:
        return
    # A file may have records in both POSIX and STDIO, and one record may represent many files.
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
            extra, "ACCESSES", "MISSES", "UNLINKS", "DIR_ENTRIES", "SETATTRS", *_LOOKUPS, *_RESIZES,
            *renamed, "F_META_TIME",
        )  # fmt: skip
    calls = [
        text
        for number, text in (
            (opens + stats, f"{plural(round(opens), 'open')} and "
             f"{plural(round(stats), 'stat call')} on {plural(round(files), 'file')}"),
            (folders, f"{plural(folders, 'look-up')} of folders"),
            (resolved, f"{plural(resolved, 'name')} resolved"),
            (failed, f"{plural(failed, 'call')} that failed"),
            (resizes, f"{plural(resizes, 'change')} of a file's size"),
            (renames, f"{count(renames)} rename" + "s" * (renames != 1)),
            (asked, plural(asked, "access call")),
            (more - asked, f"{plural(round(more - asked), 'other operation')} on names"),
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
        remedy=remedy(METADATA, _seen(facts, base, files)),
        limits=("metadata.share", "operations"),
    )


def _seen(facts: Facts, base: Sequence[tuple[Table, np.ndarray]], files: float) -> Seen:
    """Returns the numbers of the calls on names, by kind, from which the remedy is chosen. Without
    POSIX_EXT, the numbers of that module are 0. base: tables with masks of data files. files:
    number of these files."""
    extra = facts.table("POSIX_EXT")

    def beside(*names: str) -> float:
        return 0.0 if extra is None else sum(map(extra.sum, names))

    return Seen(
        moved=sum(t.sum("BYTES_READ") + t.sum("BYTES_WRITTEN") for t, _ in base),
        files=files,
        opens=sum(float(facts.opens(table)[own].sum()) for table, own in base),
        stats=sum(float(table["STATS"][own].sum()) for table, own in base) + beside("ACCESSES"),
        lookups=beside(*_LOOKUPS),
        resizes=beside(*_RESIZES),
        names=facts.renames() + beside(*_CHANGES),
        entries=beside("DIR_ENTRIES"),
        together=facts.together,
    )
