"""Records that vary in size: heat maps, traces, Lustre layouts.

The layouts follow runtime/format/records.h. Tests compare their sizes with those of the C
compiler."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .classes import dataclass
from .library import LogError, text
from .log import Log
from .tables import module_by_name

HEATMAP_HEAD = np.dtype(
    [("id", "u8"), ("rank", "i8"), ("bin_width", "f8"), ("nbins", "i8"), ("undefined", "u8", 2)]
)
DXT_HEAD = np.dtype(
    [
        ("id", "u8"),
        ("rank", "i8"),
        ("shared_record", "i8"),
        ("hostname", "S64"),
        ("write_count", "i8"),
        ("read_count", "i8"),
    ]
)
DXT_SEGMENT = np.dtype(
    [
        ("offset", "i8"),
        ("length", "i8"),
        ("start_time", "f8"),
        ("end_time", "f8"),
        ("pthread_id", "u8"),
    ]
)
LUSTRE_HEAD = np.dtype([("id", "u8"), ("rank", "i8"), ("num_comps", "i8"), ("num_stripes", "i8")])


@dataclass(frozen=True, eq=False)
class HeatMap:
    """The bytes that one rank read and wrote in one layer, for each time bin; the first bin begins
    at the start of the run. The layer is in the record's name ("heatmap:POSIX")."""

    id: int  # record id
    rank: int
    bin_width: float  # seconds
    read: npt.NDArray[np.int64]
    write: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trace:
    """All traced transfers of one rank with one file. Elements of the arrays have the fields of
    DXT_SEGMENT."""

    id: int
    rank: int
    hostname: str
    writes: np.ndarray
    reads: np.ndarray


@dataclass(frozen=True, eq=False)
class Layout:
    """The stripes of one file on Lustre: its components and their storage targets (OSTs)."""

    id: int
    rank: int
    components: np.ndarray  # a column per counter of modules/lustre/lustre.def, and pool_name
    osts: npt.NDArray[np.int64]


def _part(record: bytes | memoryview, layout: np.dtype, count: int, offset: int) -> np.ndarray:
    if count < 0 or offset + count * layout.itemsize > len(record):
        raise LogError("corrupt data: a record ends early")
    return np.frombuffer(record, layout, count, offset)


def heat_maps(log: Log, module: str = "HEATMAP") -> Iterator[HeatMap]:
    """Yields the records of HEATMAP, MPIWAIT or TRAINING_TIME. Instead of bytes written and bytes
    read, records of MPIWAIT have nanoseconds of waiting in collective calls and in other calls.
    Records of TRAINING_TIME have milliseconds: the whole of a kind of time, and a part of it."""
    cell = np.dtype("i8")
    for record in log.each(module):
        head = _part(record, HEATMAP_HEAD, 1, 0)[0]
        bins, first = int(head["nbins"]), HEATMAP_HEAD.itemsize
        write = _part(record, cell, bins, first)
        read = _part(record, cell, bins, first + bins * cell.itemsize)
        yield HeatMap(
            int(head["id"]), int(head["rank"]), float(head["bin_width"]), read=read, write=write
        )


def _trace(record: bytes | memoryview) -> Trace:
    head = _part(record, DXT_HEAD, 1, 0)[0]
    writes = _part(record, DXT_SEGMENT, int(head["write_count"]), DXT_HEAD.itemsize)
    reads = _part(record, DXT_SEGMENT, int(head["read_count"]), DXT_HEAD.itemsize + writes.nbytes)
    host = text(head["hostname"])
    return Trace(int(head["id"]), int(head["rank"]), host, writes=writes, reads=reads)


def traces(log: Log, module: str) -> Iterator[Trace]:
    """Returns the records of a trace module, DXT_POSIX or DXT_MPIIO, one after another. Raises
    LogError if they are damaged."""
    return map(_trace, log.each(module))


def traces_in_place(log: Log, module: str) -> Iterator[Trace]:
    """Yields the same traces as traces(), without copies: a trace is valid only until the next one
    is requested."""
    return map(_trace, log.each_in_place(module))


def lustre_component() -> np.dtype:
    """Returns the numpy layout of one component of a LUSTRE record. Raises LogError if the library
    does not know the module."""
    module = module_by_name("LUSTRE")
    if module is None:
        raise LogError("the library does not know the module LUSTRE")
    return np.dtype([(c.name, "i8") for c in module.counters] + [("pool_name", "S16")])


def layouts(log: Log) -> Iterator[Layout]:
    """Yields the LUSTRE records of a log, one per file; none if it has no such records. Raises
    LogError if they are damaged."""
    component = lustre_component()
    for record in log.each("LUSTRE"):
        head = _part(record, LUSTRE_HEAD, 1, 0)[0]
        comps = _part(record, component, int(head["num_comps"]), LUSTRE_HEAD.itemsize)
        osts = _part(
            record,
            np.dtype("i8"),
            int(head["num_stripes"]),
            LUSTRE_HEAD.itemsize + comps.nbytes,
        )
        yield Layout(int(head["id"]), int(head["rank"]), comps, osts)
