"""How long the ranks of an MPI job waited for other ranks over time, and how long one rank was in
I/O meanwhile.

Both come from the records of MPIWAIT and the heat maps. The log has no times of single calls, so
the waiting during I/O is an estimate. In each time bin it is the I/O time of the rank with most
I/O, limited to the time in which nearly all other ranks waited."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...log import Log
from ...variable import HeatMap, heat_maps
from ..processes.ranks import summed
from ..traces.heat import MAX_BINS

_NS = 1e9
_FEW = 0.1  # share of the other ranks that may work while the rest waits for one rank
_LATEST = 1e9  # seconds; a later bin is damage
_ALONE = 2.0  # factor above the I/O of the next rank, from which on a rank does its I/O alone
# Multiple of a bin's width: ranks that together have more I/O in the bin did not take turns. The
# times in a bin are estimates, so turns may seem a little longer than the bin.
_TURNS = 1.25
_HEATS = ("heatmap:POSIX", "heatmap:STDIO", "heatmap:DFS")  # the layers whose bytes do not overlap

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]  # single precision, to save memory with many ranks


@dataclass(frozen=True, eq=False)
class Waiting:
    """The waits of the ranks. `spent` has a row per rank and a column per time bin, in seconds."""

    width: float  # seconds of a bin
    ranks: npt.NDArray[np.int64]
    spent: Singles
    collective: float  # part of all seconds: in collective calls, and in MPI_Finalize

    @cached_property
    def by_rank(self) -> Floats:
        """The seconds that each rank waited."""
        found: Floats = self.spent.sum(axis=1, dtype="f8")
        return found

    @property
    def seconds(self) -> float:
        """The seconds that all ranks waited, summed."""
        return float(self.by_rank.sum())

    @property
    def least(self) -> tuple[int, float]:
        """The rank that waited least, and its seconds."""
        at = int(self.by_rank.argmin())
        return int(self.ranks[at]), float(self.by_rank[at])

    @property
    def most(self) -> tuple[int, float]:
        """The rank that waited most, and its seconds."""
        at = int(self.by_rank.argmax())
        return int(self.ranks[at]), float(self.by_rank[at])


def _usable(record: HeatMap, nprocs: int) -> bool:
    """Returns whether a record has a rank of the job and a plausible number and width of bins."""
    width = record.bin_width
    return (
        0 <= record.rank < nprocs
        and 0 < len(record.read) <= MAX_BINS
        and bool(np.isfinite(width))
        and 0 < width * len(record.read) < _LATEST
    )


def _grid(records: list[HeatMap]) -> tuple[float, int]:
    """Returns the width of a time bin in seconds and the number of bins that fit all records. The
    width of a record's bins is 0.1 s times a power of two, so a wide bin consists of whole narrower
    bins."""
    width = max(record.bin_width for record in records)
    end = max(len(record.read) * record.bin_width for record in records)
    return width, min(MAX_BINS, int(np.ceil(end / width - 1e-6)))


def _binned(record: HeatMap, amounts: Floats, width: float, bins: int) -> Floats:
    """Returns the amounts of a record in `bins` bins of `width` seconds. The width must be at least
    that of the record's bins."""
    places = (np.arange(len(amounts)) * record.bin_width / width + 1e-6).astype(np.intp)
    return summed(places.clip(0, bins - 1), np.maximum(amounts, 0.0), bins)


def waiting_of(log: Log) -> Waiting | None:
    """Returns how long the ranks of a log waited for other ranks; None if that was not recorded."""
    region = log.info.region("MPIWAIT")
    if region is None or region.length == 0:
        return None
    records = [r for r in heat_maps(log, "MPIWAIT") if _usable(r, log.info.nprocs)]
    if not records:
        return None
    width, bins = _grid(records)
    spent = np.zeros((len(records), bins), "f4")
    for at, record in enumerate(records):
        waited = np.maximum(record.read, 0).astype("f8") + np.maximum(record.write, 0)
        spent[at] = np.minimum(_binned(record, waited, width, bins) / _NS, width)
    return Waiting(
        width,
        np.array([record.rank for record in records]),
        spent,
        float(sum(np.maximum(record.write, 0).sum(dtype="f8") for record in records)) / _NS,
    )


@dataclass(frozen=True, eq=False)
class Traffic:
    """The bytes of the ranks over time, in arrays with the same rows (ranks) and columns (time
    bins) as those of a Waiting."""

    read: Singles
    written: Singles

    @cached_property
    def of_ranks(self) -> Floats:
        """The bytes that each rank read and wrote in all time bins together."""
        read: Floats = self.read.sum(axis=1, dtype="f8")
        written: Floats = self.written.sum(axis=1, dtype="f8")
        return np.add(read, written)


def traffic_of(log: Log, waiting: Waiting) -> Traffic:
    """Returns the bytes that the ranks moved in the lowest layers, from the heat maps. waiting: its
    ranks and time bins are used. Raises LogError if the heat maps are damaged."""
    read, written = np.zeros_like(waiting.spent), np.zeros_like(waiting.spent)
    place = {int(rank): at for at, rank in enumerate(waiting.ranks)}
    bins = waiting.spent.shape[1]
    for record in heat_maps(log):
        at = place.get(record.rank)
        if at is None or log.name(record.id) not in _HEATS:
            continue
        if _usable(record, log.info.nprocs) and record.bin_width <= waiting.width * (1 + 1e-6):
            read[at] += _binned(record, record.read.astype("f8"), waiting.width, bins)
            written[at] += _binned(record, record.write.astype("f8"), waiting.width, bins)
    return Traffic(read, written)


@dataclass(frozen=True)
class During:
    """How long one rank was in I/O while nearly all other ranks waited."""

    rank: int  # the rank for whose I/O the others waited longest
    # Seconds of the run in which any one rank was in I/O; each waiting rank loses this time.
    seconds: float
    of_rank: float  # part of `seconds` in which this rank alone was in I/O
    others: float  # seconds that the other ranks waited during this rank's I/O, summed
    reading: float  # share (0 to 1) of reads in the bytes of this rank in this time


def during_io(waiting: Waiting, traffic: Traffic, io_seconds: Floats) -> During | None:
    """Returns the waiting during I/O; None if fewer than two ranks have records of waits, or if no
    rank has traffic. io_seconds: I/O time of each rank, in the order of waiting.ranks. It is
    distributed over the time bins in proportion to the rank's bytes. Bins in which several ranks
    did I/O at the same time are not counted, because no single rank was the cause. If ranks may
    have taken turns, the bin counts for the rank with most I/O."""
    number, bins = waiting.spent.shape
    whole = traffic.of_ranks
    if number < 2 or not whole.any():
        return None
    each = np.divide(io_seconds, whole, out=np.zeros(number), where=whole > 0)
    few = int(_FEW * (number - 1))
    lost, read, waited, alone = (np.zeros(number) for _ in range(4))
    for at in range(bins):  # one by one, because there may be very many ranks
        moved = traffic.read[:, at] + traffic.written[:, at]
        busy = np.minimum(moved * each, waiting.width)
        top = int(busy.argmax())
        others = np.delete(waiting.spent[:, at], top)
        is_alone = busy[top] >= _ALONE * float(np.delete(busy, top).max())
        if busy[top] <= 0 or not (is_alone or busy.sum() <= _TURNS * waiting.width):
            continue
        here = float(np.minimum(others, busy[top]).sum(dtype="f8"))
        waited[top] += here
        read[top] += here * float(traffic.read[top, at] / moved[top])
        most = min(float(busy[top]), float(np.partition(others, few)[few]))
        lost[top] += most
        alone[top] += most if is_alone else 0.0
    first = int(waited.argmax())
    return During(
        int(waiting.ranks[first]),
        float(lost.sum()),
        float(alone[first]),
        float(waited[first]),
        float(read[first] / waited[first]) if waited[first] > 0 else 0.0,
    )
