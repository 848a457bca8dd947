"""netCDF moves the data of a classic file each time the file's header grows, which happens if the
program enters define mode after it has written data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....call_sites.lines import sites_of
from ....call_sites.stack import Native
from ....library import LogError
from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask
from ...facts import Facts, leading, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...table import Table
from ...times.loops import between
from ..accesses.seeks import seconds_in

NAME = "header-moves"
ROLE = CAUSE
_SUFFIXES = (".nc", ".cdf", ".nc3")
_LIBRARY = "libnetcdf"  # start of the library's file name
_TURNS = 0.5  # smallest share of the writes that follow a read, as in a copy within the file
# Largest ratio of bytes read to bytes written, or the inverse. New data are only written.
_EVEN = 2.5


@once
def _by_library(facts: Facts) -> frozenset[int]:
    """Returns the ids of the files that call sites in the netCDF library used most; none if the log
    has no readable call sites."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return frozenset()
    return frozenset(
        number
        for site in sites
        if any(
            place.object.rsplit("/", 1)[-1].startswith(_LIBRARY)
            for place, frame in zip(site.places, site.stack.frames)
            if isinstance(frame, Native)
        )
        for number in site.sums.files.most()
    )


def _is_netcdf(facts: Facts, record: int) -> bool:
    """Returns whether a file is a netCDF file in a classic format, by its name or the library that
    used it; files in HDF5's format do not move data. record: id of the file."""
    hdf5 = facts.table("H5F")
    if hdf5 is not None and hdf5.place(record) is not None:
        return False
    return facts.own_name(record).endswith(_SUFFIXES) or record in _by_library(facts)


def _mask(facts: Facts, table: Table) -> Mask:
    """Returns a mask of the netCDF files of which whole parts are read and written several times,
    in turns."""
    limits = facts.limits
    size = np.maximum(table["MAX_BYTE_READ"], table["MAX_BYTE_WRITTEN"]) + 1
    read, written = table["BYTES_READ"], table["BYTES_WRITTEN"]
    least = np.minimum(read, written)
    mask: Mask = facts.single(table) & (least >= limits["again.factor"] * size)
    mask &= (least >= limits["again.bytes"]) & (np.maximum(read, written) <= _EVEN * least)
    mask &= table["RW_SWITCHES"] >= _TURNS * table["WRITES"]
    # netCDF copies the data from their end to their beginning to make room.
    mask &= 2 * table["SEQ_READS"] < table["READS"]
    for place in np.flatnonzero(mask).tolist():
        mask[place] = _is_netcdf(facts, int(table.ids[place]))
    return mask


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the netCDF files whose data are moved when the header grows; nothing
    if there are none."""
    table = facts.table("POSIX")
    if table is None:
        return
    mask = _mask(facts, table)
    if not mask.any():
        return
    size = table["MAX_BYTE_WRITTEN"] + 1
    again = np.maximum(0.0, 1 - size / np.maximum(table["BYTES_WRITTEN"], 1))
    spent = facts.moving(table, "READ") + seconds_in(facts, table)
    lost = np.where(mask, spent + facts.moving(table, "WRITE") * again, 0.0)
    more = between(facts, NAME, float(lost.sum()))
    stake = facts.stake(
        lost.sum(),
        "time of the reads and seeks, and of the bytes written again" + more.basis,
        between=more.seconds,
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    read, written = int(table["BYTES_READ"][first]), int(table["BYTES_WRITTEN"][first])
    yield Finding(
        NAME,
        "Data are moved each time the header of a netCDF file grows",
        f"{facts.name(table.ids[first])} of {amount(int(size[first]))} was read and written in "
        f"turns: {amount(read)} were read and {amount(written)} written, in "
        f"{count(int(table['RW_SWITCHES'][first]))} changes between the two. This is how netCDF "
        "makes room when a variable, a dimension or an attribute is defined after data were "
        f"written{_and_others(len(others))}. That took "
        f"{seconds(float(lost.sum()))}{facts.over_all}.{more.sentence}",
        stake=stake,
        evidence=facts.rows(
            table, first, "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_WRITTEN",
            "RW_SWITCHES", "SEEKS", "F_READ_TIME", "F_WRITE_TIME", "F_META_TIME",
        ),
        remedy=Remedy(
            "Define all dimensions, variables and attributes first, end define mode once, and "
            "write data then. If the names are not known in advance, reserve space for the "
            "header when define mode ends the first time. Files of netCDF-4 do not move data. "
            "(Python's netCDF4 ends "
            "define mode after each variable.)",
            "C: nc_def_var(...); ...  for all variables;  nc_enddef(nc);  nc_put_var_...(...)\n"
            "C: nc__enddef(nc, 65536, 4, 0, 4);  /* in place of nc_enddef: room for the header */\n"
            "Fortran: status = nf90_enddef(nc, h_minfree=65536)\n"
            "Python: file = netCDF4.Dataset(path, 'w', format='NETCDF4')\n"
            "Python: netCDF4.Dataset(path, 'w', format='NETCDF3_CLASSIC', diskless=True, "
            "persist=True)  # made in memory, written at the end",
        ),
        limits=("again.factor", "again.bytes"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )  # fmt: skip


def _and_others(number: int) -> str:
    """Returns a clause on this number of other files; "" for 0."""
    return f"; the same holds for {plural(number, 'more file')}" if number else ""
