"""The data of the page's timeline of ranks and files: lanes, single transfers up to a limit, and
sums over time for all other transfers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...library import LogError
from ...measure.files.spans import of_records
from ...measure.layers.layers import LAYERS
from ...measure.traces.chosen_transfers import (
    INTERVALS,
    KINDS,
    LONGEST,
    Choice,
    Collector,
    Survey,
    Transfers,
    choose,
    parts,
    survey,
    wanted,
)
from ...measure.traces.lane_bins import Cells, LaneBins
from ...show.text import visible
from ...units import plural
from ...variable import heat_maps
from ..context import Context
from . import columns
from .files import name_of
from .picture import Traced
from .timeline_marks import marks

_RANK_LANES, _FILE_LANES = 256, 200
_CELLS = 80_000  # per group of lanes
_NAMED = 4_000  # largest number of files whose transfers have names
_DXT_KINDS = [("POSIX", "write"), ("POSIX", "read"), ("MPI-IO", "write"), ("MPI-IO", "read")]
_MODULES = ("DXT_POSIX", "DXT_MPIIO")
_LISTED = 6  # ranks or files in a sentence


class Lanes:
    """Maps ranks or files to the lanes (rows) of a timeline."""

    def __init__(self, labels: list[str], place_of: dict[int, int], rest: int = 0) -> None:
        """labels: of the lanes. place_of: index of the lane of a rank or file. rest: index of the
        lane of all other ranks or files."""
        self.labels, self._place_of, self._rest = labels, place_of, rest

    def of(self, key: int) -> int:
        """Returns the index of the lane of a rank (by its number) or of a file (by its record
        id)."""
        return self._place_of.get(key, self._rest)


def rank_lanes(context: Context, ranks: Sequence[int]) -> Lanes:
    """Returns a lane per rank, or per range of ranks if there are many. For a process tree: a lane
    per process, or per program if there are many processes. ranks: numbers, without repetition."""
    tree = context.tree
    if tree is not None and context.lanes is not None and len(ranks) > _RANK_LANES:
        from ..plots.lanes import labels  # noqa: PLC0415 - of a picture

        places = dict(zip(tree.ranks.tolist(), context.lanes.place_of.tolist()))
        return Lanes(labels(context.lanes), places)
    order = sorted(ranks)
    per_lane = -(-len(order) // _RANK_LANES) or 1
    groups = [order[i : i + per_lane] for i in range(0, len(order), per_lane)]
    names = {}
    if tree is not None:
        names = {int(r): visible(p.name) for r, p in zip(tree.ranks, tree.programs)}

    def name(group: list[int]) -> str:
        if len(group) > 1:
            return f"ranks {group[0]}-{group[-1]}"
        own = names.get(group[0])
        return f"{own} ({group[0]})" if own else f"rank {group[0]}"

    return Lanes(
        [name(group) for group in groups],
        {rank: place for place, group in enumerate(groups) for rank in group},
    )


def file_lanes(
    context: Context, found: Survey | None, ids: Sequence[int]
) -> tuple[Lanes, list[int]]:
    """Returns one lane for each of the costliest files and one lane for all others, and the ids of
    the former. found: files of the traces; None without traces. ids: further files, which have
    records."""
    order: list[int] = []
    if found is not None:
        order = sorted(found.files, key=lambda i: (-found.files[i].time, i))
    order = list(dict.fromkeys([*order, *ids]))
    shown = order if len(order) <= _FILE_LANES else order[: _FILE_LANES - 1]
    labels = [name_of(context, number) for number in shown]
    if len(order) > len(shown):
        labels.append(f"{len(order) - len(shown):,} more files")
    return Lanes(labels, {n: i for i, n in enumerate(shown)}, len(labels) - 1), shown


_THREAD_LANES = 256  # a log with so many threads, or more, has no lanes of threads


class ThreadLanes:
    """One lane for each thread of each rank, the threads of a rank in the order of their first
    transfers, and a last lane for unknown threads."""

    def __init__(self, context: Context, found: Survey) -> None:
        several = len({rank for rank, _ in found.threads}) > 1 or context.tree is not None
        names = rank_lanes(context, sorted(found.ranks)) if several else None
        order = sorted(found.threads, key=lambda k: (k[0], found.threads[k], k[1]))
        self.labels: list[str] = []
        self.place_of = {key: place for place, key in enumerate(order)}
        numbers: dict[int, int] = {}
        for rank, _ in order:
            numbers[rank] = numbers.get(rank, 0) + 1
            whose = f"{names.labels[names.of(rank)]}, " if names else ""
            self.labels.append(f"{whose}thread {numbers[rank]}")
        if found.unknown:
            self.labels.append("unknown thread")

    def of(self, rank: int, thread: int) -> int:
        """Returns the index of the lane of a thread. Unknown threads share the last lane."""
        return self.place_of.get((rank, thread), len(self.labels) - 1)


def _thread_group(
    context: Context, found: Survey, choice: Choice, transfers: Transfers
) -> tuple[dict[str, Any], npt.NDArray[np.int64]] | None:
    """Returns the lanes of threads with their bytes over time, and the lane of each transfer in
    `transfers`; None if the log has no threads or too many."""
    if not 0 < len(found.threads) < _THREAD_LANES:
        return None
    lanes = ThreadLanes(context, found)
    bins = LaneBins(len(lanes.labels), KINDS, found.end)
    for part in parts(context.log):
        for thread in np.unique(part.thread).tolist():
            own = part.thread == thread
            bins.add(
                lanes.of(part.rank, thread),
                part.kind,
                *(x[own] for x in (part.start, part.end, part.length)),
            )
    lane = np.array(
        [lanes.of(r, t) for r, t in zip(transfers.rank.tolist(), transfers.thread.tolist())], "i8"
    )
    whole = [p for (rank, _), p in lanes.place_of.items() if rank in choice.ranks]
    group = {
        "key": "thread",
        "title": "threads",
        "lanes": lanes.labels,
        "lane_of": list(range(len(lanes.labels))),
        "complete": list(range(len(lanes.labels))) if choice.all else sorted(whole),
        "cells": _cells(bins.cells(_CELLS)),
    }
    return group, lane


def _cells(cells: Cells) -> dict[str, Any]:
    """Returns the bins that are not empty as data for the scripts: columns in base64."""
    return {
        "bins": cells.bins,
        "lane": columns.whole(cells.lane),
        "kind": columns.whole(cells.kind),
        "bin": columns.whole(cells.bin),
        "count": columns.whole(cells.count),
        "bytes": columns.real(cells.bytes),
        "busy": columns.real(cells.busy),
    }


def _transfers(context: Context, found: Transfers, survey_of: Survey) -> dict[str, Any]:
    """Returns the transfers that are shown individually, as columns. Ranks and files are indices
    into lists that are also returned."""
    ranks, rank = np.unique(found.rank, return_inverse=True)
    files, file = np.unique(found.file, return_inverse=True)
    by_time = sorted(
        range(len(files)), key=lambda p: (-survey_of.files[int(files[p])].time, int(files[p]))
    )
    named = set(by_time[:_NAMED])
    return {
        "start": columns.real(found.start, exact=True),
        "seconds": columns.real(found.seconds),
        "offset": columns.whole(found.offset),
        "length": columns.whole(found.length),
        "rank": columns.whole(rank),
        "file": columns.whole(file),
        "kind": columns.whole(found.kind),
        "ranks": [int(r) for r in ranks],
        "files": [name_of(context, int(f)) if p in named else "" for p, f in enumerate(files)],
        "rank_ids": [int(r) for r in ranks],
        "file_ids": [int(f) for f in files],
    }


def _listed(words: Sequence[str], things: str) -> str:
    if len(words) == 1:
        return f"{things[:-1]} {words[0]}"
    shown = ", ".join(words[:_LISTED])
    more = f" and {len(words) - _LISTED:,} more" if len(words) > _LISTED else ""
    return f"{things} {shown}{more}"


def _sentence(context: Context, found: Survey, choice: Choice, shown: int) -> str:
    """Returns a sentence on which transfers are shown individually. shown: their number."""
    if choice.all:
        return f"All {plural(found.segments, 'traced transfer')} are shown one by one."
    which = []
    if choice.ranks:
        which.append("of " + _listed([f"{r}" for r in sorted(choice.ranks)], "ranks"))
    if choice.files:
        order = sorted(choice.files, key=lambda i: (-found.files[i].time, i))
        names = [name_of(context, i).rpartition("/")[2][-40:] for i in order[:_LISTED]]
        names += [""] * (len(order) - len(names))
        which.append("of " + _listed(names, "files"))
    number = int(choice.intervals.sum())
    if number:
        part = f"{plural(number, 'interval')} of {INTERVALS:,}"
        which.append(f"in the {part} with the most time in transfers (marked above the lanes)")
    which.append(f"and the {LONGEST:,} longest")
    return (
        f"{found.segments:,} transfers were traced; {shown:,} are shown one by one: those "
        f"{', '.join(which)}. The others are sums over time: the height of a bar is the part of "
        "that time that was spent in transfers."
    )


def _complete(lanes: Lanes, chosen: frozenset[int], everybody: Iterable[int]) -> list[int]:
    """Returns the lanes all of whose ranks or files are in `chosen`. everybody: all ranks or
    files."""
    missing = {lanes.of(key) for key in everybody if key not in chosen}
    return sorted({lanes.of(key) for key in chosen} - missing)


def _traced(context: Context, ids: Sequence[int]) -> tuple[dict[str, Any], Traced]:
    """Returns the data of the timeline from DXT traces, and the bytes over time for the diagram on
    the first screen. ids: record ids of files, the costliest first."""
    found = survey(context.log, context.run_time)
    choice = choose(found)
    ranks = rank_lanes(context, list(found.ranks))
    files, shown_files = file_lanes(context, found, ids)
    by_rank = LaneBins(len(ranks.labels), KINDS, found.end)
    by_file = LaneBins(len(files.labels), KINDS, found.end)
    collector = Collector()
    for part in parts(context.log):
        columns_of = (part.start, part.end, part.length)
        by_rank.add(ranks.of(part.rank), part.kind, *columns_of)
        by_file.add(files.of(part.file), part.kind, *columns_of)
        collector.add(part, *wanted(found, choice, part))
    transfers = collector.transfers()
    single = _transfers(context, transfers, found)
    threads = _thread_group(context, found, choice, transfers)
    if threads:
        single["thread"] = columns.whole(threads[1])
    rank_ids, file_ids = single.pop("rank_ids"), single.pop("file_ids")
    rank_cells = by_rank.cells(_CELLS)
    sentence = _sentence(context, found, choice, len(transfers))
    if any(r.partial for r in context.info.regions if r.name in _MODULES):
        sentence += " Memory for traces ran out: later transfers are missing."
    made: dict[str, Any] = {
        "end": found.end,
        "measure": "busy",
        "kinds": _DXT_KINDS,
        "layers": [_DXT_KINDS[2 * place][0] for place in sorted(found.modules)],
        "sentence": sentence,
        "single": single,
        "intervals": columns.whole(choice.intervals.astype("i8")) if not choice.all else None,
        "groups": [
            {
                "key": "rank",
                "title": "processes" if context.tree else "ranks",
                "lanes": ranks.labels,
                "lane_of": [ranks.of(r) for r in rank_ids],
                "complete": _complete(ranks, choice.ranks, found.ranks),
                "cells": _cells(rank_cells),
            },
            {
                "key": "file",
                "title": "files",
                "lanes": files.labels,
                "lane_of": [files.of(f) for f in file_ids],
                "complete": _complete(files, choice.files, found.files),
                "cells": _cells(by_file.cells(_CELLS)),
                "spans": _spans(context, files, shown_files),
            },
        ],
    }
    if threads:
        made["groups"].append(threads[0])
    layers = list(dict.fromkeys(layer for layer, _ in _DXT_KINDS))
    return made, Traced(layers, ranks.labels, found.end, rank_cells)


def _spans(context: Context, lanes: Lanes, shown: Sequence[int]) -> list[list[Any]]:
    """Returns [lane, layer, kind, from, to] for each file with a lane. The times are those of its
    records, in seconds since the start of the run."""
    wanted_ids = np.array(sorted(shown), "u8")
    found: list[list[Any]] = []
    for figures in context.figures:
        layer = figures.layer
        if layer.module in ("H5D", "PNETCDF_VAR", "DAOS"):
            continue
        records = context.log.records(layer.module)
        places = np.flatnonzero(np.isin(records.ids, wanted_ids))
        for kind, (start, end) in of_records(records, layer).items():
            least: dict[int, tuple[float, float]] = {}
            for p in places[end[places] >= 0]:
                lane = lanes.of(int(records.ids[p]))
                old = least.get(lane, (np.inf, 0.0))
                least[lane] = (min(old[0], float(start[p])), max(old[1], float(end[p])))
            found += [
                [lane, layer.title, kind, round(a, 6), round(b, 6)]
                for lane, (a, b) in sorted(least.items())
            ]
    return found


def _heat_cells(context: Context) -> dict[str, Any] | None:
    """Returns the bytes that each rank read and wrote over time, from the heat maps; None if the
    log has none."""
    titles = {x.prefix: x.title for x in LAYERS}
    maps = []
    for record in heat_maps(context.log):
        name = context.log.name(record.id) or ""
        usable = np.isfinite(record.bin_width) and record.bin_width > 0 and len(record.read)
        if name.startswith("heatmap:") and usable and 0 <= record.rank < context.nprocs:
            prefix = name.partition(":")[2]
            maps.append((titles.get(prefix, prefix), record))
    if not maps:
        return None
    width = max(r.bin_width for _, r in maps)
    layers = list(dict.fromkeys(title for title, _ in maps))
    lanes = rank_lanes(context, sorted({r.rank for _, r in maps}))
    bins = min(max(len(r.read) for _, r in maps), 4096)
    kinds = [(layer, op) for layer in layers for op in ("write", "read")]
    sums = np.zeros((len(lanes.labels), len(kinds), bins))
    for title, record in maps:
        if record.bin_width != width:
            continue
        count = min(len(record.read), bins)
        for op, values in enumerate((record.write, record.read)):
            row = 2 * layers.index(title) + op
            sums[lanes.of(record.rank), row, :count] += values[:count].clip(0)
    lane, kind, place = np.nonzero(sums)
    return {
        "end": width * bins,
        "measure": "bytes",
        "kinds": kinds,
        "layers": layers,
        "group": {
            "key": "rank",
            "title": "processes" if context.tree else "ranks",
            "lanes": lanes.labels,
            "cells": {
                "bins": bins,
                "lane": columns.whole(lane),
                "kind": columns.whole(kind),
                "bin": columns.whole(place),
                "bytes": columns.real(sums[lane, kind, place]),
            },
        },
    }


def _untraced(context: Context, ids: Sequence[int]) -> dict[str, Any] | None:
    """Returns the timeline of a log without traces; None if the log lacks the data. Ranks come from
    heat maps, files from the first and last times in their records. ids: record ids of files, the
    costliest first."""
    heat = _heat_cells(context)
    files, shown = file_lanes(context, None, ids)
    spans = _spans(context, files, shown)
    if heat is None and not spans:
        return None
    groups = [heat["group"]] if heat else []
    if spans:
        groups.append(
            {"key": "file", "title": "files", "lanes": files.labels, "cells": None, "spans": spans}
        )
    ends = [heat["end"] if heat and context.run_time <= 0 else 0.0, context.run_time]
    ends += [span[4] for span in spans]
    sentence = "Single transfers were not traced (DXT_ENABLE_IO_TRACE=1 does that)."
    if heat:
        sentence += " Ranks: bytes in steps of the heat maps, as tall as their logarithm."
    if spans:
        sentence += " Files: from the first to the last call of a kind; pauses are not shown."
    return {
        "end": max(ends) or 1.0,
        "measure": "bytes",
        "kinds": heat["kinds"] if heat else [],
        "layers": heat["layers"] if heat else [],
        "cells_end": heat["end"] if heat else 0.0,
        "sentence": sentence,
        "groups": groups,
    }


def timeline(context: Context, ids: Sequence[int]) -> tuple[dict[str, Any] | None, Traced | None]:
    """Returns the data of the timeline, and the bytes over time of traces for the first screen's
    diagram. Each is None if the log lacks it. ids: record ids of files, the costliest first. Damage
    is added to context.damaged."""
    made, traced = _lanes(context, ids)
    if made is not None:
        made["marks"], sentence = marks(context)
        made["sentence"] += sentence
    return made, traced


def _lanes(context: Context, ids: Sequence[int]) -> tuple[dict[str, Any] | None, Traced | None]:
    """Returns the data of the timeline, and the bytes of traced transfers. The first is None if the
    log has neither traces nor heat maps, or damaged ones; the second, if it has no usable
    traces."""
    if any(region.length for region in context.info.regions if region.name in _MODULES):
        try:
            made, traced = _traced(context, ids)
            if made["single"]["files"]:
                return made, traced
        except LogError as error:
            context.damaged.append(("DXT", str(error)))
    try:
        return _untraced(context, ids), None
    except LogError as error:
        context.damaged.append(("HEATMAP", str(error)))
        return None, None
