"""The bytes over time and ranks of each layer, from the records of the module HEATMAP."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...log import Log
from ...variable import HeatMap, heat_maps
from ..layers.layers import LAYERS

MAX_BINS = 5117  # largest number of bins that other readers accept; a longer record is damaged
MAX_ROWS = 256  # rows of the diagram; people cannot distinguish more


@dataclass(frozen=True, eq=False)
class Heat:
    """The bytes of one layer over time, in bins of equal width. If there are many ranks,
    neighbouring ones share a row of `moved`. The caller of heats() may also define the rows, for
    example one per program."""

    layer: str
    bin_width: float  # seconds
    ranks: int  # processes of the job
    per_row: int  # processes per row of `moved`
    read: npt.NDArray[np.float64]  # bytes per bin, all ranks
    write: npt.NDArray[np.float64]
    moved: npt.NDArray[np.float64]  # rows x bins, bytes read and written


def _heat(layer: str, maps: list[HeatMap], nprocs: int, rows: dict[int, int] | None) -> Heat:
    """Returns the sum of the heat maps of one layer that have the widest bins. rows: row of each
    rank in `moved`; None: neighbouring ranks share rows if there are many."""
    width = max(m.bin_width for m in maps)
    maps = [m for m in maps if m.bin_width == width]
    bins = min(max(len(m.read) for m in maps), MAX_BINS)
    ranks = max(1, nprocs)
    per_row = -(-ranks // MAX_ROWS)
    read, write = np.zeros(bins), np.zeros(bins)
    number = -(-ranks // per_row) if rows is None else 1 + max(rows.values(), default=0)
    moved = np.zeros((number, bins))
    for record in maps:
        count = min(len(record.read), bins)
        read[:count] += record.read[:count]
        write[:count] += record.write[:count]
        at = record.rank // per_row if rows is None else rows.get(record.rank, -1)
        if 0 <= record.rank < ranks and at >= 0:
            row = moved[at]
            row[:count] += record.read[:count]
            row[:count] += record.write[:count]
    return Heat(layer, width, ranks, per_row, read, write, moved)


def _title(prefix: str) -> str:
    """Returns the title of a layer by its prefix, which is also in the name of its heat map."""
    return next((x.title for x in LAYERS if x.prefix == prefix), prefix)


def heats(log: Log, rows: dict[int, int] | None = None) -> list[Heat]:
    """Returns the bytes over time of every layer with heat maps, the layer with most bytes first.
    rows: the row of each rank, by rank; other ranks are only in the sums. By default, neighbouring
    ranks share a row if there are too many. Raises LogError if the records are damaged."""
    layers: dict[str, list[HeatMap]] = {}
    for record in heat_maps(log):
        name = log.name(record.id) or ""
        usable = np.isfinite(record.bin_width) and record.bin_width > 0 and len(record.read)
        if name.startswith("heatmap:") and usable:
            layers.setdefault(_title(name.partition(":")[2]), []).append(record)
    found = [_heat(layer, maps, log.info.nprocs, rows) for layer, maps in layers.items()]
    return sorted(found, key=lambda heat: (-heat.moved.sum(), heat.layer))


def traffic_by_rank(log: Log, name: str, nprocs: int) -> dict[int, float]:
    """Returns the bytes that each rank read and wrote, by rank, from the heat maps called `name`
    ("heatmap:POSIX"). nprocs: number of ranks."""
    moved: dict[int, float] = {}
    for record in heat_maps(log):
        if log.name(record.id) == name and 0 <= record.rank < nprocs:
            both = float(record.read.sum()) + float(record.write.sum())
            moved[record.rank] = moved.get(record.rank, 0.0) + both
    return moved
