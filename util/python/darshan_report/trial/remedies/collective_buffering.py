"""The remedy that switches on MPI-IO's collective buffering, by hints."""

from __future__ import annotations

from ..planning.case import Case, Plan
from ..planning.mpi import hints, no_collective_calls

NAME = "collective-buffering"
WHAT = "switches collective buffering of MPI-IO on (romio_cb_write and romio_cb_read)"
CURES = ("collective-not-aggregated",)


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program makes no collective calls."""
    return no_collective_calls(case) or hints(
        f"{NAME}=1", ("romio_cb_write", "enable"), ("romio_cb_read", "enable")
    )
