"""The remedy that gives HDF5 a page buffer, for files that were created with paged allocation."""

from __future__ import annotations

from ...units import amount
from ..planning.case import Case, Plan

NAME = "page-buffer"
WHAT = "opens HDF5 files that were created with pages with a page buffer of 64 MiB"
CURES: tuple[str, ...] = ()  # few files have pages, and the log does not show which
_SIZE = 64 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program opens no file through HDF5, or
    memory may not hold the buffers. Only at the open HDF5 shows whether a file has pages, so the
    remedy leaves files without pages unchanged."""
    files = case.facts.table("H5F")
    if files is None:
        return "the program opens no file through HDF5"
    needed = _SIZE * max(1, int(files.processes.max())) * len(files.ids)
    if 2 * needed > case.memory:
        return (
            f"buffers of {amount(_SIZE)} may take {amount(needed)}, which is more than half of the "
            f"free memory ({amount(case.memory)})"
        )
    return Plan(
        f"{NAME}={_SIZE}",
        keep=f"Python: h5py.File(path, page_buf_size={_SIZE})\n"
        f"C: H5Pset_page_buffer_size(fapl, {_SIZE}, 0, 0);  H5Fopen(path, flags, fapl)\n"
        f"Fortran: call h5pset_page_buffer_size_f(fapl, {_SIZE}_size_t, 0, 0, ierr)",
        opens="H5Fopen",
    )
