"""The notice about the time of calls that map and unmap files, if no other finding explains it."""

from __future__ import annotations

import numpy as np

from ...units import amount, plural
from ..facts import Facts, leading
from ..finding import Remedy
from ..table import Table
from .row_words import Told, largest, of_run

_MOSTLY = 0.5  # of the bytes whose pages are known

_IN_PARTS = Remedy(
    "If the program uses only some of the pages, map the files without asking for all of them: "
    "then only the pages that it uses are loaded. Or map only the part that it uses.",
    "C: mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0)  without MAP_POPULATE, without mlock\n"
    "C: mmap(NULL, part, PROT_READ, MAP_SHARED, fd, offset)  offset: a multiple of the page size\n"
    "Rust: MmapOptions::new().offset(offset).len(part).map(&file)?  without populate()",
)


def mappings(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about calls that map files; None if the log has none. spent:
    seconds in these calls, summed over processes. The parameter without a name is that of other
    such functions."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if posix is None or extra is None:
        return None
    time = np.maximum(extra["F_MAP_TIME"], 0.0)
    used = time > 0
    if not used.any():
        return None
    first = leading(used, time, 1)[0]
    number = posix.sum("MMAPS")
    at_once = _at_once(extra)
    return Told(
        "Files are loaded as a whole when they are mapped into memory"
        if at_once
        else "Mapping files into memory takes much of the run",
        f"{of_run(facts, spent)} went into {plural(int(number), 'mapping')} of "
        f"{amount(extra.sum('MMAP_BYTES') / max(number, 1.0))} on average and their ends. "
        f"{largest(facts, extra, time, first)}"
        + (
            f" The program asked for {amount(at_once)} of pages at once (MAP_POPULATE, mlock): "
            "these calls wait until all pages are there. The log does not show which of them the "
            "program used."
            if at_once
            else ""
        ),
        0.0,
        "",
        _IN_PARTS if at_once else Remedy(""),
        "The end of a mapping takes time for each of its pages. What is left to try: map only the "
        "part that is used, or read the file with read.",
        facts.rows(extra, first, "MMAP_BYTES", "MMAP_POPULATED", "F_MAP_TIME"),
        frozenset(int(i) for i in extra.ids[used]),
        is_hint=at_once > 0,
    )


def _at_once(extra: Table) -> float:
    """Returns the bytes that the kernel mapped at the program's request (MAP_POPULATE); 0 unless
    these are most of the touched bytes."""
    if not extra.has("MMAP_POPULATED"):
        return 0.0
    populated = float(np.maximum(extra["MMAP_POPULATED"], 0).sum())
    touched = float(np.maximum(extra["MMAP_TOUCHED"], 0).sum())
    return populated if populated > _MOSTLY * (populated + touched) else 0.0
