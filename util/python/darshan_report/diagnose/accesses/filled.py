"""Finds files that netCDF fills with fill values, which the program then overwrites."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from ...call_sites.told import name_of
from ..facts import Facts, once
from ..finding import Remedy
from ..times.loops import loops_of

NETCDF = r"libnetcdf|netCDF4\._netCDF4\.|nc_"
_HALF = (0.35, 0.65)  # part of the bytes that the fill values are
REMEDY = Remedy(
    "If the program writes each value once, the other half are the fill values that netCDF writes "
    "into each new variable as the definitions end: switch them off before. Leave them on if the "
    "program leaves values out. If it writes values twice itself, write only the last ones.",
    "C: nc_set_fill(file, NC_NOFILL, &old);  // after nc_create, before nc_enddef\n"
    "Fortran: ierr = nf90_set_fill(file, nf90_nofill, old)  ! after nf90_create\n"
    "Python: file.set_fill_off()  # after netCDF4.Dataset(path, 'w'), before createVariable",
)


@once
def filled(facts: Facts) -> frozenset[int]:
    """Returns the ids of the files of which netCDF seems to have written half of the bytes as fill
    values: one way through the library, which is not the last one, wrote about half of all bytes.
    Empty without call sites."""
    known = loops_of(facts)
    ways: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for loop in known.groups if known is not None else ():
        for site in loop.sites if loop.sums.written > 0 else ():
            inside = site.places[: max(0, site.user)] if site.user >= 0 else site.places
            if site.sums.written > 0 and any(re.match(NETCDF, name_of(place)) for place in inside):
                calls = site.sums.files.calls
                whole = max(1, sum(calls.values()))
                for file, number in calls.items():
                    part = site.sums.written * number / whole
                    ways[int(file)].append((site.sums.first, part))
    return frozenset(file for file, found in ways.items() if _is_half(sorted(found)))


def _is_half(found: Sequence[tuple[float, float]]) -> bool:
    """Returns whether one of the earlier ways to write has about half of the bytes. found: begin
    and bytes of each way, in this order."""
    whole = sum(written for _, written in found)
    least, most = (part * whole for part in _HALF)
    return any(least <= written <= most for _, written in found[:-1])
