"""The remedy that puts temporary files into memory, by the variable TMPDIR."""

from __future__ import annotations

import os

from ...units import amount
from ..planning.case import Case, Plan
from ..planning.temporary import is_temporary
from ..running.private import MEMORY

NAME = "tmpdir"
WHAT = f"sets TMPDIR={MEMORY}, so that temporary files are in memory"
# A finding counts only if it is about temporary files.
CURES = (
    *("costly-", "syncs", "small-accesses", "flush-per-chunk", "random-access", "opened-again"),
    *("stdio-bulk", "stream-", "unbuffered-stream", "line-buffered", "same-bytes-again"),
    *("rewritten-whole", "staged-copy", "copied-and-removed", "compressed-and-removed"),
    "many-small-files",
)


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program writes no temporary file,
    there is no folder in memory, or the files may not fit into it."""
    facts = case.facts
    covered = case.finding.covers if case.finding is not None else frozenset()
    written, is_meant = 0, not covered
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        for place, record in enumerate(table.ids if table is not None else ()):
            if table is not None and is_temporary(facts.name(int(record))):
                written += int(table["BYTES_WRITTEN"][place])
                is_meant |= int(record) in covered
    if not written:
        return "the program writes no temporary file"
    if not is_meant:
        return "the finding is about other files than the temporary ones"
    if not os.path.isdir(MEMORY):
        return f"there is no {MEMORY}"
    room = os.statvfs(MEMORY)
    free = min(room.f_bavail * room.f_frsize, case.memory)
    if 2 * written > free:
        return (
            f"it writes {amount(written)} to temporary files; {MEMORY} has room for {amount(free)}"
        )
    return Plan(variables={"TMPDIR": MEMORY}, keep=f"export TMPDIR={MEMORY}")
