"""The remedy that makes HDF5's sieve buffer fit the accesses to datasets without chunks: smaller
for small accesses in any order, larger for selections of a small part of every row."""

from __future__ import annotations

from ...diagnose.rules.hdf5 import across_the_grain
from ...diagnose.rules.hdf5.sieve_buffer import SMALL, sieved
from ..planning.case import Case, Plan

NAME = "sieve-buffer"
WHAT = "opens HDF5 files with another sieve buffer, which HDF5 fills around each small access"
CURES = ("sieve-buffer", "element-wise", across_the_grain.NAME)
_LARGE = 4 << 20  # bytes: many rows of a dataset


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: HDF5 moves little more than the program
    requests."""
    if case.finding is not None and case.finding.name == across_the_grain.NAME:
        return _plan(_LARGE)
    if not sieved(case.facts, "READ") and not sieved(case.facts, "WRITE"):
        return (
            "HDF5 fills no sieve buffer in vain: that needs small accesses, in any order, to "
            "a dataset without chunks"
        )
    return _plan(SMALL)


def _plan(size: int) -> Plan:
    return Plan(
        f"{NAME}={size}",
        keep=f"C: H5Pset_sieve_buf_size(fapl, {size});  H5Fopen(path, flags, fapl)\n"
        f"Fortran: call h5pset_sieve_buf_size_f(fapl, {size}_size_t, ierr)\n"
        "Python: fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS);  "
        f"fapl.set_sieve_buf_size({size});  file = h5py.File(h5py.h5f.open(path, fapl=fapl))",
        opens="H5Fopen|H5Fcreate",
    )
