"""Finds trainings in which each worker of a DataLoader, or each rank, reads the whole data set in
each epoch, although a part of it would be enough."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...measure.training import Loader
from ..facts import Facts, once
from ..programs import program_text
from ..table import Table
from .data_loader import sites_of_samples, spent
from .loading import verdicts

WORKERS, RANKS = "workers", "ranks"
_NEAR = (0.75, 1.5)  # how often a file is read, relative to the number of readers
_MOSTLY = 0.5  # share of the bytes of a run, or of the calls of a file
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class WholeSet:
    """Files that each worker of a DataLoader, or each rank, reads from begin to end in each
    epoch."""

    loader: Loader
    readers: str  # kind of the readers: WORKERS or RANKS
    number: int  # of readers
    mask: Mask  # selects the files in the table POSIX
    size: int  # bytes of the files
    read: int  # bytes that all readers read of them in the whole training
    epochs: float  # of one rank
    spent: float  # seconds of all readers on these files
    by_sites: bool  # the seconds are from call sites, and contain the time between the calls

    @property
    def again(self) -> float:
        """The fraction of this work (0 to 1) that is saved if each reader reads only its part."""
        return 1 - 1 / self.number


def _readers(loader: Loader) -> list[tuple[str, int]]:
    """Returns the kinds of readers that could divide the data set among themselves (WORKERS,
    RANKS), with their numbers, the larger number first."""
    ranks = max(1, len(loader.ranks))
    workers = (loader.workers or 0) * ranks
    found = [(WORKERS, workers)] if (loader.workers or 0) > 1 else []
    return [*found, *([(RANKS, ranks)] if ranks > 1 else [])]


def _whole(facts: Facts, table: Table, epochs: float, number: int) -> Mask:
    """Returns a mask of the files that about `number` readers read from begin to end in each epoch.
    epochs: number of epochs of one rank."""
    size = table["MAX_BYTE_READ"] + 1
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    times = read / (size * epochs)
    found: Mask = (times >= _NEAR[0] * number) & (times <= _NEAR[1] * number)
    found &= (table.processes >= _NEAR[0] * number) & (read > 0)
    found &= (table["BYTES_WRITTEN"] <= size) & facts.single(table)
    found &= table["CONSEC_READS"] >= _MOSTLY * (table["READS"] - table["OPENS"])
    return found


def _spent(facts: Facts, table: Table, mask: Mask) -> tuple[float, bool]:
    """Returns the seconds that readers spent on the masked files, and whether they come from call
    sites (which list only some files) or from the files' records."""
    ids = set(table.ids[mask].tolist())
    found = 0.0
    for site in sites_of_samples(facts):
        moved = site.sums.files.moved
        known = sum(moved.values())
        if known > 0 and sum(n for one, n in moved.items() if one in ids) >= _MOSTLY * known:
            found += spent(site)
    if found > 0:
        return found, True
    return float((table["F_READ_TIME"] + table["F_META_TIME"])[mask].sum()), False


def once_in_each_epoch(facts: Facts, table: Table) -> Mask:
    """Returns a mask of the files whose bytes were read at most about once in each epoch of a
    training, by whichever worker. Workers that do not stay are other processes in each epoch. All
    False without a training."""
    found = verdicts(facts)
    if not found:
        return np.zeros(len(table), bool)
    sums, ranks = found[0].loader.sums, found[0].loader.ranks
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    size = table["MAX_BYTE_READ"] + 1
    mask: Mask = read <= _NEAR[1] * size * sums.epochs / max(1, len(ranks))
    return mask


@once
def whole_set(facts: Facts) -> WholeSet | None:
    """Returns the files that each worker, or each rank, of the longest training loop reads from
    begin to end in each epoch; None if these are less than most of what the run read."""
    found, table = verdicts(facts), facts.table("POSIX")
    loader = found[0].loader if found else None
    if loader is None or table is None or 2 * loader.sums.complete < loader.sums.epochs:
        return None
    epochs = loader.sums.epochs / max(1, len(loader.ranks))
    data = table["BYTES_READ"] * ~program_text.which(facts, table)
    for readers, number in _readers(loader) if epochs > 0 else ():
        mask = _whole(facts, table, epochs, number)
        read = int(data[mask].sum())
        if mask.any() and read >= _MOSTLY * int(data.sum()):
            size = int((table["MAX_BYTE_READ"] + 1)[mask].sum())
            return WholeSet(
                loader, readers, number, mask, size, read, epochs, *_spent(facts, table, mask)
            )
    return None
