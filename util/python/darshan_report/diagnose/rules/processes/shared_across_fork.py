"""Workers of a DataLoader read a file that the main process opened before it started them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....records import among
from ....units import amount, count, plural
from ...facts import Facts, leading
from ...finding import NOTICE, SYMPTOM, Finding, Remedy, Stake
from ...programs import program_text
from ...reached import needs
from ...table import Table
from ...training.loading import verdicts

NAME = "shared-across-fork"
ROLE = SYMPTOM
_TITLE = "Workers share a file that was opened before they started"
_SEEKS = 0.5  # least number of seeks per read of a file that is read by its position
_OPENED = "Open the file once in each worker, with its first sample, not in __init__."
_OWN = Remedy(
    _OPENED,
    "Python: self.file = None  # in __init__\n"
    "Python: self.file = self.file or open(self.path, 'rb')  # in __getitem__\n"
    "Python: os.pread(self.file.fileno(), size, offset)  # needs no position",
    alone=True,
)
_HDF5 = Remedy(
    _OPENED,
    "Python: self.file = None  # in __init__\n"
    "Python: self.file = self.file or h5py.File(self.path)  # in __getitem__, then self.file[i]",
    alone=True,
)


def _workers(facts: Facts) -> int:
    """Returns the largest number of workers that any loop over a DataLoader uses."""
    return max((verdict.loader.workers or 0 for verdict in verdicts(facts)), default=0)


def _hdf5(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if several processes read datasets of HDF5 files that they did not open
    themselves; nothing if there are none."""
    files, datasets = facts.table("H5F"), facts.table("H5D")
    if files is None or datasets is None:
        return
    users = np.zeros(len(files), "i8")
    _, row = np.unique(datasets.records.ids, return_index=True)  # in the order of the table
    homes = datasets.records["file_rec_id"][row]
    for place in np.flatnonzero(datasets["READS"] > 0):
        at = files.place(int(homes[place]))
        if at is not None:
            users[at] = max(users[at], datasets.processes[place])
    mask = (users > files["OPENS"]) & (files["OPENS"] > 0)
    if not mask.any():
        return
    (first,) = leading(mask, users, 1)
    yield Finding(
        NAME,
        _TITLE,
        f"{count(int(users[first]))} processes use datasets of {facts.name(files.ids[first])}, but "
        f"it was opened {plural(int(files['OPENS'][first]), 'time')}{_others(mask)}: workers "
        "inherited it from the process that started them. HDF5 does not support this: each worker "
        "has a copy of the library's state, but all have one open file. Where HDF5 reads by "
        "position, a worker gets bytes that another one asked for, without an error.",
        NOTICE,
        stake=Stake(),
        evidence=facts.rows(files, first, "OPENS"),
        remedy=_HDF5,
        covers=frozenset(int(one) for one in files.ids[mask]),
    )


def _others(mask: npt.NDArray[np.bool_]) -> str:
    """Returns a clause on the other files of the mask; "" if there are none."""
    more = int(mask.sum()) - 1
    return f"; the same holds for {plural(more, 'more file')}" if more else ""


def _by_position(facts: Facts, table: Table) -> npt.NDArray[np.bool_]:
    """Returns a mask of the files that more processes read than opened, with reads at the file
    position, which they share."""
    found: npt.NDArray[np.bool_] = facts.single(table) & ~program_text.which(facts, table)
    opens = facts.opens(table)
    found &= (opens > 0) & (table.processes > opens) & (table["READS"] > 0)
    unplaced = facts.unplaced(table, "READ") > 0
    found &= (table["SEEKS"] >= _SEEKS * table["READS"]) | unplaced
    if (files := facts.table("H5F")) is not None:
        found &= ~among(table.ids, files.ids)
    return found


@needs("TRAINING")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for HDF5 files, and one for other files, that several workers inherited open
    from the main process. Yields nothing if there are none, or if there is only one worker, because
    it shares the file position with no other reader."""
    if _workers(facts) < 2:
        return
    yield from _hdf5(facts)
    table = facts.table("POSIX")
    if table is None or not (mask := _by_position(facts, table)).any():
        return
    (first,) = leading(mask, table["BYTES_READ"], 1)
    yield Finding(
        NAME,
        _TITLE,
        f"{count(int(table.processes[first]))} processes use {facts.name(table.ids[first])}, but "
        f"it was opened {plural(int(facts.opens(table)[first]), 'time')}{_others(mask)}: workers "
        "inherited it from the process that started them, with one position for all of them. If a "
        "worker moves the position after another one's seek and before its read, that one gets "
        f"wrong bytes, without an error. {amount(int(table['BYTES_READ'][first]))} were read in "
        "this way.",
        NOTICE,
        stake=Stake(),
        evidence=facts.rows(table, first, "OPENS", "READS", "SEEKS", "BYTES_READ"),
        remedy=_OWN,
        covers=frozenset(int(one) for one in table.ids[mask]),
    )
