"""The remedy that combines small consecutive writes into large ones."""

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
        if why := _shared(case, posix, place):
            return why
        if posix["READS"][place] or posix["MMAPS"][place]:
            return f"the program also reads or maps {name}"
        beside = extra.place(int(record)) if extra is not None else None
        if extra is not None and beside is not None and extra["LOCKS"][beside]:
            return f"the program locks {name}"
        stream = stdio.place(int(record)) if stdio is not None else None
        asked = bool(posix["FILENOS"][place])
        if stdio is not None and stream is not None and not (asked and _is_idle(stdio, stream)):
            return f"the program also uses {name} by a stream"
    return "" if written else "the program writes no file by write"


def _shared(case: Case, posix: Table, place: int) -> str:
    """Returns why another process of the run may notice that writes of a file are delayed; "" if
    none can. place: row of the file."""
    name, tree = case.facts.name(int(posix.ids[place])), case.facts.tree
    if posix.processes[place] > 1:
        return f"several processes use {name}"
    # The runtime writes held bytes before its own process asks for the size.
    if tree is not None and tree.number > 1 and posix["STATS"][place] > 0:
        return f"the run has several processes, and one asks for the size of {name}"
    return ""


def _is_idle(stdio: Table, place: int) -> bool:
    """Returns whether the streams of a file moved nothing. C++ opens its files by streams of libc,
    but then uses their descriptors. place: row of the file."""
    return not any(stdio[name][place] for name in ("READS", "WRITES", "FLUSHES", "SEEKS"))


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none, which _others() finds."""
    return _others(case) or Plan(
        f"{NAME}={_SIZE}", keep=of_descriptor(f"{FLUSHES}\n{WRITE_BUFFER}", "w")
    )
