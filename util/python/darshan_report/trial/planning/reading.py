"""The files of a log that the program reads, for remedies that make reading faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...units import amount
from .case import Case

# Functions at whose call sites a remedy of an opened file is written.
OPENS = "open|open64|openat|openat64|fopen|fopen64"


# Bytes: reading smaller files takes too little time for advice to save any.
_LEAST = 1 << 20


def files_read(
    case: Case, modules: Sequence[str] = ("POSIX", "STDIO")
) -> Iterator[tuple[str, int, bool]]:
    """Yields for each file that the program reads: its path, the bytes up to the last one read, and
    whether a process of the run writes it. If the case has a finding, only the finding's files. A
    file that is in two of the modules comes twice."""
    facts, finding = case.facts, case.finding
    covered = finding.covers if finding is not None else frozenset()
    for module in modules:
        table = facts.table(module)
        for place, record in enumerate(table.ids if table is not None else ()):
            name = facts.name(int(record))
            is_covered = not covered or int(record) in covered
            if table is None or not name.startswith("/") or not is_covered:
                continue
            if table["READS"][place] or table["BYTES_READ"][place]:
                written = bool(table["WRITES"][place] or table["BYTES_WRITTEN"][place])
                yield name, 1 + int(table["MAX_BYTE_READ"][place]), written


def sizes_read(case: Case) -> dict[str, int]:
    """Returns the bytes up to the last one read of each file, by path. netCDF reads the beginning
    of a file by a stream, and the rest by a descriptor."""
    sizes: dict[str, int] = {}
    for name, size, _ in files_read(case):
        sizes[name] = max(size, sizes.get(name, 0))
    return sizes


def too_little(case: Case) -> str:
    """Returns why advice to the kernel gains nothing: the program reads little. Returns "" if it
    reads enough."""
    sizes = sizes_read(case)
    if not sizes:
        return "the program reads no file"
    whole = sum(sizes.values())
    return f"the files that the program reads have {amount(whole)}" if whole < _LEAST else ""
