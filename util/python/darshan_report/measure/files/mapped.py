"""Sums of mapped files in POSIX_EXT, such as the bytes that the program touched according to the
page tables."""

from __future__ import annotations

from collections.abc import Callable

from ...classes import dataclass
from ...units import amount

# Counters of POSIX_EXT that a log may lack.
MAPPED = ("MMAP_TOUCHED", "MMAP_WRITABLE", "MMAP_DIRTY", "MMAP_POPULATED", "MMAP_UNMEASURED")

# A page fault maps several pages, or a huge page. If memory is short, the kernel unmaps pages
# again.
PAGES = (
    "the pages that the kernel mapped. A page fault maps 16 pages or a large page of 2 MiB, so "
    "random access shows more than the program used."
)
SHARED = "each process that shares a mapping, as after a fork, counts the pages that it touches"
CAUTION = (
    f"The bytes are those of {PAGES} Pages that the kernel unmapped when memory was short are "
    "missing."
)


@dataclass(frozen=True)
class Mapped:
    """Bytes of mapped files, summed. A field is None if it is unknown, as in logs of older
    releases."""

    mapped: float  # all bytes of all mappings
    touched: float | None  # of the pages that the program accessed
    writable: float  # touched in mappings that can be written
    dirty: float | None  # written in these
    populated: float  # not touched, but mapped by the kernel at the program's request
    unmeasured: float  # not examined

    @property
    def moved(self) -> float:
        """An upper bound of the bytes that were moved through mappings: of touched, populated and
        unmeasured pages, or all mapped bytes if the touched ones are unknown."""
        if self.touched is None:
            return self.mapped
        return self.touched + self.populated + self.unmeasured

    @property
    def looked_at(self) -> float:
        """The bytes that were touched, or that the kernel mapped at the program's request. This is
        the most I/O that mappings can explain."""
        return (self.touched or 0.0) + self.populated

    @property
    def is_shared(self) -> bool:
        """Whether several processes touched the same mapping, such as one that was made before a
        fork: the sum over the processes is then larger than the mapping."""
        return self.touched is not None and self.touched > self.mapped

    @property
    def sentence(self) -> str:
        if self.touched is None:
            return (
                f"{amount(self.mapped)} of files were mapped; reads and writes through the mapping "
                "are page faults; the number of touched bytes is unknown."
            )
        if self.is_shared:
            words = (
                f"Processes touched {amount(self.touched)} of mappings of {amount(self.mapped)}: "
                f"{SHARED}"
            )
        else:
            words = f"{amount(self.touched)} of {amount(self.mapped)} of mapped files were touched"
        if self.writable:
            words += f", {amount(self.writable)} of that in mappings that can be written"
            if self.dirty is not None:
                words += f" ({amount(self.dirty)} were written)"
        words += "."
        if self.populated:
            words += f" {amount(self.populated)} more the kernel mapped at the program's request."
        if self.unmeasured:
            words += f" {amount(self.unmeasured)} were not examined, which would have taken long."
        return words


def mapped(total: Callable[[str], float | None]) -> Mapped | None:
    """Returns the sums of mapped files; None if no file was mapped or the number of mapped bytes is
    unknown. total: returns the sum of a counter of POSIX_EXT by its name; None if unknown."""

    def known(name: str) -> float | None:
        value = total(f"MMAP_{name}")
        return None if value is None or value < 0 else value

    size = known("BYTES")
    if not size:
        return None
    return Mapped(
        size,
        known("TOUCHED"),
        known("WRITABLE") or 0.0,
        known("DIRTY"),
        known("POPULATED") or 0.0,
        known("UNMEASURED") or 0.0,
    )
