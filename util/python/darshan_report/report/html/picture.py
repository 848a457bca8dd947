"""The data of the first screen's diagram: transfers over time, by layer and by rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...classes import dataclass
from ...measure.files.spans import of_layer
from ...measure.layers.layers import LAYERS
from ...measure.traces.heat import Heat
from ...measure.traces.lane_bins import Cells
from ..context import Context
from ..plots import lanes as lane_names
from . import columns

_BINS = 512  # number of bins of traces; a screen does not show more


def _rows(context: Context, heat: Heat) -> list[str]:
    if context.lanes is not None:
        return lane_names.labels(context.lanes)
    if heat.per_row == 1:
        return [f"rank {rank}" for rank in range(len(heat.moved))]
    return [
        f"ranks {row * heat.per_row}-{min(heat.ranks, (row + 1) * heat.per_row) - 1}"
        for row in range(len(heat.moved))
    ]


def _map(layer: str, width: float, rows: list[str], moved: np.ndarray) -> dict[str, Any]:
    """Returns the data of a heat map: bytes by row and time bin, on a logarithmic scale from 0 to
    255. width: seconds of a bin. rows: labels. moved: bytes, a row per label."""
    most = float(moved.max())
    with np.errstate(divide="ignore"):
        scaled = np.log2(np.maximum(moved, 1)) / max(1.0, np.log2(max(most, 2)))
    cells = np.where(moved > 0, 1 + np.rint(254 * scaled), 0)
    return {
        "layer": layer,
        "bin": width,
        "most": most,
        "rows": rows,
        "cells": columns.whole(cells.astype("i8").ravel()),
    }


def _rates(width: float, read: np.ndarray, write: np.ndarray) -> dict[str, Any]:
    return {"bin": width, "read": columns.real(read / width), "write": columns.real(write / width)}


@dataclass(frozen=True, eq=False)
class Traced:
    """Bytes of traced transfers by kind, lane and time, for logs without heat maps. A kind is the
    writes or the reads of a layer. A lane is a rank or program."""

    layers: list[str]  # titles; kind 2 * i are the writes of layer i, 2 * i + 1 its reads
    lanes: list[str]  # labels
    end: float  # seconds after the start of the run: end of the last bin
    cells: Cells

    def moved(self, kind: int) -> np.ndarray:
        """Returns the bytes of a kind: an array with a row per lane and a column per time bin."""
        bins = min(_BINS, self.cells.bins)
        found = np.zeros((len(self.lanes), bins))
        some = self.cells.kind == kind
        place = self.cells.bin[some] * bins // self.cells.bins
        np.add.at(found, (self.cells.lane[some], place), self.cells.bytes[some])
        return found


def _from_traces(traced: Traced) -> tuple[dict[str, dict[str, Any]], dict[str, Any] | None]:
    """Returns the rates by layer, and the heat map of the lowest traced layer; None in its place if
    there is only one lane."""
    rates, lowest = {}, None
    for place, layer in enumerate(traced.layers):
        write, read = traced.moved(2 * place), traced.moved(2 * place + 1)
        width = traced.end / write.shape[1]
        if not (write.any() or read.any()):
            continue
        rates[layer] = _rates(width, read.sum(axis=0), write.sum(axis=0))
        if lowest is None and len(traced.lanes) > 1:
            lowest = _map(layer, width, traced.lanes, read + write)
    return rates, lowest


def _present(context: Context) -> list[dict[str, Any]]:
    """Returns, for each program of a process tree, when it was alive: one byte per time bin, 255
    for the whole bin. Empty for other runs."""
    if context.lanes is None:
        return []
    return [
        {
            "name": name,
            "most": lane.most,
            "part": columns.whole(np.rint(255 * lane.part).astype("i8")),
        }
        for name, lane in zip(lane_names.labels(context.lanes), context.lanes.lanes)
    ]


def picture(context: Context, traced: Traced | None = None) -> dict[str, Any]:
    """Returns the data of the first screen's diagram: rates, heat map, and programs over time.
    traced: used if the log has no heat maps; None: then the diagram has neither rates nor a heat
    map."""
    heats = [h for h in context.heats if len(h.read) > 1]
    rates = {h.layer: _rates(h.bin_width, h.read, h.write) for h in heats}
    heat = None
    if heats and len(heats[0].moved) > 1 and heats[0].moved.any():
        most = heats[0]
        heat = _map(most.layer, most.bin_width, _rows(context, most), most.moved)
    if not heats and traced is not None:
        rates, heat = _from_traces(traced)
    there = {figures.layer.module for figures in context.figures}
    rows = []
    for layer in LAYERS:
        if layer.module not in there and layer.title not in rates:
            continue
        row: dict[str, Any] = {"title": layer.title, "spans": []}
        if layer.title in rates:
            row |= rates[layer.title]
        else:
            row["spans"] = of_layer(context.log, layer)
        if "bin" in row or row["spans"]:
            rows.append(row)
    ends = [context.run_time, *(span[2] for row in rows for span in row["spans"])]
    if not context.run_time > 0:
        ends += [h.bin_width * len(h.read) for h in heats]
    end = max(ends)
    return {
        "end": end if np.isfinite(end) and end > 0 else 1.0,
        "layers": rows,
        "heat": heat,
        "present": _present(context),
    }
