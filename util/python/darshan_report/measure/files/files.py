"""The records of one layer, joined by file, because a file may have a record per rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...records import UNKNOWN, Joined, Records
from ..layers.layers import Layer
from ..processes.shared import Users
from .overflow import Group, stands


@dataclass(frozen=True, eq=False)
class Files:
    """The files (datasets, objects, ...) of a layer. Each array has an element per file, or per
    group of files that share a record. -1 (UNKNOWN) stands for unknown bytes and times."""

    ids: npt.NDArray[np.uint64]
    processes: npt.NDArray[np.int64]  # processes that have a record; -1: all
    read: npt.NDArray[np.int64]  # bytes; or UNKNOWN
    written: npt.NDArray[np.int64]  # bytes; or UNKNOWN
    time: npt.NDArray[np.float64]  # seconds in calls, summed over processes, or UNKNOWN
    # Offset of the last byte that was read or written, plus 1; or UNKNOWN.
    size: npt.NDArray[np.int64]
    stands: npt.NDArray[np.int64]  # number of files in the row; several may share a record
    mapped: npt.NDArray[np.int64]  # bytes of mappings
    touched: npt.NDArray[np.int64]  # bytes that were touched through mappings; or UNKNOWN

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def number(self) -> int:
        """The number of files, including those that share a record."""
        return int(self.stands.sum())

    def at(self, places: npt.NDArray[np.int64]) -> Files:
        """Returns the rows at these indices."""
        return Files(*(getattr(self, f.name)[places] for f in fields(self)))

    @property
    def shared(self) -> int:
        """The number of records of several, or of all, processes."""
        return int(np.count_nonzero(self.processes != 1))

    def slowest(self, count: int) -> npt.NDArray[np.int64]:
        """Returns the indices of the `count` files with the most time, the worst first; at equal
        times, the one with more bytes. The file with the most bytes touched through mappings is
        always among them, as the last if necessary, because the time of accesses to mappings is in
        no call."""
        moved = self.read.astype("f8") + self.written + self.touched.clip(0)
        # The id breaks ties, so that two runs give the same report.
        order = np.lexsort((self.ids, -moved, -self.time))
        shown = order[:count]
        if len(shown) and self.mapped.any():
            most = np.lexsort((self.mapped, self.touched))[-1]
            if most not in shown:
                shown = np.append(shown[:-1], most)
        return shown


TIMES = ("F_META_TIME", "F_READ_TIME", "F_WRITE_TIME", "F_WAIT_TIME")


def times_of(records: Records, layer: Layer) -> list[str]:
    """Returns the full names of a layer's counters of seconds in calls, of those that the records
    have."""
    return [n for n in map(layer.counter, TIMES) if records.module.has(n)]


def _sizes(
    files: Joined, records: Records, layer: Layer, moved: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Returns a lower bound of each file's size: the offset of the last byte that was read or
    written, plus 1. moved: mask of the files with transfers."""
    ends = [n for n in map(layer.counter, ("MAX_BYTE_READ", "MAX_BYTE_WRITTEN"))
            if records.module.has(n)]  # fmt: skip
    if not ends:
        return np.full(len(files), UNKNOWN)
    last = np.maximum.reduce([files.largest(records[name]) for name in ends])
    # The value 0 has two meanings: the last byte of a file of one byte, and no transfer.
    return np.where(moved, np.where(last >= 0, last + 1, UNKNOWN), 0)


def files_of(
    records: Records,
    layer: Layer,
    nprocs: int,
    users: Users | None = None,
    groups: Mapping[int, Group] | None = None,
) -> Files:
    """Returns the records of a layer joined by file, in the order of their ids; `mapped` and
    `touched` are 0. nprocs: number of processes of the job. users: computes the number of processes
    per file; None: from nprocs and the records. groups: the records that represent several files,
    by id."""
    files = Joined(records)
    # In a job of one process, "all processes" means this process.
    processes = (users or Users(-1 if nprocs > 1 else 1, {})).of(files, records)

    def bytes_of(name: str) -> npt.NDArray[np.int64]:
        full = layer.counter(name)
        if not records.module.has(full):
            return np.full(len(files), UNKNOWN)
        return files.sums(records[full])

    read, written = bytes_of("BYTES_READ"), bytes_of("BYTES_WRITTEN")
    time = np.zeros(len(files))
    with np.errstate(over="ignore", invalid="ignore"):
        for name in times_of(records, layer):
            part = files.sums(records[name])
            time = np.where((time == UNKNOWN) | (part == UNKNOWN), UNKNOWN, time + part)
    time[~np.isfinite(time)] = UNKNOWN
    size = _sizes(files, records, layer, (read > 0) | (written > 0))
    none = np.zeros(len(files), "i8")
    number = stands(files.ids, groups or {})
    return Files(files.ids, processes, read, written, time, size, number, none, none)


def with_mapped(files: Files, extra: Records) -> Files:
    """Returns the same POSIX files with their mapped and touched bytes, which POSIX_EXT has."""
    known = Joined(extra)

    def column(name: str) -> npt.NDArray[np.int64]:
        full = f"POSIX_EXT_MMAP_{name}"
        if not extra.module.has(full):
            return np.full(len(known), UNKNOWN)
        return known.sums(extra[full])

    mapped, touched = column("BYTES").clip(0), column("TOUCHED")
    touched = np.where(touched < 0, UNKNOWN, touched + column("POPULATED").clip(0))
    _, here, there = np.intersect1d(files.ids, known.ids, return_indices=True)
    found = [np.zeros(len(files), "i8") for _ in range(2)]
    for whole, part in zip(found, (mapped, np.where(mapped > 0, touched, 0))):
        whole[here] = part[there]
    return replace(files, mapped=found[0], touched=found[1])
