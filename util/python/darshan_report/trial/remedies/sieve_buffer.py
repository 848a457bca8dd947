"""The remedy that makes HDF5's sieve buffer fit the accesses to datasets without chunks."""

from __future__ import annotations

from ...diagnose.rules.hdf5.sieve_buffer import SMALL, sieved
from ..planning.case import Case, Plan

NAME = "sieve-buffer"
WHAT = "opens HDF5 files with a smaller sieve buffer, which HDF5 fills around each small access"
CURES = ("sieve-buffer", "element-wise")


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: HDF5 moves little more than the program
    requests."""
    if not sieved(case.facts, "READ") and not sieved(case.facts, "WRITE"):
        return (
            "HDF5 fills no sieve buffer in vain: that needs small accesses, in any order, to "
            "a dataset without chunks"
        )
    return Plan(
        f"{NAME}={SMALL}",
        keep=f"C: H5Pset_sieve_buf_size(fapl, {SMALL});  H5Fopen(path, flags, fapl)\n"
        f"Fortran: call h5pset_sieve_buf_size_f(fapl, {SMALL}_size_t, ierr)\n"
        "Python: fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS);  "
        f"fapl.set_sieve_buf_size({SMALL});  file = h5py.File(h5py.h5f.open(path, fapl=fapl))",
        opens="H5Fopen|H5Fcreate",
    )
