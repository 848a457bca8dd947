"""Traffic that counters of calls cannot see: mapped files, rings of the kernel."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import amount, count
from ..facts import Facts
from ..finding import NOTICE, Evidence, Finding, Remedy, Stake

NAME = "unseen"


def find(facts: Facts) -> Iterator[Finding]:
    """Notices, never problems: what is missing from all other numbers."""
    extra = facts.table("POSIX_EXT")
    posix = facts.table("POSIX")
    if extra is None:
        return
    rings, mapped = extra.sum("URING_RINGS"), extra.sum("MMAP_BYTES")
    moved = posix.sum("BYTES_READ") + posix.sum("BYTES_WRITTEN") if posix is not None else 0
    if rings > 0:
        yield _notice(
            "io-uring",
            "Some I/O went through io_uring",
            f"{count(rings)} rings were set up; what was read and written through them is in no "
            "counter of this log.",
            facts.sums(extra, "URING_RINGS"),
            "Compare with the bytes of the process in /proc/PID/io, or run with io_uring off.",
        )
    if mapped > facts.limits["unseen.share"] * moved and mapped >= facts.limits["again.bytes"]:
        yield _notice(
            "mapped",
            "Files were mapped into memory",
            f"{amount(mapped)} of files were mapped; reads and writes through the mapping are "
            "page faults, which no counter of calls can see.",
            facts.sums(extra, "MMAP_BYTES", "MSYNCS", "MSYNC_BYTES"),
            "Bytes of mapped files are missing from all totals here; the time is in the program.",
        )


def _notice(
    name: str, title: str, sentence: str, evidence: tuple[Evidence, ...], text: str
) -> Finding:
    return Finding(f"{NAME}-{name}", title, sentence, NOTICE, Stake(), evidence, Remedy(text))
