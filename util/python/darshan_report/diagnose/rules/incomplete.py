"""The log had no room for the records of all files."""

from __future__ import annotations

from collections.abc import Iterator

from ...measure.overflow import files_in_it, shared_record
from ...summary.units import count
from ..facts import Facts
from ..finding import NOTICE, Finding, Remedy

NAME = "incomplete"


def find(facts: Facts) -> Iterator[Finding]:
    """Yields a notice on the modules whose partial flag is set."""
    partial = [r for r in facts.info.regions if r.partial and r.length and r.name]
    if not partial:
        return
    names = ", ".join(r.name or "" for r in partial)
    sentence = f"{names}: more files were used than there was room for records."
    exact = [r.name for r in partial if r.name and shared_record(facts.log, r.name)]
    if exact:
        numbers = [files_in_it(facts.log, name) for name in exact]
        known = sum(n for n in numbers if n is not None)
        some = f"{count(known)} of them" if None not in numbers else "The others"
        sentence += (
            f" {some} share records named by their folder and ending, or <overflow>: totals of "
            f"{' and '.join(exact)} are exact, single files are missing."
        )
    if lower := [r.name or "" for r in partial if r.name not in exact]:
        sentence += f" What is missing in {', '.join(lower)} is in no total."
    first = (partial[0].name or "POSIX").partition(" ")[0]
    yield Finding(
        NAME,
        "More files than records",
        sentence,
        NOTICE,
        remedy=Remedy(
            "Give the runtime more room, or leave out names that do not matter.",
            f"MAX_RECORDS 100000 {first}\nNAME_EXCLUDE ^/tmp/ *\n"
            "(lines of the file that DARSHAN_CONFIG_PATH names)",
        ),
    )
