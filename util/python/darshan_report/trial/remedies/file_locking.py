"""The remedy that lets HDF5 lock no files, by the variable HDF5_USE_FILE_LOCKING."""

from __future__ import annotations

from ..planning.case import Case, Plan

NAME = "file-locking"
WHAT = "sets HDF5_USE_FILE_LOCKING=FALSE, so that HDF5 locks no file when it opens one"
CURES = ("waits-for-locks", "hdf5-opened-again")


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program locks no HDF5 file, or the
    locks may keep processes apart."""
    facts = case.facts
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    files = {upper.id for upper in facts.hdf5_files}
    locked = False
    for place, record in enumerate(extra.ids if extra is not None else ()):
        if extra is None or int(record) not in files or not extra["LOCKS"][place]:
            continue
        locked = True
        at = posix.place(int(record)) if posix is not None else None
        written = posix is not None and at is not None and posix["WRITES"][at] > 0
        if written and extra.processes[place] > 1:
            return f"several processes use {facts.name(int(record))}, and one of them writes it"
    if not locked:
        return "the program locks no file of HDF5"
    variable = "HDF5_USE_FILE_LOCKING"
    return Plan(variables={variable: "FALSE"}, keep=f"export {variable}=FALSE")
