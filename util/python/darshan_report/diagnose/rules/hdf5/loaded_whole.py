"""An HDF5 file is read whole into memory when it is opened, although the program uses a small part
of it. netCDF's diskless mode and HDF5's core driver do this. Reads of datasets are then copies
within memory, without calls on the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, plural, seconds, share
from ...accesses.objects import hdf5, joined
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "loaded-whole"
ROLE = CAUSE
_WHOLE = 0.9  # smallest share of a file that is read
_USED = 0.5  # largest share of these bytes that the program requests


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over HDF5 files that are read whole into memory, of which the program then
    requests a small part by calls that do not reach the file; nothing if there are none."""
    posix = facts.table("POSIX")
    if posix is None or posix.sum("BYTES_READ") < facts.limits["again.bytes"]:
        return
    h5 = hdf5(facts)
    if h5 is None or not len(h5.datasets):
        return
    ids, of_file = np.unique(h5.file_ids, return_inverse=True)
    asked = np.bincount(of_file, h5.datasets["BYTES_ASKED_READ"])
    below = np.bincount(of_file, h5.datasets.below("BYTES_READ", ("READ",)))
    read = joined(ids, posix, posix["BYTES_READ"])
    size = joined(ids, posix, posix["MAX_BYTE_READ"]) + 1
    calls = joined(ids, posix, posix["READS"])
    mask = (below == 0) & (asked > 0) & (read >= _WHOLE * size) & (asked <= _USED * read)
    mask &= (read - asked >= facts.limits["again.bytes"]) & (calls > 0)
    spent = np.where(mask, joined(ids, posix, posix["F_READ_TIME"]), 0.0)
    lost = spent * (1 - asked / np.maximum(read, 1))
    needless = int((read - asked)[mask].sum()) if mask.any() else 0
    stake = facts.stake(
        float(lost.sum()),
        "time of these reads, multiplied by the share of bytes that the program did not request",
        needless,
        int(posix["BYTES_READ"].sum()),
    )
    if not mask.any() or not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    more = f" and {plural(len(others), 'more file')} like it" if others else ""
    was, it_was = ("were", "they were") if others else ("was", "it was")
    place = posix.place(int(ids[first]))
    yield Finding(
        NAME,
        "Files are read whole when they are opened, for a small part of them",
        f"{facts.name(int(ids[first]))}{more} {was} read into memory when {it_was} opened: "
        f"{amount(int(read[mask].sum()))} in {seconds(float(spent.sum()))}{facts.over_all}. The "
        f"program asked for {amount(int(asked[mask].sum()))} of them "
        f"({share(float(asked[mask].sum()), float(read[mask].sum()))}), and got them from memory.",
        stake=stake,
        evidence=()
        if place is None
        else facts.rows(posix, place, "READS", "BYTES_READ", "MAX_BYTE_READ", "F_READ_TIME"),
        remedy=Remedy(
            "Open the files without a copy in memory: HDF5 then reads only what the program asks "
            "for.",
            "Python: netCDF4.Dataset(path)  # without diskless=True, without memory=\n"
            "Python: h5py.File(path)  # without driver='core'\n"
            "C: nc_open(path, NC_NOWRITE, &id);  // without NC_DISKLESS\n"
            "C: H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);  // without H5Pset_fapl_core",
        ),
        limits=("again.bytes",),
        covers=frozenset(int(one) for one in ids[mask]),
    )
