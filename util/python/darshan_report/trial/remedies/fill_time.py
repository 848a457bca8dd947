"""The remedy that creates HDF5 datasets without fill values."""

from __future__ import annotations

from ...diagnose.accesses.objects import hdf5
from ...diagnose.rules.hdf5.fill_values import filled_bytes
from ...units import amount
from ..planning.case import Case, Plan

NAME = "fill-time"
WHAT = "creates datasets of HDF5 without fill values, and with their space at once"
CURES = ("fill-values",)


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: HDF5 writes no fill values, or the program
    leaves some of them in a dataset."""
    h5 = hdf5(case.facts)
    filled = filled_bytes(h5.datasets)[0] if h5 is not None else ()
    if h5 is None or not any(filled):
        return "HDF5 writes no fill values"
    for place, number in enumerate(filled):
        written = int(h5.datasets["BYTES_ASKED_WRITTEN"][place])
        if written < number:
            return (
                f"the program writes {amount(written)} of the {amount(int(number))} that HDF5 "
                f"fills in {case.facts.name(int(h5.datasets.ids[place]))}"
            )
    return Plan(
        f"{NAME}=1",
        keep="C: H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);  H5Dcreate2(..., dcpl, ...)\n"
        "Fortran: call h5pset_fill_time_f(dcpl, H5D_FILL_TIME_NEVER_F, ierr)\n"
        "Python: create_dataset(name, shape, dtype, fill_time='never')\n"
        "netCDF: nc_set_fill(nc, NC_NOFILL, &old)",
        opens="H5Dcreate1|H5Dcreate2|H5Dcreate_anon",
    )
