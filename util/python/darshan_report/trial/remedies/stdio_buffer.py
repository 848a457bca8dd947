"""A larger buffer of libc's streams, also where the program has switched it off."""

from __future__ import annotations

from ...diagnose.language import READ_BUFFER, WRITE_BUFFER
from ..case import Case, Plan

NAME = "stdio-buffer"
WHAT = "gives streams of regular files (fopen) a buffer of 1 MiB"
CURES = ("unbuffered-stream",)
_SIZE = 1 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan; refuses if somebody else may read what a stream holds back."""
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
    reads = case.finding is not None and case.finding.name.endswith("-read")
    return Plan(f"{NAME}={_SIZE}", keep=READ_BUFFER if reads else WRITE_BUFFER)
