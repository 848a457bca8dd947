"""The remedy that lets MPI-IO write without reading first, by a hint."""

from __future__ import annotations

from ..planning.case import Case, Plan
from ..planning.mpi import hints

NAME = "no-data-sieving"
WHAT = "switches data sieving of writes by MPI-IO off (romio_ds_write)"
CURES = ("read-modify-write",)


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program writes nothing by MPI-IO."""
    table = case.facts.table("MPI-IO")
    if table is None or not table.sum("BYTES_WRITTEN"):
        return "the program writes no file by MPI-IO"
    return hints(f"{NAME}=1", ("romio_ds_write", "disable"))
