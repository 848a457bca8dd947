"""Finds values that no program can have caused. They become null in the tables, and a row of the
table problems names them.

Otherwise one damaged or forged log would spoil the sums of all users. If a value of a record
becomes null, so does the log's total, because that total would be wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...classes import dataclass
from ..columns import NUMBER, WHOLE, Column, Table, unknown_is_null

RATE = 1 << 40  # bytes per second that one process can move at most
# Absolute limits of one value, for any number of processes and any time. Sums of several columns of
# a row, which the questions compute, fit into 64 bits.
MOST_BYTES, MOST_COUNT, MOST_SECONDS = 1 << 60, 1 << 48, 1e16
FIRST = 946_684_800  # 2000-01-01 in seconds since the epoch
_DAY = 86_400
_WORDS = "no program can have caused this value: "
NEGATIVE = f"{_WORDS}it is negative"
INFINITE = f"{_WORDS}it is not a finite number"
LARGE = f"{_WORDS}it is too large"
FAST = f"{_WORDS}more bytes than its processes can move in its time"
MOMENT = f"{_WORDS}the time is not between the year 2000 and tomorrow"
MOST_PROCESSES = 1 << 24  # that a log may claim
Note = Callable[[int, str, Any], None]  # row, reason, value


@dataclass
class Value:
    """The values of one counter in one log that became null: their number, and why the first one
    did."""

    why: str
    raw: str  # the first of these values
    number: int = 0


Values = dict[tuple[str, str], Value]  # by module and counter


def note(values: Values, module: str, counter: str, why: str, raw: Any) -> None:
    """Counts a value that becomes null because it is impossible. values: to which it is added.
    Stores the first such value of each counter, with the reason. raw: the value."""
    values.setdefault((module, counter), Value(why, str(raw))).number += 1


def is_moment(seconds: int) -> bool:
    """Returns whether a job can have begun or ended at this time, in seconds since 1970."""
    return FIRST <= seconds <= time.time() + _DAY


def is_span(seconds: float) -> bool:
    """Returns whether a job can have run for this many seconds."""
    return math.isfinite(seconds) and 0 <= seconds <= time.time() + _DAY - FIRST


def most_bytes(processes: int, run_seconds: float, rate: int) -> int:
    """Returns the largest number of bytes that a job can have moved. If its run time is unknown,
    only a general limit applies. rate: largest bytes per second of a process."""
    if not is_span(run_seconds):
        return MOST_BYTES
    return min(MOST_BYTES, int(rate * max(1, processes) * max(1.0, run_seconds)))


def _limit(column: Column) -> float:
    if column.unit == "bytes":
        return MOST_BYTES
    return MOST_SECONDS if column.type == NUMBER else MOST_COUNT


def _is_bounded(column: Column) -> bool:
    """Returns whether values of a column have an upper bound, because they are sums or counts. A
    largest or common value, such as a stride, may be anything that a program requested."""
    added = column.rule.startswith("sum") or column.unit == "count"
    return column.type in (WHOLE, NUMBER) and added


def lacks(array: np.ndarray, column: Column, processes: np.ndarray) -> np.ndarray:
    """Returns a mask of the values that mean "not recorded". A process writes -1, and MPI's
    reduction adds these values for a shared file: four ranks of Darshan 3.1 leave -4. processes:
    number of processes in the log of each value."""
    if not (_is_bounded(column) and unknown_is_null(column)):
        return np.zeros(len(array), bool)
    least = -np.clip(processes, 1, MOST_PROCESSES)
    with np.errstate(invalid="ignore"):
        found: np.ndarray = (array < 0) & (array >= least) & (np.floor(array) == array)
        return found


def of_array(
    array: np.ndarray, column: Column, most: np.ndarray, unknown: np.ndarray, add: Note
) -> np.ndarray | None:
    """Returns a mask of the values of a counter that become null; None if none does. most: the
    largest possible bytes, for each row. unknown: the mask of lacks(), which the result includes.
    add: called for each impossible value."""
    whole = array.dtype.kind == "i"
    if not len(array) or not (whole or array.dtype.kind == "f"):
        return None
    bounded = _is_bounded(column)
    of_time = column.unit.startswith("seconds")
    low = array.min()
    if whole and not bounded:
        return None
    limit = int(most.min()) if column.unit == "bytes" else _limit(column)
    high = array.max()
    if low >= 0 and math.isfinite(high) and (not bounded or high <= limit):
        return None
    tests: list[tuple[str, np.ndarray]] = []
    if not whole:
        tests.append((INFINITE, ~np.isfinite(array)))
    if bounded or of_time:
        known = ~unknown & ~((array == -1) & unknown_is_null(column))
        tests.append((NEGATIVE, (array < 0) & known))
    if bounded:
        tests.append((LARGE, array > _limit(column)))
    if bounded and column.unit == "bytes":
        tests.append((FAST, array > most))
    found = unknown.copy()
    for why, mask in tests:
        for row in np.flatnonzero(mask & ~found).tolist():
            add(row, why, array[row].item())
        found |= mask
    return found if found.any() else None


def _why(value: float, column: Column, most: int) -> str:
    if not math.isfinite(value):
        return INFINITE
    if value < 0:
        return NEGATIVE
    if column.unit == "bytes" and value > most:
        return FAST
    return LARGE if value > _limit(column) else ""


def of_row(
    table: Table, row: dict[str, Any], most: int, values: Values | None = None
) -> dict[str, Any]:
    """Returns a copy of a row in which impossible numbers are null. most: the largest possible
    number of bytes. values: to which the impossible numbers are added, if given."""
    made = dict(row)
    for column in table.columns:
        value = made.get(column.name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if column.unit not in ("bytes", "count", "seconds"):
            continue
        # the size of the log's file is a fact
        why = "" if column.name == "log_bytes" else _why(value, column, most)
        if why:
            made[column.name] = None
            if values is not None:
                note(values, "", f"{table.name}.{column.name}", why, value)
    return made
