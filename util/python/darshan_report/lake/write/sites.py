"""The rows for lines of code: the call sites of a log, summed by the user's line.

The records of a log are added while the library reads them, so no log is read twice. A log may have
any number of call sites, with names of any length. Therefore only the costliest call sites keep
their names; the sums of the others are in one row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...call_sites.lines import Line, are_hidden, lines_from
from ...call_sites.measured import FUNCTION, OBJECT, SITE, each_record, summed
from ...call_sites.stack import Native, object_of
from ...call_sites.symbols.objects import Objects
from ...call_sites.told import library_call
from ..columns import SITES
from ..read.batch import Texts
from . import impossible
from .jobs import Job

MODULE = "SITES"
LINES = 100  # rows of a log, for the lines with most time; one more row sums up all other lines
_STACKS = 2000  # number of stacks of a log, those with most time, whose lines are looked up
_KEPT = 8192  # largest number of sites of a log whose names are in memory
_NAMED = 8 << 20  # largest number of characters in these names
_LONGEST = 4095  # characters of a name: the runtime writes no more
_OBJECTS = 4096
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SUMS = 6  # columns of each_record()
Row = dict[str, Any]


class Sites:
    """The call sites of one log, of which only the costliest keep their names."""

    def __init__(self) -> None:
        self._sums: dict[int, npt.NDArray[np.float64]] = {}  # by the ids of records
        self._names: dict[int, str] = {}
        self._objects: set[str] = set()
        self._rest = np.zeros(_SUMS)  # of sites without a name
        self._others = 0  # their number

    def add(self, records: Mapping[str, np.ndarray], texts: Texts) -> None:
        """Adds records, given as columns by name. Keeps the names of the call sites with most time.
        texts: the strings that the columns index."""
        kinds, names, ids = records["SITES_KIND"], records["name"], records["id"]
        for place in np.flatnonzero(kinds == OBJECT)[:_OBJECTS].tolist():
            if len(self._objects) < _OBJECTS and len(name := texts[names[place]]) <= 2 * _LONGEST:
                self._objects.add(name)
        used = np.flatnonzero((kinds == SITE) | (kinds == FUNCTION))
        if not len(used):
            return
        rows = each_record(lambda name: records[name][used])
        distinct, first, which = np.unique(ids[used], return_index=True, return_inverse=True)
        sums = np.stack(
            [np.bincount(which, rows[:, n], len(distinct)) for n in range(_SUMS)], axis=1
        )
        for place in np.argsort(-sums[:, 0], kind="stable").tolist():
            if sums[place, 3]:
                self._add(int(distinct[place]), sums[place], texts, names[used[first[place]]])
        self._forget(_KEPT)

    def _add(self, number: int, sums: np.ndarray, texts: Texts, name: int) -> None:
        if number in self._sums:
            self._sums[number] += sums
        elif len(self._sums) < 2 * _KEPT and 0 < len(found := texts[name]) <= _LONGEST:
            self._sums[number], self._names[number] = sums, found
        else:
            self._rest += sums
            self._others += 1

    def _order(self) -> list[int]:
        return sorted(self._sums, key=lambda n: (-self._sums[n][0], self._names[n]))

    def _forget(self, most: int) -> None:
        """Keeps at most `most` call sites, those with most time, and adds up the others."""
        long = sum(map(len, self._names.values()))
        if len(self._sums) <= most and long <= _NAMED:
            return
        for place, number in enumerate(self._order()):
            long = len(self._names[number]) + (long if place else 0)
            if place >= most or long > _NAMED:
                self._rest += self._sums.pop(number)
                self._others += 1
                del self._names[number]

    def rows(self, job: Job, look_up: bool) -> list[Row]:
        """Returns the rows of the log for the table sites: its costliest lines, and one row for all
        others. look_up: whether to read the programs that the log names, for their functions and
        lines."""
        self._forget(_STACKS)
        objects = Objects(filter(None, map(object_of, sorted(self._objects))))
        given = [(self._names[n], summed(self._sums[n])) for n in self._order()]
        hidden = are_hidden(self._names.values())
        found = lines_from(given, objects, look_up)
        rows = [
            {**job.whose, "number": place, **_place(line, objects), **_sums(line),
             "called": None if hidden else _called(line)}
            for place, line in enumerate(found[:LINES], 1)
        ]  # fmt: skip
        further = Line()
        further.sums.add(summed(self._rest))
        for line in found[LINES:]:
            further.sums.add(line.sums)
            further.sites += line.sites
        if further.sums.calls:
            sites = len(further.sites) + self._others
            rows.append({**job.whose, "number": None, **_sums(further), "sites": sites})
        return [impossible.of_row(SITES, row, job.most_bytes) for row in rows]


def _sums(line: Line) -> Row:
    """Returns the columns of a line with its sums."""
    sums = line.sums
    return {
        "seconds": sums.seconds,
        "gap_seconds": sums.shown_gaps,
        "calls": sums.calls,
        "bytes_read": sums.read,
        "bytes_written": sums.written,
        "sites": len(line.sites),
    }


def _place(line: Line, objects: Objects) -> Row:
    """Returns the columns of a line with its place in the code; {} if that is unknown."""
    place = line.place
    if place is None:
        return {}
    row = {
        "file": place.file or None,
        "line": place.line or None,
        "function": place.function or None,
        "through": library_call(line.sites[0]) or None,
    }
    if place.object:
        frames = line.sites[0].stack.frames
        frame = next(f for f in frames if isinstance(f, Native) and objects.path(f) == place.object)
        known = objects.of(frame)
        row["object"], row["address"] = place.object, place.offset
        row["build_id"] = known.build_id if known else None
    return row


def _called(line: Line) -> str | None:
    called = line.sites[0].stack.called
    return called if _NAME.fullmatch(called) else None
