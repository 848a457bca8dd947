"""Computes the records of the modules PNETCDF_FILE and PNETCDF_VAR from the lines in which a
program printed what it did."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

# The name of a function that moves data: kind of call, kind of selection, and whether it is
# collective.
FUNCTION = re.compile(
    r"ncmpi_(?P<api>put|get|iput|iget|bput|mput|mget)_(?P<form>var(?:1|a|s|m|n|d)?)"
    r"(?:_(?:text|u?char|schar|u?short|u?int|long|float|double|u?longlong))?(?P<all>_all)?"
)
# Bytes of the external types, by their numbers in the file format.
TYPE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
# Size classes: upper bound in bytes, and name.
BINS = [
    (100, "0_100"),
    (1024, "100_1K"),
    (10 * 1024, "1K_10K"),
    (100 * 1024, "10K_100K"),
    (1024**2, "100K_1M"),
]
# Dimensions of an access that a record has.
FRAME = 5
# Most common accesses that a record has.
SHOWN = 4
# The kinds of selections that are counted.
FORMS = ("VAR", "VAR1", "VARA", "VARS", "VARM", "VARN", "VARD")
# Counters about the shape of a variable.
STATIC = ("NDIMS", "NPOINTS", "DATATYPE_SIZE", "IS_RECORD_VAR")

# Bytes, lengths and strides of an access.
Access = tuple[int, tuple[int, ...], tuple[int, ...]]


@dataclass
class Variable:
    """The expected counters of one variable, its shape, and how often each access (bytes, lengths,
    strides) was made."""

    counters: Counter[str] = field(default_factory=Counter)
    shape: dict[str, int] = field(default_factory=dict)
    accesses: Counter[Access] = field(default_factory=Counter)
    last: str = ""

    def opened(self, type_number: int, record: bool, lengths: list[int]) -> None:
        """Records that the variable was defined or looked up. type_number: of NetCDF; record:
        whether its first dimension is the unlimited one; lengths: of its dimensions."""
        self.counters["OPENS"] += 1
        self.shape = {
            "NDIMS": len(lengths),
            "NPOINTS": math.prod(lengths[1:] if record else lengths),
            "DATATYPE_SIZE": TYPE_BYTES[type_number],
            "IS_RECORD_VAR": int(record),
        }

    def moved(self, function: str, elements: int, boxes: list[tuple[int, int]]) -> None:
        """Counts a call that moved this many elements. function: its name; boxes: length and stride
        for each dimension."""
        match = FUNCTION.fullmatch(function)
        assert match, function
        api, form = match["api"], match["form"].upper()
        what = "READ" if api.endswith("get") else "WRITE"
        posted = api in ("iput", "iget", "bput")
        mode = "NB" if posted else "COLL" if match["all"] else "INDEP"
        size = elements * self.shape["DATATYPE_SIZE"]
        self.counters[f"{mode}_{what}S"] += 1
        counted_as = api.upper() if posted else api[-3:].upper()
        self.counters[f"{counted_as}_{form}"] += 1
        self.counters["BYTES_READ" if what == "READ" else "BYTES_WRITTEN"] += size
        self.counters["RW_SWITCHES"] += self.last not in ("", what)
        self.last = what
        name = next(name for bound, name in BINS if size <= bound)
        self.counters[f"SIZE_{what}_AGG_{name}"] += 1
        shown = boxes[-FRAME:] if form in ("VARA", "VARS", "VARM") else []
        lengths = tuple(length for length, _ in shown)
        strides = tuple(stride for _, stride in shown) if form != "VARA" else ()
        self.accesses[size, lengths, strides] += 1


@dataclass
class Expected:
    """The expected records of one process, or of several together: file counters by path, and
    variables by "PATH:NAME"."""

    files: dict[str, Counter[str]] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)

    def take(self, line: str) -> None:
        """Counts a line that the program printed (see facts.h)."""
        word, *rest = line.split(" ")
        if word == "file":
            self.files.setdefault(rest[1], Counter())[rest[0]] += 1
        elif word == "moved":
            self.files[rest[0]].update(BYTES_READ=int(rest[1]), BYTES_WRITTEN=int(rest[2]))
        elif word == "shape":
            variable = self.variables.setdefault(rest[0], Variable())
            variable.opened(int(rest[1]), rest[2] == "1", [int(length) for length in rest[3:]])
        else:
            boxes = [(int(a), int(b)) for a, b in (box.split(",") for box in rest[2:])]
            self.variables[rest[0]].moved(word, int(rest[1]), boxes)

    def add(self, other: Expected) -> None:
        """Adds the counts of another rank. The order of ranks does not matter."""
        for path, counters in other.files.items():
            self.files.setdefault(path, Counter()).update(counters)
        for name, variable in other.variables.items():
            mine = self.variables.setdefault(name, Variable())
            mine.counters.update(variable.counters)
            mine.accesses.update(variable.accesses)
            mine.shape = variable.shape


def from_facts(texts: Iterable[str]) -> Expected:
    """Returns the expected records of all ranks together. texts: the output of each rank."""
    together = Expected()
    for text in texts:
        one = Expected()
        for line in text.splitlines():
            one.take(line)
        together.add(one)
    return together


def common(variable: Variable) -> dict[str, int]:
    """Returns the counters of the four most common accesses of a variable, ordered by count, then
    by size; 0 if it has fewer. Only for variables for which has_clear_order() is true."""
    counters: dict[str, int] = {}
    ranked = sorted(
        ((count, access) for access, count in variable.accesses.items() if access[0]),
        key=lambda pair: (pair[0], pair[1][0]),
        reverse=True,
    )
    for i in range(SHOWN):
        count, (size, lengths, strides) = ranked[i] if i < len(ranked) else (0, (0, (), ()))
        counters[f"ACCESS{i + 1}_ACCESS"] = size
        counters[f"ACCESS{i + 1}_COUNT"] = count
        for d in range(FRAME):
            counters[f"ACCESS{i + 1}_LENGTH_D{d + 1}"] = lengths[d] if d < len(lengths) else 0
            counters[f"ACCESS{i + 1}_STRIDE_D{d + 1}"] = strides[d] if d < len(strides) else 0
    return counters


def has_clear_order(variable: Variable) -> bool:
    """Returns whether no two accesses of a variable have the same size and count, and the runtime's
    table of 32 accesses does not overflow."""
    keys = [(count, access[0]) for access, count in variable.accesses.items() if access[0]]
    return len(set(keys)) == len(keys) and len(variable.accesses) <= 32
