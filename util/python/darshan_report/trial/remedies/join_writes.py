"""The remedy that combines small consecutive writes of a file into large ones."""

from __future__ import annotations

from ...diagnose.remedies.language import FLUSHES, WRITE_BUFFER
from ...diagnose.table import Table
from ..planning.case import Case, Plan, of_descriptor

NAME = "join-writes"
WHAT = "joins small writes of a file that follow each other, up to 1 MiB"
CURES = ("small-accesses-write",)
_SIZE = 1 << 20


def _others(case: Case) -> str:
    """Returns the reason why writes must not be delayed: there are none, or another process, a
    stream or a read may use the file meanwhile. Returns "" if they may be delayed."""
    facts = case.facts
    if facts.nprocs > 1 and facts.tree is None:
        return "the job has several ranks"
    covered = case.finding.covers if case.finding is not None else frozenset()
    posix, extra, stdio = (facts.table(name) for name in ("POSIX", "POSIX_EXT", "STDIO"))
    written = 0
    for place, record in enumerate(posix.ids if posix is not None else ()):
        if posix is None or (covered and int(record) not in covered) or not posix["WRITES"][place]:
            continue
        written += 1
        name = facts.name(int(record))
        if why := _is_seen(posix, place):
            return f"{why} {name}"
        beside = extra.place(int(record)) if extra is not None else None
        if extra is not None and beside is not None and extra["LOCKS"][beside]:
            return f"the program locks {name}"
        stream = stdio.place(int(record)) if stdio is not None else None
        asked = bool(posix["FILENOS"][place])
        if stdio is not None and stream is not None and not (asked and _is_idle(stdio, stream)):
            return f"the program also uses {name} by a stream"
    return "" if written else "the program writes no file by write"


def _is_seen(posix: Table, place: int) -> str:
    """Returns who else can see that the writes of a file are delayed: several processes that use
    it, or the program itself, which reads or maps it. The text is the beginning of a clause,
    "several processes use"; "" if nobody can. place: row of the file."""
    if posix.processes[place] > 1:
        return "several processes use"
    return "the program also reads or maps" if posix["READS"][place] + posix["MMAPS"][place] else ""


def _is_idle(stdio: Table, place: int) -> bool:
    """Returns whether the streams of a file moved nothing. C++ opens its files by streams of libc,
    but then uses their descriptors. place: row of the file."""
    return not any(stdio[name][place] for name in ("READS", "WRITES", "FLUSHES", "SEEKS"))


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program writes no file by write, or
    somebody could see that writes are delayed."""
    return _others(case) or Plan(
        f"{NAME}={_SIZE}", keep=of_descriptor(f"{FLUSHES}\n{WRITE_BUFFER}", "w")
    )
