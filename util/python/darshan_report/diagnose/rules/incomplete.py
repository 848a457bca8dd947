"""The log had no room for everything, or parts of it are damaged."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import count
from ..facts import Facts
from ..finding import NOTICE, Finding, Remedy

NAME = "incomplete"


def find(facts: Facts) -> Iterator[Finding]:
    """Modules whose partial flag is set."""
    partial = [r for r in facts.info.regions if r.partial and r.length and r.name]
    if not partial:
        return
    keys = dict(facts.info.metadata)
    shared = [keys.get(f"{k}_in_overflow", "") for k in ("posix_files", "stdio_streams")]
    more = sum(int(n) for n in shared if n.isdigit())
    names = ", ".join(r.name or "" for r in partial)
    sentence = f"{names}: more files were used than there was room for records. "
    if more:
        sentence += (
            f"{count(more)} of them share one record named <overflow>: totals are exact, "
            "single files are missing."
        )
    else:
        sentence += "What is missing is in no total."
    first = (partial[0].name or "POSIX").partition(" ")[0]
    yield Finding(
        NAME,
        "More files than records",
        sentence,
        NOTICE,
        remedy=Remedy(
            "Give the runtime more room, or leave out names that do not matter.",
            f"MAX_RECORDS 10000 {first}\nMODMEM 64\nNAME_EXCLUDE ^/tmp/ *\n"
            "(lines of the file that DARSHAN_CONFIG_PATH names)",
        ),
    )
