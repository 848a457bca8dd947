"""Finds programs whose runs became slower than their own history explains: `darshan ask LAKE
changes`."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...classes import dataclass
from ...units import amount, plural, time_spent
from .engine import Asked
from .ready.question import IO, Question
from .ready.questions import CHANGES, Filters, query
from .results import exact
from .slower import LEAST, Floats, Slower, slower

TITLE = "programs whose runs became slower than their own history explains (--since)"
CHANGED = 1  # exit status, like that of darshan compare
_BEFORE = datetime.timedelta(days=400)  # of history that is read
_SMALLEST = 1 << 20  # bytes: runs that move less are of one size
_STEP, _WIDTH = 0.25, 1.0  # of logarithms to base 2, between sizes and within one
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_RUNS = Question(
    CHANGES,
    TITLE,
    f"""SELECT "user", program, coalesce(processes, nprocs, 1) AS processes, log,
  unix_micros(started) / 1e6 AS moment,
  CAST(coalesce(bytes_read, 0) AS DOUBLE) + coalesce(bytes_written, 0) AS moved,
  CAST({IO} AS DOUBLE) AS io_seconds, run_seconds
FROM {{jobs}} WHERE started IS NOT NULL AND run_seconds IS NOT NULL
ORDER BY "user", program, processes, moment, log""",
)
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Change:
    """A program of one user whose runs became slower: the slow runs, which moved about as many
    bytes as the earlier ones, since when, and how much slower they are."""

    user: str
    program: str
    processes: int  # of each run
    bytes_least: float  # moved by the smallest of its runs of this size
    bytes_most: float  # by the largest
    what: str  # I/O time, or run time
    since: datetime.datetime  # when the first slow run began
    last: datetime.datetime  # when the last one began
    log: str  # of the first slow run, as in the column log
    slower: Slower  # the numbers of the slow runs
    run_ratio: float | None = None  # of the run times, if both times are slower

    @property
    def lost(self) -> float:
        """The seconds by which the slow runs exceed the usual time, summed over these runs."""
        return self.slower.runs * (self.slower.seconds - self.slower.usual)

    @property
    def says(self) -> str:
        """The change as one line of text."""
        one = self.slower
        of = f"{self.program or '(no name)'} of {self.user}, {plural(self.processes, 'process')}"
        also = f"; run time {self.run_ratio:.1f} times" if self.run_ratio else ""
        return (
            f"{of}, {_sizes(self.bytes_least, self.bytes_most)}: {self.what} {one.ratio:.1f} times "
            f"that of {one.history} runs before ({one.low:.1f} to {one.high:.1f}), "
            f"{time_spent(one.seconds)} instead of {time_spent(one.usual)}{also}; "
            f"{plural(one.runs, 'run')} since {self.since:%Y-%m-%d %H:%M}"
        )


def _sizes(least: float, most: float) -> str:
    low, high = amount(least), amount(most)
    return low if low == high else f"{low} to {high}"


def sizes(moved: Floats) -> Places:
    """Divides runs into groups of similar size and returns the number of each run's group, from 0
    on. Groups are separated at gaps between the sizes, so that the usual differences between a
    program's runs do not separate them. A group whose sizes differ by more than a factor of 2 is
    divided at powers of 2. Runs of less than 1 MiB count as equal. moved: bytes of each run."""
    logarithms = np.log2(np.maximum(moved, _SMALLEST))
    order = np.argsort(logarithms, kind="stable")
    ordered = logarithms[order]
    groups = np.concatenate([[0], np.cumsum(np.diff(ordered) > _STEP)])
    found = np.zeros(len(moved), "i8")
    number = 0
    for group in np.split(np.arange(len(moved)), np.flatnonzero(np.diff(groups)) + 1):
        inside = ordered[group]
        parts = np.floor(inside) if inside[-1] - inside[0] > _WIDTH else np.zeros(len(group))
        for part in np.unique(parts):
            found[order[group[parts == part]]] = number
            number += 1
    return found


class _Runs:
    """The runs of a lake as columns, ordered by program and number of processes."""

    def __init__(self, table: pa.Table, since: float, least: int) -> None:
        """table: result of the query for runs. since: seconds since 1970, from which on changes are
        listed. least: number of earlier runs that a program must have."""
        self._table = table
        self.since, self.least = since, least
        self.moments, self.moved, self.io, self.run = (
            table[name].to_numpy(zero_copy_only=False).astype("f8")
            for name in ("moment", "moved", "io_seconds", "run_seconds")
        )
        codes = [
            table[name].combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy()
            for name in ("user", "program")
        ]
        codes.append(table["processes"].to_numpy())
        self._new = np.zeros(len(table), bool)
        for code in codes:
            self._new[1:] |= code[1:] != code[:-1]

    def groups(self) -> Iterator[Places]:
        """Yields the indices of a program's runs of similar size, in order of time. A program means
        here a program of one user with one number of processes; it is left out if its last run
        began before `since`."""
        for group in np.split(np.arange(len(self._new)), np.flatnonzero(self._new)):
            if not len(group) or self.moments[group[-1]] < self.since:
                continue
            size = sizes(self.moved[group])
            for number in range(int(size.max()) + 1):
                yield group[size == number]

    def value(self, name: str, row: int) -> Any:
        """Returns the value of the column `name` for a run."""
        return exact.values(self._table[name].slice(int(row), 1))[0]


def _of_series(runs: _Runs, group: Places, what: str, seconds: Floats) -> list[Change]:
    """Returns the changes of one time of runs within a group of similar size. what: name of the
    time. seconds: this time, for each run of the lake; runs whose time is unknown or 0 do not
    count, and without other runs there is no change."""
    known = group[np.isfinite(seconds[group]) & (seconds[group] > 0)]
    if not len(known):
        return []
    moved = runs.moved[known]
    found = []
    for one in slower(runs.moments[known], seconds[known], runs.since, runs.least):
        row, last = int(known[one.first]), int(known[one.end - 1])
        found.append(Change(
            runs.value("user", row) or "", runs.value("program", row) or "",
            int(runs.value("processes", row)), float(moved.min()), float(moved.max()), what,
            _moment(runs.moments[row]), _moment(runs.moments[last]), runs.value("log", row), one,
        ))  # fmt: skip
    return found


def _moment(seconds: float) -> datetime.datetime:
    return _EPOCH + datetime.timedelta(seconds=float(seconds))


def _of_group(runs: _Runs, group: Places) -> list[Change]:
    """Returns the changes within a group of runs of similar size. If both I/O time and run time
    became slower, they are one change."""
    found = _of_series(runs, group, "I/O time", runs.io)
    for run in _of_series(runs, group, "run time", runs.run):
        for place, io in enumerate(found):
            if io.run_ratio is None and io.since <= run.last and run.since <= io.last:
                found[place] = replace(io, run_ratio=run.slower.ratio)
                break
        else:
            found.append(run)
    return found


def changes(
    lake: Asked, since: datetime.date, filters: Filters | None = None, least: int = LEAST
) -> list[Change]:
    """Returns the changes that were noticed with runs since a day, the costliest first. lake: an
    open one. filters: select the jobs (not by day); None: all jobs. least: number of earlier runs
    that a program must have. Raises LakeError if the query fails."""
    given = filters or Filters()
    first = max(since, datetime.date.min + _BEFORE) - _BEFORE
    midnight = datetime.datetime.combine(since, datetime.time(), datetime.timezone.utc)
    rows = lake.sql(*query(_RUNS, replace(given, since=first.isoformat()), {})).arrow()
    runs = _Runs(rows, (midnight - _EPOCH).total_seconds(), least)
    found = [change for group in runs.groups() for change in _of_group(runs, group)]
    return sorted(found, key=lambda one: (-one.lost, one.says))


COLUMNS: tuple[tuple[str, pa.DataType, Callable[[Change], Any]], ...] = (
    ("program", pa.string(), lambda one: one.program),
    ("user", pa.string(), lambda one: one.user),
    ("processes", pa.int64(), lambda one: one.processes),
    ("bytes_least", pa.float64(), lambda one: one.bytes_least),
    ("bytes_most", pa.float64(), lambda one: one.bytes_most),
    ("what", pa.string(), lambda one: one.what),
    ("since", pa.timestamp("us", tz="UTC"), lambda one: one.since),
    ("last", pa.timestamp("us", tz="UTC"), lambda one: one.last),
    ("log", pa.string(), lambda one: one.log),
    ("runs", pa.int64(), lambda one: one.slower.runs),
    ("runs_before", pa.int64(), lambda one: one.slower.history),
    ("seconds_before", pa.float64(), lambda one: one.slower.usual),
    ("spread_before", pa.float64(), lambda one: one.slower.spread),
    ("seconds", pa.float64(), lambda one: one.slower.seconds),
    ("ratio", pa.float64(), lambda one: one.slower.ratio),
    ("ratio_low", pa.float64(), lambda one: one.slower.low),
    ("ratio_high", pa.float64(), lambda one: one.slower.high),
    ("run_time_ratio", pa.float64(), lambda one: one.run_ratio),
    ("lost_seconds", pa.float64(), lambda one: one.lost),
    ("says", pa.string(), lambda one: one.says),
)


def table(found: list[Change]) -> pa.Table:
    """Returns the changes as an Arrow table with the columns COLUMNS, a row per change."""
    return pa.table(
        [pa.array([value(one) for one in found], kind) for _, kind, value in COLUMNS],
        names=[name for name, *_ in COLUMNS],
    )
