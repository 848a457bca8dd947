"""Common parts of the MPI-IO remedies: hints that are passed when a file is opened."""

from __future__ import annotations

from .case import Case, Plan

_OPENS = "P?MPI_File_open"


def no_collective_calls(case: Case) -> str:
    """Returns why hints for collective calls can have no effect; "" if they can."""
    table = case.facts.table("MPI-IO")
    if table is None:
        return "the program opens no file by MPI-IO"
    if case.facts.nprocs < 2:
        return "the job has one rank"
    calls = sum(table.sum(f"{how}_{kind}S") for how in ("COLL", "SPLIT", "NB")
                for kind in ("READ", "WRITE"))  # fmt: skip
    return "" if calls else "the program makes no collective call of MPI-IO"


def hints(setting: str, *pairs: tuple[str, str]) -> Plan:
    """Returns a plan that passes hints to MPI-IO. setting: value for the variable DARSHAN_TRY.
    pairs: names and values of the hints, for the code that makes the remedy permanent."""
    told = ";  ".join(f'MPI_Info_set(info, "{name}", "{value}")' for name, value in pairs)
    python = ", ".join(f"'{name}': '{value}'" for name, value in pairs)
    fortran = "; ".join(f"call MPI_Info_set(info, '{n}', '{v}', ierr)" for n, v in pairs)
    return Plan(
        setting,
        keep=f"C: {told};  MPI_File_open(comm, path, mode, info, &file)\n"
        f"Fortran: {fortran}\n"
        f"Python: MPI.File.Open(comm, path, mode, MPI.Info.Create({{{python}}}))",
        opens=_OPENS,
    )
