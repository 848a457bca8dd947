"""The same HDF5 file is opened and closed again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.layers.attribution import ATTR, CLOSE, META, OPEN
from ....records import among
from ....units import count, plural, seconds
from ...accesses.objects import Hdf5, hdf5
from ...facts import Facts, once
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs
from ...training import data_loader

NAME = "hdf5-opened-again"
ROLE = CAUSE
_MAKING = ("ATTR_CREATES", "ATTR_WRITES", "GROUP_CREATES", "LINK_CREATES", "TYPE_COMMITS")
_ONCE = Remedy(
    "Open once and keep the handles of the file and its datasets. Flush if other processes must "
    "see new data.",
    "H5Fopen, nc_open: before the loop, not in it\n"
    "Python: h5py.File(path), netCDF4.Dataset(path): before the loop, not in it",
)
_WORKER = Remedy(
    "Open the file once for each worker of the DataLoader, with its first sample. A handle that is "
    "opened before the workers start is shared by all of them, and their reads disturb each other.",
    "Python: self.file = None  # in __init__\n"
    "Python: self.file = self.file or h5py.File(self.path)  # in __getitem__, then self.file[i]\n"
    "Python: DataLoader(..., num_workers=4, persistent_workers=True): workers keep their files",
)


def _asked_anew(facts: Facts, h5: Hdf5) -> np.ndarray:
    """Returns the seconds per file in queries of metadata, which each open repeats; 0 for files in
    which the program creates metadata."""
    time: np.ndarray = h5.files.time((ATTR, META)) + h5.per_file(h5.datasets.time((ATTR, META)))
    table = facts.table("H5_META")
    if table is not None:
        making = sum(table[n] for n in _MAKING) > 0
        time = np.where(among(h5.files.ids, table.ids[making]), 0.0, time)
    return time


@once
def opened(facts: Facts) -> tuple[Hdf5, np.ndarray] | None:
    """Returns the HDF5 objects of the log, and per file how often each process that used it opened
    it, on average. Returns None if the log has no HDF5 files."""
    h5, table = hdf5(facts), facts.table("H5F")
    if h5 is None or table is None or not len(h5.files):
        return None
    return h5, h5.of_files(table, table["OPENS"])


@needs("H5F")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the HDF5 files that are opened and closed again and again, if this
    takes much time; otherwise nothing."""
    known, table = opened(facts), facts.table("H5F")
    if known is None or table is None:
        return
    h5, opens = known
    mask = opens > facts.limits["opens.again"]
    time = h5.files.time((OPEN, CLOSE)) + h5.per_file(h5.datasets.time((OPEN, CLOSE)))
    time = (time + _asked_anew(facts, h5)) * (1 - 1 / np.maximum(opens, 1))
    time = time + binding(facts, np.maximum(opens - 1, 0) * h5.files.processes)
    time = np.where(mask, time, 0.0)
    stake = facts.stake(
        time.sum(),
        "time in opening and closing the file and its datasets, except the first time"
        + (", and what Python's bindings take for each" if binding(facts, opens).any() else ""),
    )
    if not mask.any() or not facts.worth(stake):
        return
    first, more = int(np.argmax(time)), int(mask.sum()) - 1
    yield Finding(
        NAME,
        "HDF5 files are opened again and again",
        f"{facts.name(int(h5.files.ids[first]))} was opened {count(float(opens[first]))} times by "
        "each process that used it; each time HDF5 reads its headers again"
        + (f"; the same holds for {plural(more, 'more file')}" if more else "")
        + f". That took {seconds(float(time.sum()))}{facts.over_all}.",
        stake=stake,
        evidence=facts.rows(table, table.place(int(h5.files.ids[first])) or 0, "OPENS")
        + h5.files.rows(
            first, "OPEN_CALLS", "OPEN_POSIX_READS", "F_OPEN_TIME", "F_CLOSE_TIME", "F_ATTR_TIME"
        ),
        remedy=_WORKER if data_loader.is_torch(facts) else _ONCE,
        limits=("opens.again", "python.seconds"),
        covers=h5.covers(files=mask),
    )
