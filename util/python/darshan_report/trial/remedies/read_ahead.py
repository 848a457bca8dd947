"""The remedy read-ahead: a large read fills a buffer, from which the next small reads get their
bytes."""

from __future__ import annotations

from ...diagnose.remedies.language import READ_BUFFER
from ..planning.case import Case, Plan, of_descriptor
from ..planning.reading import files_read

NAME = "read-ahead"
WHAT = "serves small reads of files from a buffer of 1 MiB that is read ahead"
CURES = ("small-accesses-read",)
_SIZE = 1 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program reads no file by POSIX calls,
    or a process of the run writes or locks such a file."""
    found = {name: written for name, _, written in files_read(case, ("POSIX",))}
    if not found:
        return "the program reads no file by read or pread"
    for name, written in found.items():
        if written:
            return f"the program also writes {name}"
    extra = case.facts.table("POSIX_EXT")
    for place, record in enumerate(extra.ids if extra is not None else ()):
        name = case.facts.name(int(record))
        if extra is not None and name in found and extra["LOCKS"][place]:
            return f"the program locks {name}, so others may write it"
    netcdf = "netCDF: size_t bytes = 1 << 20;  nc__open(path, NC_NOWRITE, &bytes, &nc)"
    return Plan(f"{NAME}={_SIZE}", keep=f"{of_descriptor(READ_BUFFER, 'r')}\n{netcdf}")
