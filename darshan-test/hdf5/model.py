"""Computes the expected H5F, H5D and H5_META records from the facts that a program of facts.h
printed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

# Dimensions whose lengths, strides and chunk sizes are in a record.
FRAME = 5
# Different accesses per dataset that the runtime counts.
REMEMBERED = 32
# Most common accesses that a record has.
SLOTS = 4
# Bins of the histograms of sizes: name and largest size in bytes.
BOUNDS = (
    ("0_100", 100),
    ("100_1K", 1 << 10),
    ("1K_10K", 10 << 10),
    ("10K_100K", 100 << 10),
    ("100K_1M", 1 << 20),
    ("1M_4M", 4 << 20),
    ("4M_10M", 10 << 20),
    ("10M_100M", 100 << 20),
    ("100M_1G", 1 << 30),
    ("1G_PLUS", math.inf),
)
# Counter of each kind of selection.
SELECTS = {
    "regular": "REGULAR_HYPERSLAB_SELECTS",
    "irregular": "IRREGULAR_HYPERSLAB_SELECTS",
    "points": "POINT_SELECTS",
}

# Bytes, then FRAME lengths and FRAME strides, as in mirrored().
Access = tuple[int, tuple[int, ...]]


def numbers(text: str) -> list[int]:
    """Returns the integers of a list in a fact, which are separated by commas; [] for "-"."""
    return [] if text == "-" else [int(word) for word in text.split(",")]


def mirrored(values: list[int]) -> tuple[int, ...]:
    """Returns the values of the counters _D1 to _D5 for a list of lengths or strides: D1 is that of
    the fastest dimension; missing dimensions are 0."""
    return tuple(reversed((values + [0] * FRAME)[:FRAME]))


def bin_of(size: int) -> str:
    """Returns the name of the histogram's bin for this size in bytes."""
    return next(name for name, bound in BOUNDS if size <= bound)


@dataclass
class Common:
    """The model of the four most common accesses of a dataset, which is updated after each access
    as the runtime does. An access is its bytes and its shape."""

    seen: Counter[Access] = field(default_factory=Counter)
    slots: list[tuple[Access, int]] = field(default_factory=list)

    def add(self, access: Access) -> None:
        """Counts an access, and keeps the four most common ones in order. After REMEMBERED
        different accesses, new ones are ignored; accesses of 0 bytes get no slot."""
        if access not in self.seen and len(self.seen) == REMEMBERED:
            return
        self.seen[access] += 1
        rank = (self.seen[access], access[0])
        if access[0] == 0:
            return
        above = list(takewhile(lambda slot: (slot[1], slot[0][0]) > rank, self.slots))
        below = [slot for slot in self.slots[len(above) :] if slot[0] != access]
        self.slots = [*above, (access, rank[0]), *below][:SLOTS]


@dataclass
class Dataset:
    """The expected H5D counters of one dataset, and the state from which they are computed."""

    file: str
    counters: Counter[str] = field(default_factory=Counter)
    common: Common = field(default_factory=Common)
    dims: int = 0
    size: int = 0  # bytes of an element
    chunk: list[int] = field(default_factory=list)
    closes: int = 0
    pieces: int = 0  # of irregular selections, each of one element
    referred: int = 0  # opens by a reference, which count for the file
    last: str = ""  # kind of the last transfer, "READ" or "WRITE"
    # Sizes in bytes of all reads and writes.
    sizes: dict[str, set[int]] = field(default_factory=lambda: {"READ": set(), "WRITE": set()})

    def opened(self, deprecated: str, size: str, dims: str, chunk: str) -> None:
        """Counts a create or an open, and sets the dataset's description, from the fields of the
        program's fact: whether the call is deprecated, bytes of an element, lengths of the
        dimensions, and lengths of a chunk."""
        self.size, self.chunk = int(size), numbers(chunk)
        self.counters["OPENS"] += 1
        self.counters["USE_DEPRECATED"] = int(deprecated)
        self.counters["DATATYPE_SIZE"] = self.size
        self.extent(dims)
        for position, length in enumerate(list(reversed(self.chunk))[:FRAME], start=1):
            self.counters[f"CHUNK_SIZE_D{position}"] = length

    def extent(self, dims: str) -> None:
        """Sets the dimensions of the dataspace. dims: their lengths, as in a fact."""
        self.dims = len(numbers(dims))
        self.counters["DATASPACE_NDIMS"] = self.dims
        self.counters["DATASPACE_NPOINTS"] = math.prod(numbers(dims))

    def transferred(self, kind: str, size: str, select: str, lengths: str, strides: str) -> None:
        """Counts a read or a write. kind: READ or WRITE; size: bytes; select: kind of the
        selection; lengths, strides: by dimension. All are the fields of the program's fact."""
        self.counters[f"{kind}S"] += 1
        self.counters["BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"] += int(size)
        self.counters[f"SIZE_{kind}_AGG_{bin_of(int(size))}"] += 1
        self.sizes[kind].add(int(size))
        if select in SELECTS:
            self.counters[SELECTS[select]] += 1
        if select == "irregular":
            self.pieces += int(size) // self.size
        self.counters["RW_SWITCHES"] += self.last not in ("", kind)
        self.last = kind
        shape = mirrored(numbers(lengths)) + mirrored(numbers(strides))
        self.common.add((int(size), shape))

    def expected(self) -> Counter[str]:
        """Returns the expected values of all H5D counters that are not 0, by name without
        prefix."""
        found = Counter(self.counters)
        for number, (access, count) in enumerate(self.common.slots, start=1):
            found[f"ACCESS{number}_ACCESS"] = access[0]
            found[f"ACCESS{number}_COUNT"] = count
            for position in range(FRAME):
                found[f"ACCESS{number}_LENGTH_D{position + 1}"] = access[1][position]
                found[f"ACCESS{number}_STRIDE_D{position + 1}"] = access[1][FRAME + position]
        return found


@dataclass
class File:
    """The expected H5F counters of one file, and the number of its closes."""

    counters: Counter[str] = field(default_factory=Counter)
    closes: int = 0


@dataclass
class Model:
    """All expected records: of files and datasets by name, and of H5_META by file."""

    files: dict[str, File] = field(default_factory=dict)
    datasets: dict[str, Dataset] = field(default_factory=dict)
    meta: dict[str, Counter[str]] = field(default_factory=dict)
    object_flushes: Counter[str] = field(default_factory=Counter)  # by file, of groups

    def add(self, work: Path, words: list[str]) -> None:
        """Adds one fact of a program that ran in the folder `work`. words: the fields of the
        fact."""
        if words[0] == "file":
            file = self.files.setdefault(clean(work, words[2]), File())
            if words[1] == "close":
                file.closes += 1
            else:
                file.counters["OPENS" if words[1] == "open" else "FLUSHES"] += 1
        elif words[0] == "meta":
            self.meta.setdefault(clean(work, words[2]), Counter())[words[1]] += 1
        elif words[0] == "flushed":
            self.object_flushes[clean(work, words[1])] += 1
        elif words[0] == "dataset":
            path = clean(work, words[2])
            name = f"{path}:{words[3]}"
            self.change(self.datasets.setdefault(name, Dataset(path)), words[1], words[4:])

    def change(self, dataset: Dataset, what: str, words: list[str]) -> None:
        """Counts an event of a dataset. what: the kind of the event; words: the other fields of the
        fact. Raises ValueError for an unknown kind."""
        if what in ("open", "referred"):
            dataset.opened(*words)
            dataset.referred += what == "referred"
        elif what == "extent":
            dataset.extent(*words)
        elif what in ("read", "write"):
            dataset.transferred(what.upper(), *words)
        elif what == "flush":
            dataset.counters["FLUSHES"] += 1
        elif what == "close":
            dataset.closes += 1
        else:
            raise ValueError(what)


def clean(work: Path, name: str) -> str:
    """Returns a file's name as in records: absolute, without empty components and dots. work: the
    folder that a relative name belongs to."""
    path = name if name.startswith("/") else f"{work}/{name}"
    for part in ("//", "/./"):
        while part in path:
            path = path.replace(part, "/")
    return path


def from_facts(work: Path, text: str) -> Model:
    """Returns the records that a program must leave, if it ran in the folder `work` and printed
    these facts."""
    model = Model()
    for line in text.splitlines():
        model.add(work, line.split("\t"))
    return model
