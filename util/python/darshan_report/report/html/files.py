"""Tables of files and of datasets on the page, the costliest first. A file has one row for all
layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ...classes import dataclass
from ...show.text import visible
from ..context import Context, LayerFigures

ROWS = 5_000  # per table
NAME = 240  # characters of a name; the middle of a longer name is cut
DATASETS = ("H5D", "PNETCDF_VAR")  # layers whose records represent parts of files


def name_of(context: Context, number: int) -> str:
    """Returns the name of a record, printable and shortened in the middle to NAME characters."""
    name = visible(context.name(number))
    return name if len(name) <= NAME else f"{name[: NAME // 3]}\u2026{name[-NAME * 2 // 3 :]}"


def _told(context: Context, number: int) -> str:
    """Returns the name of a file and, if both fit into NAME characters, its temporary name."""
    name, was = name_of(context, number), visible(context.was(number))
    return f"{name} (was {was})" if was and len(name) + len(was) < NAME else name


@dataclass(eq=False)
class Row:
    """One row of the table: a file, over all layers that recorded it, the uppermost layer first."""

    id: int
    layers: list[str] = field(default_factory=list)
    processes: int | None = 0  # None: all
    read: int = 0  # bytes in the lowest layer
    written: int = 0
    touched: int = 0  # bytes that were touched through mappings
    seconds: float = 0.0  # seconds in the layer with the most time, which includes the layers below


def _candidates(figures: Sequence[LayerFigures], most: int) -> set[int]:
    """Returns the ids of the `most` costliest files of each layer."""
    return {int(f.files.ids[p]) for f in figures for p in f.files.slowest(most)}


def _add(row: Row, figures: LayerFigures, place: int) -> None:
    """Adds a file of one layer to the row of the file. place: index of the file in the layer.
    Layers are added from the uppermost down."""
    files = figures.files
    row.layers.append(figures.layer.title)
    number = int(files.processes[place])
    if number < 0 or row.processes is None:
        row.processes = None
    else:
        row.processes = max(row.processes, number)
    # a lower layer comes later; its bytes are those that were transferred
    if figures.moves_bytes:
        row.read = max(0, int(files.read[place]))
        row.written = max(0, int(files.written[place]))
    row.touched += max(0, int(files.touched[place]))
    row.seconds = max(row.seconds, float(files.time[place]))


def rows_of(figures: Sequence[LayerFigures], most: int = ROWS) -> tuple[list[Row], int]:
    """Returns rows for the `most` costliest files over all layers, those with most time first, and
    the number of all files. figures: the layers, from the application downwards."""
    wanted = _candidates(figures, most)
    found: dict[int, Row] = {}
    everything: set[int] = set()
    for one in figures:
        ids = one.files.ids
        everything.update(map(int, ids))
        for place in np.flatnonzero(np.isin(ids, np.array(sorted(wanted), "u8"))):
            number = int(ids[place])
            _add(found.setdefault(number, Row(number)), one, int(place))
    order = sorted(found.values(), key=lambda r: (-r.seconds, -(r.read + r.written), r.id))
    return order[:most], len(everything)


def file_layers(context: Context) -> list[LayerFigures]:
    """Returns the layers whose records are files, in which similar files of a folder share a
    row."""
    layers = [f for f in context.figures if f.layer.module not in DATASETS]
    return [replace(f, files=context.together(f)) for f in layers]


def dataset_layers(context: Context) -> list[LayerFigures]:
    """Returns the layers whose records are datasets or variables in files."""
    return [f for f in context.figures if f.layer.module in DATASETS]


def as_data(context: Context, rows: Sequence[Row]) -> list[list[Any]]:
    """Returns each row as a list: name, layers, processes or None, bytes read, bytes written, bytes
    touched through mappings, seconds."""
    return [
        [
            _told(context, row.id),
            ", ".join(row.layers),
            row.processes,
            row.read,
            row.written,
            row.touched,
            float(f"{row.seconds:.6g}"),
        ]
        for row in rows
    ]
