"""The times at which files were opened, read, written and closed, from their records."""

from __future__ import annotations

import numpy as np

from ...log import Log
from ...records import Records
from ..layers.layers import Layer

_KINDS = (("open", "OPEN"), ("read", "READ"), ("write", "WRITE"), ("close", "CLOSE"))

Span = tuple[str, float, float]  # kind of operation, its first begin, its last end, in seconds


def _timestamps(records: Records, layer: Layer, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns the first and the last time of one kind of operation, for each record; -1 if it has
    none. Returns None if the module has no such times."""
    first, last = (layer.counter(f"F_{name}_{end}_TIMESTAMP") for end in ("START", "END"))
    if not (records.module.has(first) and records.module.has(last)):
        return None
    start, end = records[first], records[last]
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(start) & np.isfinite(end) & (end > 0) & (start >= 0) & (end >= start)
    return np.where(usable, start, -1.0), np.where(usable, end, -1.0)


def of_records(records: Records, layer: Layer) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns the first and the last time of each record, by kind of operation; -1 if a record has
    no such operation. Leaves out kinds of which the layer has no times."""
    found = {kind: _timestamps(records, layer, name) for kind, name in _KINDS}
    return {kind: span for kind, span in found.items() if span is not None}


def of_layer(log: Log, layer: Layer) -> list[Span]:
    """Returns, for each kind of operation, the first and the last time in all records of a
    layer."""
    found = []
    for kind, (start, end) in of_records(log.records(layer.module), layer).items():
        some = end >= 0
        if some.any():
            found.append((kind, round(float(start[some].min()), 6), round(float(end.max()), 6)))
    return found
