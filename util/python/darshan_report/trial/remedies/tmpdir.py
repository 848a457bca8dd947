"""The remedy that puts temporary files into memory, by the variable TMPDIR."""

from __future__ import annotations

import os

from ...units import amount
from ..planning.case import Case, Plan
from ..planning.temporary import is_temporary
from ..running.private import MEMORY

NAME = "tmpdir"
WHAT = f"sets TMPDIR={MEMORY}, so that temporary files are in memory"
CURES = ("costly-", "syncs", "small-accesses", "flush-per-chunk", "random-access", "opened-again")


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program writes no temporary file,
    there is no folder in memory, or the files may not fit into it."""
    facts = case.facts
    written = 0
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        for place, record in enumerate(table.ids if table is not None else ()):
            if table is not None and is_temporary(facts.name(int(record))):
                written += int(table["BYTES_WRITTEN"][place])
    if not written:
        return "the program writes no temporary file"
    if not os.path.isdir(MEMORY):
        return f"there is no {MEMORY}"
    room = os.statvfs(MEMORY)
    free = min(room.f_bavail * room.f_frsize, case.memory)
    if 2 * written > free:
        return (
            f"it writes {amount(written)} to temporary files; {MEMORY} has room for {amount(free)}"
        )
    return Plan(variables={"TMPDIR": MEMORY}, keep=f"export TMPDIR={MEMORY}")
