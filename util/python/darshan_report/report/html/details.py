"""The details of one file or dataset on the page: counters per layer, ranks, stripes and, for
datasets, the calls in lower layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...library import LogError
from ...log import Log
from ...measure.layers.attribution import LAYOUTS, OPERATIONS, Attribution, Upper
from ...measure.layers.layers import LAYERS, Layer
from ...records import UNKNOWN, Joined, Records
from ...tables import Counter, Module
from ...variable import layouts
from ..context import Context

PAGES = 800  # largest number of files, and of datasets, with details
_RANKS = 40  # largest number of ranks per file, those with the most time
_OSTS = 64
_BESIDE = ("POSIX_EXT",)  # modules of the annex whose counters belong to a layer's records


def _digits(value: float) -> float | int:
    """Returns a time rounded to six decimals, as darshan-parser prints it. Infinities and NaN
    become 0."""
    return round(value, 6) if np.isfinite(value) else 0


def _combined(counter: Counter, values: np.ndarray) -> float | int | None:
    """Combines the values that a file's records have of one counter, by the counter's merge rule.
    Returns None if the rule does not give a single number."""
    if len(values) == 1 or (bool((values == values[0]).all()) and not counter.summed):
        value = values[0]
    elif counter.summed:
        value = UNKNOWN if bool((values == UNKNOWN).any()) else values.sum()
    elif counter.rule == "maximum":
        value = values.max()
    elif counter.rule == "smallest above 0":
        above = values[values > 0]
        value = above.min() if len(above) else 0
    elif counter.rule == "or":
        value = np.bitwise_or.reduce(values)
    else:
        return None
    return _digits(float(value)) if counter.is_float else int(value)


def _counters(module: Module, rows: np.ndarray) -> list[float | int]:
    """Combines the records of a file. Returns a flat list with index and value of each counter that
    is not 0."""
    found: list[float | int] = []
    for place, counter in enumerate(module.counters + module.fcounters):
        value = _combined(counter, rows[counter.name])
        if value:
            found += [place, value]
    return found


def _ranks(layer: Layer, records: Records, rows: np.ndarray) -> list[list[float | int]]:
    """Returns [rank, bytes read, bytes written, seconds] for the ranks that spent the most time on
    a file. Empty if the file has only one record. rows: the file's records."""
    if len(rows) < 2:
        return []

    def column(name: str) -> np.ndarray:
        full = layer.counter(name)
        if not records.module.has(full):
            return np.zeros(len(rows))
        values: np.ndarray = np.nan_to_num(rows[full].astype("f8"))
        return values.clip(0)

    time = sum((column(f"F_{n}_TIME") for n in ("READ", "WRITE", "META")), np.zeros(len(rows)))
    order = np.argsort(-time, kind="stable")[:_RANKS]
    read, written = column("BYTES_READ"), column("BYTES_WRITTEN")
    return [
        [int(rows["rank"][p]), int(read[p]), int(written[p]), _digits(float(time[p]))]
        for p in order
    ]


class _Grouped:
    """The records of a module, to be looked up by file."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self._order = np.argsort(records.ids, kind="stable")
        self._joined = Joined(records)
        self._ends = np.cumsum(self._joined.records)

    def rows(self, number: int) -> np.ndarray | None:
        """Returns the records of one file, by its id; None if it has none."""
        place = self._joined.place(number)
        if place is None:
            return None
        end = int(self._ends[place])
        return self.records.array[self._order[end - int(self._joined.records[place]) : end]]


def _modules(log: Log, layers: Sequence[Layer]) -> list[tuple[Layer | None, str]]:
    there = {region.name for region in log.info.regions if region.length}
    found: list[tuple[Layer | None, str]] = [(x, x.module) for x in layers if x.module in there]
    return found + [(None, name) for name in _BESIDE if name in there]


def of_files(context: Context, wanted: Sequence[int]) -> dict[str, Any]:
    """Returns the data of the details of files or datasets. "names": the names of the counters by
    module. "pages": in the order of `wanted`, for each module with records of the file its counters
    and ranks. wanted: record ids."""
    names: dict[str, list[str]] = {}
    pages: list[list[dict[str, Any]]] = [[] for _ in wanted]
    damaged = {module for module, _ in context.damaged}
    for layer, name in _modules(context.log, LAYERS):
        if name in damaged:
            continue
        try:
            records = context.log.records(name)
        except LogError:
            continue
        if not len(records):
            continue
        module = records.module
        names[name] = [c.name for c in module.counters + module.fcounters]
        grouped = _Grouped(records)
        for place, number in enumerate(wanted):
            rows = grouped.rows(number)
            if rows is None:
                continue
            part: dict[str, Any] = {
                "module": name,
                "records": len(rows),
                "counters": _counters(module, rows),
            }
            if layer is not None:
                part["title"] = layer.title
                part["ranks"] = _ranks(layer, records, rows)
            pages[place].append(part)
    return {"names": names, "pages": pages}


def stripes(context: Context, wanted: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """Returns the Lustre layout of each file that has one, by the file's index in `wanted`: per
    component its counters, its first targets (osts) and the number of the others (more). Returns {}
    if the log has no LUSTRE records. If records are damaged, adds that to context.damaged, and the
    files of later records are missing. wanted: record ids."""
    region = context.info.region("LUSTRE")
    if region is None or region.length == 0:
        return {}
    places = {number: place for place, number in enumerate(wanted)}
    found: dict[int, list[dict[str, Any]]] = {}
    try:
        for layout in layouts(context.log):
            if layout.id not in places:
                continue
            found[places[layout.id]] = [
                {
                    "counters": {
                        n: int(component[n]) for n in component.dtype.names if n != "pool_name"
                    },
                    "osts": [int(o) for o in layout.osts[:_OSTS]],
                    "more": max(0, len(layout.osts) - _OSTS),
                }
                for component in layout.components
            ]
    except LogError as error:
        context.damaged.append(("LUSTRE", str(error)))
    return found


def _below(attribution: Attribution, upper: Upper) -> dict[str, Any]:
    """Returns the data of the page about one HDF5 dataset or file: its calls, and what lower layers
    did in them. Times are seconds."""
    counters = upper.counters
    return {
        "operations": [
            [
                operation.lower(),
                counters[f"{operation}_CALLS"],
                *(
                    _digits(time((operation,)))
                    for time in (
                        upper.own_time,
                        upper.mpiio_time,
                        upper.communication_time,
                        upper.lower_time,
                    )
                ),
                upper.below("READS", (operation,)),
                upper.below("WRITES", (operation,)),
            ]
            for operation in OPERATIONS
            if counters[f"{operation}_CALLS"] > 0
        ],
        "asked": upper.asked,
        "moved": upper.moved(),
        "distinct": upper.distinct,
        "amplification": upper.amplification if upper.moved() else None,
        "layout": LAYOUTS.get(counters["LAYOUT"], ""),
        "chunk": list(attribution.chunks(upper.id).shape),
        "chunk_bytes": max(0, counters["CHUNK_BYTES"]),
        "cache_bytes": max(0, counters["CHUNK_CACHE_BYTES"]),
        "filters": max(0, counters["FILTERS"]),
    }


def below(context: Context, wanted: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Returns the calls of lower layers that datasets and HDF5 files caused, with their times,
    layout and chunks, by their index in `wanted`. wanted: record ids; those without such calls are
    left out, and all of them if the log does not attribute calls."""
    attribution = context.attribution
    if attribution is None:
        return {}
    places = {number: place for place, number in enumerate(wanted)}
    uppers = [*attribution.datasets(PAGES), *attribution.files(PAGES)]
    return {places[u.id]: _below(attribution, u) for u in uppers if u.id in places}
