"""Converts traced transfers to the JSON that Perfetto and chrome://tracing read (Trace Event
Format).

Times are microseconds since the start of the run with three decimals, which are whole nanoseconds,
so that consecutive events stay consecutive. In the viewer a rank is a process. A layer is one or
more of its threads: transfers that overlap are in different threads. Process and thread numbers
begin at 1, because 0 is the idle process in traces of systems. No thread number is used twice."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from ..classes import dataclass
from ..library import LogError
from ..log import Log
from ..measure.processes.processes import processes
from ..measure.traces.chosen_transfers import Part, parts
from ..show.text import visible
from .tracks import tracks

_LAYERS = ("POSIX", "MPI-IO")  # in the order of MODULES
_COLOURS = {"read": "thread_state_running", "write": "thread_state_iowait"}
_AT_ONCE = 1 << 14  # number of events that are converted to Python numbers at once


@dataclass(frozen=True, eq=False)
class Events:
    """All transfers of a log as columns, one element of each array per transfer, ordered by their
    starts."""

    start: np.ndarray  # nanoseconds since the start of the run
    length: np.ndarray  # nanoseconds
    rank: np.ndarray
    file: np.ndarray  # record id
    kind: np.ndarray  # 2 * index of the layer, plus 1 for a read
    offset: np.ndarray  # in the file, in bytes
    size: np.ndarray  # bytes
    thread: np.ndarray  # index in threads

    # Threads of the viewer: rank, index of the layer, and row; events of a row do not overlap.
    threads: list[tuple[int, int, int]]


def _columns(part: Part) -> tuple[np.ndarray, ...]:
    number = len(part.start)
    start, end = (np.rint(times * 1e9).astype("i8") for times in (part.start, part.end))
    return (
        start, end - start, np.full(number, part.rank), np.full(number, part.file, "u8"),
        np.full(number, part.kind, "i1"), part.offset.astype("i8"), part.length.astype("i8"),
    )  # fmt: skip


def events(log: Log) -> Events:
    """Returns all traced transfers; raises LogError if there are none."""
    found = [_columns(part) for part in parts(log)]
    if not found:
        raise LogError("contains no traces; record them with DXT_ENABLE_IO_TRACE=1")
    columns = [np.concatenate(column) for column in zip(*found)]
    found.clear()
    # Events are in the order of their starts. If starts are equal, the longest event is first,
    # because it contains the others.
    order = np.lexsort((-columns[1], columns[0]))
    start, length, rank, file, kind, offset, size = (column[order] for column in columns)
    layer = kind // 2
    thread = np.zeros(len(start), "i4")
    threads: list[tuple[int, int, int]] = []
    by_track = np.lexsort((np.arange(len(start)), -layer, rank))
    edges = np.flatnonzero(np.diff(rank[by_track]) | np.diff(layer[by_track])) + 1
    for some in np.split(by_track, edges):
        row = tracks(start[some], start[some] + length[some])
        thread[some] = len(threads) + row
        one = (int(rank[some[0]]), int(layer[some[0]]))
        threads += [(*one, number) for number in range(int(row.max()) + 1)]
    return Events(start, length, rank, file, kind, offset, size, thread, threads)


def _name(log: Log, number: int) -> str:
    return visible(log.name(number) or f"(no name, id {number})")


def _metadata(log: Log, found: Events) -> Iterator[str]:
    """Yields the events that give the viewer's processes (ranks) and threads (layers) their
    names."""
    tree = processes(log)
    programs = {}
    if tree is not None and len(tree) > 1:
        programs = {int(r): visible(p.name) for r, p in zip(tree.ranks, tree.programs)}

    def event(what: str, pid: int, tid: int, **arguments: object) -> str:
        return json.dumps({"name": what, "ph": "M", "pid": pid, "tid": tid, "args": arguments})

    for rank in dict.fromkeys(rank for rank, _, _ in found.threads):
        own = programs.get(rank)
        title = f"rank {rank}" + (f": {own}" if own else "")
        yield event("process_name", rank + 1, 0, name=title)
        yield event("process_sort_index", rank + 1, 0, sort_index=rank)
    for place, (rank, layer, row) in enumerate(found.threads, 1):
        title = _LAYERS[layer] + (f" {row + 1}" if row else "")
        yield event("thread_name", rank + 1, place, name=title)
        yield event("thread_sort_index", rank + 1, place, sort_index=place)


def _rows(found: Events) -> Iterator[tuple[int, ...]]:
    columns = (found.start, found.length, found.rank, found.thread, found.kind, found.file,
               found.offset, found.size)  # fmt: skip
    for first in range(0, len(found.start), _AT_ONCE):
        yield from zip(*(column[first : first + _AT_ONCE].tolist() for column in columns))


def lines(log: Log) -> Iterator[str]:
    """Yields the lines of the JSON file, each with its line end. Raises LogError if the log has no
    traces or they are damaged."""
    found = events(log)
    names = {int(n): json.dumps(_name(log, int(n))) for n in np.unique(found.file)}
    short = {n: json.dumps(json.loads(text).rpartition("/")[2]) for n, text in names.items()}
    sorts = [(layer, way) for layer in _LAYERS for way in ("write", "read")]
    about = {"log": visible(log.path), "command": visible(log.info.exe), "by": "darshan trace"}
    yield f'{{"displayTimeUnit":"ms","otherData":{json.dumps(about)},"traceEvents":[\n'
    yield ",\n".join(_metadata(log, found))
    for start, length, rank, thread, kind, file, offset, size in _rows(found):
        layer, way = sorts[kind]
        yield (
            f',\n{{"name":{short[file]},"cat":"{layer},{way}","ph":"X","ts":{_micro(start)},'
            f'"dur":{_micro(length)},"pid":{rank + 1},"tid":{thread + 1},'
            f'"cname":"{_COLOURS[way]}","args":{{"operation":"{way}","file":{names[file]},'
            f'"offset":{offset},"size":{size}}}}}'
        )
    yield "\n]}\n"


def _micro(nanoseconds: int) -> str:
    whole, rest = divmod(nanoseconds, 1000)
    return f"{whole}.{rest:03d}"
