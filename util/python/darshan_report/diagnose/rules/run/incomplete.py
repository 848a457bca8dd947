"""The log lacks the records of some files, because a limit was reached."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.files.overflow import files_in_it, shared_record
from ....units import count
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy

NAME = "incomplete"
ROLE = REMARK


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one notice that names the modules whose records are incomplete, as their partial flag
    says; nothing if all are complete."""
    partial = [r for r in facts.info.regions if r.partial and r.length and r.name]
    if not partial:
        return
    names = ", ".join(r.name or "" for r in partial)
    sentence = f"{names}: the program used more files than the log has records."
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
        sentence += f" Totals of {', '.join(lower)} lack the missing files."
    first = (partial[0].name or "POSIX").partition(" ")[0]
    yield Finding(
        NAME,
        "The log lacks records of some files",
        sentence,
        NOTICE,
        remedy=Remedy(
            "Allow more records, or exclude file names that do not matter.",
            f"MAX_RECORDS 100000 {first}\nNAME_EXCLUDE ^/tmp/ *\n"
            "(lines of the file that DARSHAN_CONFIG_PATH names)",
        ),
    )
