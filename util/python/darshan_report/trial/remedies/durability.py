"""Measures what durability costs: how long calls wait until data are on the storage device. This is
no remedy, because a crash of the machine loses what was not synchronized."""

from __future__ import annotations

from ...diagnose.programs.sqlite import databases
from ..planning.case import Case, Plan

NAME = "durability"
WHAT = "measures what fsync and the like cost: leaves them out, in a copy"
CURES = ("syncs",)
_WAITS = {
    "POSIX": ("FSYNCS", "FDSYNCS"),
    "POSIX_EXT": ("MSYNCS", "RANGE_SYNCS", "SYNCS", "SYNC_OPENS"),
}


def _waits(case: Case) -> bool:
    tables = [(case.facts.table(module), names) for module, names in _WAITS.items()]
    return any(table[n].clip(0).sum() > 0 for table, names in tables if table for n in names)


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program does not wait for the storage
    device, or runs may write to files that the user keeps."""
    if not _waits(case):
        return "the program does not ask to wait for the storage device"
    if not case.in_copy:
        return (
            "it is measured only where runs write to a copy and nowhere else: use --copy DIR or "
            "--setup CMD, and not --yes-repeat"
        )
    instead = "synchronize once for each checkpoint, not after every record"
    if databases(case.facts):
        instead = "commit in larger batches"
    return Plan(f"{NAME}=1", costs=NAME, instead=instead)
