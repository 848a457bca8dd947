"""Which streams of a log a remedy may hold back."""

from __future__ import annotations

from .case import Case


def who_else(case: Case) -> str:
    """Returns why the streams of files must not be held back, because somebody else may read them;
    empty if nobody does. With a finding, only its files count."""
    facts = case.facts
    if facts.streams is None or not facts.streams.files.any():
        return "the program opens no stream of a file"
    ids = {int(i) for i in facts.streams.table.ids[facts.streams.files]}
    if case.finding is not None and case.finding.covers:
        ids &= case.finding.covers
    for place, record in enumerate(facts.streams.table.ids):
        if int(record) in ids and facts.streams.table.processes[place] > 1:
            return f"several processes use {facts.name(int(record))}"
    posix = facts.table("POSIX")
    for record in ids if posix is not None else ():
        at = posix.place(record) if posix is not None else None
        if posix is not None and at is not None and posix["OPENS"][at] > 0:
            return f"the program also opens {facts.name(record)} without a stream"
    return ""
