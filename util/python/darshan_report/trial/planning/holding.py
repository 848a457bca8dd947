"""Decides whether a remedy may delay the writes of streams (FILE *)."""

from __future__ import annotations

from .case import Case


def who_else(case: Case) -> str:
    """Returns why writes of the log's streams must not be delayed, for example because another
    process may read the files; "" if they may. If the case has a finding, only its files count."""
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
        if posix is None or at is None:
            continue
        if posix["OPENS"][at] > 0:
            return f"the program also opens {facts.name(record)} without a stream"
        # The runtime flushes a held stream before its own process queries the size, but not before
        # another process does so.
        if facts.tree is not None and facts.tree.number > 1 and posix["STATS"][at] > 0:
            name = facts.name(record)
            return f"the run has several processes, and one asks for the size of {name}"
    return ""
