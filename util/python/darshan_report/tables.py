"""The modules and counters that a log can contain. Names, order, merge rules and units are defined
once, in runtime/modules/*/*.def; this module reads them through libdarshan-read."""

from __future__ import annotations

import ctypes
import difflib
import functools
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import library, structs
from .classes import dataclass
from .structs import Kind

# Fields that follow the counters in the records of object stores (records.h).
_TAILS: dict[Kind, list[tuple[str, str]]] = {
    Kind.DFS: [("pool_uuid", "V16"), ("cont_uuid", "V16")],
    Kind.DAOS: [
        ("pool_uuid", "V16"),
        ("cont_uuid", "V16"),
        ("oid_hi", "u8"),
        ("oid_lo", "u8"),
    ],
}
_FIXED = (Kind.COUNTERS, Kind.FILE_COUNTERS, Kind.DFS, Kind.DAOS)


class UnknownName(KeyError):
    """No module or counter has this name. The message is one line and proposes similar names."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        by_case = {one.upper(): one for one in known}
        close = difflib.get_close_matches(str(name).upper(), by_case, 3)
        proposal = f"; did you mean {' or '.join(by_case[one] for one in close)}?" if close else ""
        super().__init__(f"{what} {name!r}{proposal}")

    def __str__(self) -> str:
        # KeyError's own text would be in quotation marks.
        return str(self.args[0])


@dataclass(frozen=True)
class Counter:
    """One counter of the newest record version. Its merge rule and unit are text."""

    name: str  # full name, "POSIX_READS"
    rule: str  # how records are merged: "sum", "max", ...
    unit: str  # "bytes", "seconds", ...
    index: int  # among the module's integer or floating-point counters
    absent: int  # value in records of versions without this counter
    meaning: str
    is_float: bool

    @property
    def summed(self) -> bool:
        """Whether the values of several records may be summed."""
        return self.rule.startswith("sum")


@dataclass(frozen=True)
class Module:
    """One module: its counters, and the layout of its records if they have one size."""

    id: int
    name: str
    version: int
    kind: Kind
    record_size: int  # bytes; of records that vary in size, the fixed part
    counters: tuple[Counter, ...]  # integers
    fcounters: tuple[Counter, ...]  # floating-point numbers

    @property
    def fixed(self) -> bool:
        """Whether all records have the same size. If so, log.records() can read them."""
        return self.kind in _FIXED

    @functools.cached_property
    def head(self) -> int:
        """Number of 64-bit words before the first counter."""
        return 3 if self.kind is Kind.FILE_COUNTERS else 2

    @functools.cached_property
    def dtype(self) -> np.dtype:
        """The numpy layout of one record, in host byte order. Raises LibraryMissing if its size
        differs from the library's."""
        fields = [("id", "u8"), ("rank", "i8")]
        if self.kind is Kind.FILE_COUNTERS:
            fields.append(("file_rec_id", "u8"))
        fields += [(c.name, "u8" if c.unit == "id" else "i8") for c in self.counters]
        fields += [(c.name, "f8") for c in self.fcounters]
        fields += _TAILS.get(self.kind, [])
        layout = np.dtype(fields)
        if layout.itemsize != self.record_size:
            raise library.LibraryMissing(
                f"{library.NAME} has {self.record_size} bytes per {self.name} record, "
                f"this package expects {layout.itemsize}: they are of different releases"
            )
        return layout

    @functools.cached_property
    def summed(self) -> dict[str, bool]:
        """For each counter, whether its values may be summed."""
        return {c.name: c.summed for c in self.counters + self.fcounters}

    def has(self, name: str) -> bool:
        """Returns whether records of the newest version have a counter of this full name."""
        return name in self._names

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(c.name for c in self.counters + self.fcounters)


def _counters(rows: Any, meanings: int, is_float: bool) -> tuple[Counter, ...]:
    """Returns the counters of the newest record version. rows: C array that ends with a row without
    a name. meanings: address of their descriptions, one string after another."""
    functions = library.load()
    found: list[Counter] = []
    table = map(rows.__getitem__, itertools.count())
    for row in itertools.takewhile(lambda row: row.name, table):
        meaning = ctypes.string_at(meanings)
        meanings += len(meaning) + 1
        if row.index >= 0:  # retired counters are not in the current record
            found.append(
                Counter(
                    name=library.text(row.name),
                    rule=library.text(functions.darshan_rule_name(row.rule)),
                    unit=library.text(functions.darshan_unit_name(row.unit)),
                    index=row.index,
                    absent=row.absent,
                    meaning=library.text(meaning),
                    is_float=is_float,
                )
            )
    return tuple(found)


def _module(pointer: Any) -> Module | None:
    """Returns the module that C describes; None for a null pointer."""
    if not pointer:
        return None
    row: structs.Module = pointer.contents
    return Module(
        id=row.id,
        name=library.text(row.name),
        version=row.version,
        kind=Kind(row.kind),
        record_size=row.record_size,
        counters=_counters(row.counters, row.meanings, False),
        fcounters=_counters(row.fcounters, row.fmeanings, True),
    )


@functools.cache
def module_by_id(number: int) -> Module | None:
    """Returns the module with this id; None if the library does not know it."""
    return _module(library.load().darshan_module_by_id(number))


@functools.cache
def module_by_name(name: str) -> Module | None:
    """Returns the module with this printed name ("MPI-IO"); None if the library does not know
    it."""
    return _module(library.load().darshan_module_by_name(library.raw(name)))


_MODULES = 128  # all ids are below this; ids of the annex begin at 64


@functools.cache
def module_names() -> tuple[str, ...]:
    """Returns the printed names of all modules that have counters or records, in id order."""
    return tuple(m.name for m in map(module_by_id, range(_MODULES)) if m is not None)
