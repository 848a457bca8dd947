"""MPI communication, from the records of the module APMPI: calls, their time, and the ranks."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from ... import library
from ...classes import dataclass
from ...log import Log

_MAGIC = 0x41504D5049  # third 64-bit word of the first record of APMPI; runtime/format/apmpi.h
_SIZED = 8  # counters of a call whose bytes are counted
_SYNC_TIMES = 16


@dataclass(frozen=True)
class Call:
    """The calls of one MPI function by all ranks: number, bytes, seconds, and the longest call."""

    name: str  # MPI_Allreduce
    calls: int
    bytes: int | None  # None: not counted for this call
    seconds: float  # summed over ranks
    longest: float  # seconds of the longest call


@dataclass(frozen=True)
class Talk:
    """All MPI communication of a job. least, most: number of the rank with the least or most time
    in MPI calls, and its seconds."""

    calls: tuple[Call, ...]  # calls, ordered by time, longest first
    ranks: tuple[int, ...]  # ranks that counted calls
    seconds: float  # in MPI calls, summed over ranks
    least: tuple[int, float]
    most: tuple[int, float]
    # Lower bound of the seconds in which ranks waited for others; None: unknown.
    waiting: float | None
    is_measured: bool  # waiting was measured by barriers before collective calls


def _names() -> tuple[list[str], list[bool]]:
    """Returns the names of a record's calls in their order, and for each whether its bytes are
    counted."""
    functions, sized = library.load(), ctypes.c_int()
    names: list[str] = []
    with_bytes: list[bool] = []
    while name := functions.darshan_apmpi_call(len(names), ctypes.byref(sized)):
        names.append(name.decode())
        with_bytes.append(bool(sized.value))
    return names, with_bytes


def _needs_all(name: str) -> bool:
    """Returns whether a rank can leave a collective call of this name only after every rank has
    entered it."""
    return name == "BARRIER" or name.startswith("ALL") or name == "REDUCE_SCATTER"


def _waiting(
    names: list[str], counts: npt.NDArray[np.uint64], seconds: npt.NDArray[np.float64]
) -> float | None:
    """Returns a lower bound of the time in which ranks waited for others, in seconds, summed over
    ranks; None for a single rank. In each kind of collective call, the rank with the least time is
    assumed not to have waited. Only kinds that all ranks called equally often count, because other
    calls may have involved only some ranks. names: of the calls. counts, seconds: a row per rank, a
    column per name."""
    if len(counts) < 2:
        return None
    known = [
        float(np.sum(seconds[:, at] - seconds[:, at].min()))
        for at, name in enumerate(names)
        if _needs_all(name) and (counts[:, at] == counts[0, at]).all()
    ]
    return sum(known)


def _title(name: str) -> str:
    return "MPI_" + name[0] + name[1:].lower()


def talk_of(log: Log) -> Talk | None:
    """Returns the MPI communication of a log; None if it was not recorded."""
    region = log.info.region("APMPI")
    if region is None or region.length == 0:
        return None
    names, sized = _names()
    per_call = np.where(sized, _SIZED, 1)
    first = np.concatenate(([0], np.cumsum(per_call)[:-1]))
    layout = np.dtype(
        [
            ("id", "u8"),
            ("rank", "i8"),
            ("counters", "u8", int(per_call.sum())),
            ("times", "f8", (len(names), 3)),
            ("sync_times", "f8", _SYNC_TIMES),
            ("totals", "f8", 2),
            ("processor", "S128"),
        ]
    )
    found = [
        np.frombuffer(record, layout)[0]
        for record in log.each("APMPI")
        if len(record) == layout.itemsize
        and int.from_bytes(record[16:24], "little", signed=True) != _MAGIC
    ]
    if not found:
        return None
    counters = np.array([record["counters"] for record in found])
    times = np.nan_to_num(np.array([record["times"] for record in found]), posinf=0.0)
    counts, totals = counters[:, first], times[:, :, 0]
    calls = [
        Call(
            _title(name),
            int(counts[:, at].sum(dtype=object)),
            int(counters[:, first[at] + 1].sum(dtype=object)) if sized[at] else None,
            float(totals[:, at].sum()),
            float(times[:, at, 2].max()),
        )
        for at, name in enumerate(names)
        if counts[:, at].any()
    ]
    waits = np.nan_to_num(np.array([record["sync_times"] for record in found]), posinf=0.0)
    ranks = [int(record["rank"]) for record in found]
    of_ranks = totals.sum(axis=1)
    low, high = int(of_ranks.argmin()), int(of_ranks.argmax())
    return Talk(
        tuple(sorted(calls, key=lambda call: -call.seconds)),
        tuple(ranks),
        float(of_ranks.sum()),
        (ranks[low], float(of_ranks[low])),
        (ranks[high], float(of_ranks[high])),
        float(waits.sum()) if waits.any() else _waiting(names, counts, totals),
        bool(waits.any()),
    )
