"""Finds passes over a set of files: a program reads the same files several times, as a training
does that has an epoch for each pass. Nothing in the program has to say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...measure.layers.layers import LAYERS
from ...measure.traces.heat import heats
from ..facts import Facts, once
from ..programs import program_text
from ..table import added

_LEAST = 1 << 20  # bytes of a set of files
_MOST = 10_000  # passes
_NEAR = 0.25  # by how much the number of reads of a file may differ from that of the passes
_EXACT = 0.05  # by how much a number of reads may differ from a whole number
_WHOLE = 0.75  # share of a file's bytes from which on it was read as a whole
_HALF = 0.5
_FORWARD = 0.25  # smallest share of reads that go forward: half, if samples are shuffled
_FEW_BINS = 4  # bins of the heat map for each pass, below which the passes' times are unknown
_MODULES = ("POSIX", "STDIO")

Array = npt.NDArray[np.float64]
# How the properties of _Files of two layers are joined, in their order.
_JOINED = (
    *(np.maximum, np.add, np.maximum, np.maximum),
    *(np.add, np.add, np.minimum, np.maximum),
)


@dataclass(frozen=True)
class Passes:
    """A set of files that a program read several times. Times are in seconds after the start of
    the run."""

    number: int  # passes, at least 2; of each of the processes that read the set
    processes: int  # that each read the whole set; 1: the passes are those of the program
    files: int
    name: str  # name of the file of which most bytes were read
    size: int  # bytes of the set
    read: int  # bytes that calls read from it, in all passes
    spent: float  # seconds in calls on these files, summed over processes
    start: float  # begin of the first read
    end: float  # end of the last read
    ends: tuple[float, ...]  # end of each pass, to a bin of the heat map; empty: unknown

    @property
    def each(self) -> float:
        """The seconds of a pass, on average."""
        return (self.end - self.start) / self.number


@dataclass(frozen=True)
class _Files:
    """The files that a program read, and wrote at most once: an array per property, in the same
    order. Records of many program files are left out."""

    ids: npt.NDArray[np.uint64]
    size: Array  # bytes
    read: Array  # bytes
    most: Array  # bytes that were read by calls of one layer, the one with most
    processes: Array  # that used each file
    opens: Array  # that may have read: a file that was written has one more
    spent: Array  # seconds in calls
    start: Array  # begin of the first read
    end: Array  # end of the last read

    @property
    def times(self) -> Array:
        """How often each file was read: the bytes that one layer read, divided by the file's.
        (numpy.load reads the header with read(), and the rest through a stream.) If this is no
        whole number, and each open read the whole file and up to as much again (a buffer of a
        library), the number of its opens."""
        times = self.most / self.size
        each = times / np.maximum(1.0, self.opens)
        by_opens = (np.abs(times - np.rint(times)) > _EXACT) & (self.opens >= 2)
        by_opens &= (each >= _WHOLE) & (each <= 2.0)
        times = np.where(by_opens, self.opens, times)
        # Processes that each read the whole file, as often as the others, may do so at the same
        # time. Fewer reads than processes are no passes of any.
        shared = np.maximum(1.0, self.processes)
        return np.where(self.by_each, times / shared, np.where(times > shared, times, 0.0))

    @property
    def by_each(self) -> npt.NDArray[np.bool_]:
        """A mask of the files that several processes read equally often, as far as the sums
        tell."""
        each = self.most / self.size / np.maximum(1.0, self.processes)
        found: npt.NDArray[np.bool_] = np.abs(each - np.rint(each)) <= _EXACT
        return found & (self.processes > 1)


def _of_table(facts: Facts, module: str) -> list[npt.NDArray[Any]] | None:
    """Returns the ids of a module's files that may be data, and their properties in the order of
    _Files; None if there is none."""
    table = facts.table(module)
    if table is None:
        return None
    size = np.maximum(table["MAX_BYTE_READ"], table["MAX_BYTE_WRITTEN"]) + 1
    read, opens = table["BYTES_READ"], facts.opens(table)
    start, end = table["F_READ_START_TIMESTAMP"], table["F_READ_END_TIMESTAMP"]
    mask = (read > 0) & (end > 0) & (table["BYTES_WRITTEN"] <= size)
    mask &= facts.single(table)
    if module == "POSIX":
        # A shell that takes lines steps back in its block after each one.
        mask &= table["SEQ_READS"] >= _FORWARD * (table["READS"] - opens)
    opens = opens - (table["BYTES_WRITTEN"] > 0)
    columns = (size, read, read, table.processes, opens, facts.time(table), start, end)
    if not mask.any():
        return None
    return [table.ids[mask], *(np.asarray(column[mask], "f8") for column in columns)]


def _files(facts: Facts) -> _Files | None:
    """Returns the files that may be data; None if there is none. A file that the program reads both
    with read() and through a stream, as numpy.load does, has a record of each layer; their sums
    count."""
    found = [one for module in _MODULES if (one := _of_table(facts, module)) is not None]
    if not found:
        return None
    if len(found) == 1:
        return _Files(*found[0])
    ids, where = np.unique(np.concatenate([one[0] for one in found]), return_inverse=True)
    properties: list[Array] = []
    for place, joined in enumerate(_JOINED, 1):
        values = np.full(len(ids), np.inf if joined is np.minimum else 0.0)
        joined.at(values, where, np.concatenate([one[place] for one in found]))
        properties.append(values)
    return _Files(ids, *properties)


def _number(files: _Files) -> tuple[int, npt.NDArray[np.bool_]]:
    """Returns the number of passes of which most bytes are, and a mask of the files that were read
    so often."""
    times = files.times
    rounded = np.clip(np.rint(times), 0, _MOST + 1)
    wanted = (rounded >= 2) & (rounded <= _MOST)
    if not wanted.any():
        return 0, wanted
    numbers, where = np.unique(rounded[wanted], return_inverse=True)
    number = int(numbers[int(np.argmax(np.bincount(where, files.read[wanted])))])
    return number, wanted & (np.abs(times - number) <= _NEAR)


def _is_in_passes(files: _Files, mask: npt.NDArray[np.bool_], number: int) -> bool:
    """Returns whether the files of a set were read in turn, and each again in the next pass. If
    each file was read several times at once, the time from its first to its last read is a small
    part of the whole."""
    whole = float(files.end[mask].max() - files.start[mask].min())
    each = files.end[mask] - files.start[mask]
    middle = float(np.median(np.repeat(each, np.maximum(1, _weights(files.read[mask])))))
    return whole > 0 and middle >= _HALF * whole * (number - 1) / number


def _weights(read: Array) -> npt.NDArray[np.int64]:
    """Returns small whole numbers that are proportional to the bytes of the files, 100 in all for
    few files."""
    return np.rint(100 * read / max(1.0, float(read.sum()))).astype("i8")


def _ends(facts: Facts, start: float, end: float, number: int) -> tuple[float, ...]:
    """Returns when each pass ended, from the bytes over time: the passes read equal numbers of
    bytes. Returns () if the log does not have enough bins."""
    try:
        known = {heat.layer: heat for heat in heats(facts.log)}
    except LogError:
        return ()
    titles = [layer.title for layer in LAYERS if layer.module in _MODULES]
    found = [known[title] for title in titles if title in known]
    if not found or len({heat.bin_width for heat in found}) > 1:
        return ()
    width = found[0].bin_width
    bins = max(len(heat.read) for heat in found)
    read = added([np.pad(heat.read, (0, bins - len(heat.read))) for heat in found])
    first, last = int(start / width), min(bins, int(end / width) + 1)
    if last - first < _FEW_BINS * number or read[first:last].sum() <= 0:
        return ()
    so_far = np.cumsum(read[first:last])
    shares = so_far[-1] * np.arange(1, number + 1) / number
    places = np.searchsorted(so_far, shares * (1 - 1e-9))
    return tuple(min(end, (first + int(place) + 1) * width) for place in places)


@once
def passes(facts: Facts) -> Passes | None:
    """Returns the passes over the set of files of which a program read most of its bytes. Returns
    None if it read them once, or each file several times in a row, or less than 1 MiB."""
    files = _files(facts)
    if files is None:
        return None
    number, mask = _number(files)
    # Names come last, because they take memory: a log may have 100,000 files.
    for place in np.flatnonzero(mask).tolist():
        mask[place] = not program_text.is_program(facts.name(int(files.ids[place])))
    read = float(files.read[mask].sum())
    if not mask.any() or read < _HALF * files.read.sum() or float(files.size[mask].sum()) < _LEAST:
        return None
    if not _is_in_passes(files, mask, number):
        return None
    start, end = float(files.start[mask].min()), float(files.end[mask].max())
    first = int(np.argmax(np.where(mask, files.read, -1.0)))
    by_each = files.by_each[mask]
    return Passes(
        number,
        int(files.processes[mask].max()) if by_each.all() else 1,
        int(mask.sum()),
        facts.name(int(files.ids[first])),
        int(files.size[mask].sum()),
        int(read),
        float(files.spent[mask].sum()),
        start,
        end,
        _ends(facts, start, end, number),
    )
