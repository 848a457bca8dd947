"""The log lacks the records of some files, because a limit was reached."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.files.overflow import files_in_it, noun_of, shared_record
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
    nouns = dict.fromkeys(noun_of(r.name or "") for r in partial)
    what = " and ".join(f"{noun}s" for noun in nouns)
    sentence = f"{names}: the program used more {what} than the log has records."
    exact = [r.name for r in partial if r.name and shared_record(facts.log, r.name)]
    if exact:
        numbers = [files_in_it(facts.log, name) for name in exact]
        known = sum(n for n in numbers if n is not None)
        some = f"{count(known)} of them" if None not in numbers else "The others"
        one = numbers == [1]
        share = "shares a record named by its" if one else "share records named by their"
        sentence += (
            f" {some} {share} folder and ending, or <overflow>: totals of {' and '.join(exact)} "
            f"are exact, single {what} are missing."
        )
    if lower := [r.name or "" for r in partial if r.name not in exact]:
        sentence += f" Totals of {', '.join(lower)} lack the missing {what}."
    first = (partial[0].name or "POSIX").partition(" ")[0]
    yield Finding(
        NAME,
        f"The log lacks records of some {what}",
        sentence,
        NOTICE,
        remedy=Remedy(
            "Allow more records, or exclude file names that do not matter.",
            f"MAX_RECORDS 100000 {first}\nNAME_EXCLUDE ^/tmp/ *\n"
            "(lines of the file that DARSHAN_CONFIG_PATH names)",
        ),
    )
