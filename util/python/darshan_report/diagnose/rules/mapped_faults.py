"""A program uses the pages of mapped files in no order, and waits for storage at nearly each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...units import amount, count, plural, seconds
from ..facts import Facts
from ..finding import CAUSE, Finding, Remedy
from ..unjudged import waits_for_pages

NAME = "mapped-faults"
ROLE = CAUSE


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over all mapped files."""
    usage, extra = facts.table("USAGE"), facts.table("POSIX_EXT")
    waited = waits_for_pages(facts)
    if usage is None or extra is None or waited is None or not extra.has("MMAP_TOUCHED"):
        return
    touched = extra["MMAP_TOUCHED"]
    # Without such files, the pages are those of programs, or of memory that was swapped out.
    if touched.sum() < waited.read / 2:
        return
    stake = facts.stake(waited.seconds, "time in page faults that waited for storage")
    if not facts.worth(stake):
        return
    first, files = int(np.argmax(touched)), int((touched > 0).sum())
    others = f" and {plural(files - 1, 'more file')}" if files > 1 else ""
    yield Finding(
        NAME,
        "Pages of mapped files are used in no order",
        f"{facts.name(int(extra.ids[first]))}{others}: {count(waited.faults)} page faults waited "
        f"for storage, each for {amount(waited.read / waited.faults)}, together for "
        f"{amount(waited.read)}. That took up to {seconds(waited.seconds)}"
        f"{facts.over_all}; no recorded call contains this time.",
        stake=stake,
        evidence=facts.sums(usage, "MAJOR_FAULTS", "STORAGE_READ", "F_BLOCKED_TIME")
        + facts.rows(extra, first, "MMAP_BYTES", "MMAP_TOUCHED"),
        remedy=Remedy(
            "Use the pages in the order of the file: sort the positions first, or read larger "
            "blocks. If the file fits into memory, have the kernel read all of it before the first "
            "use (MADV_WILLNEED, or MAP_POPULATE when the file is mapped). Leave out MADV_RANDOM "
            "where neighbouring pages are used as well.",
            "C: madvise(map, size, MADV_WILLNEED);  // once, before the loop\n"
            "Python: mapped.madvise(MADV_WILLNEED)  # once, before the loop\n"
            "Python: for place in sorted(places): value = mapped[place]",
        ),
        limits=("faults.many", "faults.page", "faults.seconds"),
    )
