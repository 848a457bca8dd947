"""The remedy that lets more processes do the file-system part of collective calls, by hints."""

from __future__ import annotations

from ...diagnose.programs.machine import processors
from ..planning.case import Case, Plan
from ..planning.mpi import hints, no_collective_calls

NAME = "aggregators"
WHAT = "lets one rank for each processor write and read for the others (cb_nodes)"
CURES = ("aggregators", "waiting-in-mpi-io")


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program makes no collective calls."""
    if why := no_collective_calls(case):
        return why
    number = max(2, min(case.facts.nprocs, processors(case.facts)))
    return hints(f"{NAME}={number}", ("cb_nodes", str(number)), ("cb_config_list", "*:*"))
