"""Fill values are written and then overwritten."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.layers.attribution import OPEN, WRITE
from ....units import amount, seconds
from ...accesses.objects import Objects, hdf5
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "fill-values"
ROLE = CAUSE
_CONTIGUOUS = 1


def filled_bytes(sets: Objects) -> tuple[np.ndarray, np.ndarray]:
    """Returns, per dataset, the bytes that HDF5 wrote although the program did not request it,
    which are mostly fill values, and the seconds that this took."""
    asked = sets["BYTES_ASKED_WRITTEN"]
    early = sets.below("BYTES_WRITTEN", (OPEN,))
    late = np.where(
        # To a contiguous dataset, HDF5 writes the requested bytes, and fill values when it
        # allocates space.
        sets["LAYOUT"] == _CONTIGUOUS,
        # Bytes that HDF5 reads during a write are written back from its sieve buffer.
        np.maximum(
            0,
            sets.below("BYTES_WRITTEN", (WRITE,))
            - np.maximum(asked, sets.below("BYTES_READ", (WRITE,))),
        ),
        0,
    )
    writing = sets.below("BYTES_WRITTEN", (WRITE,))
    time = sets.time((OPEN,)) + sets.time((WRITE,)) * late / np.maximum(writing, 1)
    return early + late, time


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over all datasets that HDF5 filled with fill values and the program then
    wrote; nothing if there are none."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.datasets):
        return
    sets = h5.datasets
    asked = sets["BYTES_ASKED_WRITTEN"]
    filled, time = filled_bytes(sets)
    mask = (filled > 0) & (asked >= filled / 2) & (filled >= asked / 2)
    number, over = int(filled[mask].sum()), int(asked[mask].sum())
    whole = int(sets.below("BYTES_WRITTEN")[mask].sum())
    stake = facts.stake(
        time[mask].sum(), "time of creating the datasets and of filling them", number, whole
    )
    if number < facts.limits["again.bytes"] or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Fill values are written and then overwritten",
        f"HDF5 filled {sets.named(mask, time)} with {amount(number)}, and the program then wrote "
        f"{amount(over)} over them. Filling took {seconds(float(time[mask].sum()))}"
        f"{facts.over_all}.",
        stake=stake,
        evidence=sets.sums(
            mask,
            "OPEN_CALLS",
            "OPEN_POSIX_BYTES_WRITTEN",
            "WRITE_POSIX_BYTES_WRITTEN",
            "BYTES_ASKED_WRITTEN",
            "F_OPEN_TIME",
            "F_WRITE_TIME",
        ),
        remedy=Remedy(
            "Tell HDF5 not to write fill values if the program overwrites all of them, or to "
            "allocate "
            "late.",
            "H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER)\n"
            "Python: create_dataset(fill_time='never')  # h5py\n"
            "Python: file.set_fill_off()  # netCDF4\n"
            "nc_set_fill(nc, NC_NOFILL, &old)",
        ),
        limits=("again.bytes",),
        covers=h5.covers(datasets=mask),
    )
