"""Computes the MPI-IO records that a log must contain from the lines that the program wrote. It was
written from the description of the counters, not from the code of the runtime."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# Upper bounds of the size classes in bytes, and the names of the classes.
BOUNDS = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
BINS = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M"]
BINS += ["1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"]
KINDS = ("READ", "WRITE")
BYTES = ("BYTES_READ", "BYTES_WRITTEN")


def size_bin(size: int) -> str:
    """Returns the name of a size's class. A bound belongs to the class below it."""
    return BINS[sum(size > bound for bound in BOUNDS)]


@dataclass
class File:
    """The calls of one rank on one file, as counters: base are those of MPI-IO, ext those of
    MPIIO_EXT."""

    opened: bool = False
    base: Counter[str] = field(default_factory=Counter)
    ext: Counter[str] = field(default_factory=Counter)
    last: int | None = None  # 1: the last transfer was a write
    sizes: Counter[int] = field(default_factory=Counter)
    shown: list[tuple[int, int]] = field(default_factory=list)  # (size, count), the most common
    asked: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    # Segments of a trace: (offset, bytes) of reads and of writes.
    segments: tuple[list[tuple[int, int]], list[tuple[int, int]]] = field(
        default_factory=lambda: ([], [])
    )
    moves: int = 0  # calls that read or write, or end or await a transfer

    def transfer(self, line: list[str]) -> None:
        """Counts a transfer. line: the fields WRITES KIND POINTER ASKED DONE PLACE of program.h's
        line (1 for a write; INDEP, COLL, SPLIT or NB; file pointer; requested bytes; moved bytes;
        offset)."""
        writes, asked, place = int(line[0]), int(line[3]), int(line[5])
        op = KINDS[writes]
        self.base[f"{line[1]}_{op}S"] += 1
        self.base[BYTES[writes]] += asked
        self.base[f"SIZE_{op}_AGG_{size_bin(asked)}"] += 1
        self.base["RW_SWITCHES"] += self.last is not None and self.last != writes
        self.last = writes
        self.sizes[asked] += 1
        self.show(asked)
        self.asked[writes].append(asked)
        self.segments[writes].append((place, asked))
        self.ext[f"SHARED_{op}S"] += line[2] == "SHARED"
        self.done(op, BYTES[writes], asked, line[4])

    def done(self, op: str, moved: str, asked: int, done: str) -> None:
        """Counts the end of a transfer. op: READ or WRITE; moved: the name of its bytes counter;
        asked: the requested bytes; done: the moved bytes, -1 if unknown, "none" if the transfer
        never completes."""
        if done == "none":
            return
        self.ext[f"{op}S_DONE"] += 1
        if int(done) < 0:
            self.ext["WITHOUT_STATUS"] += 1
            return
        self.ext[f"{moved}_DONE"] += int(done)
        self.ext[f"SHORT_{op}S"] += int(done) < asked

    def show(self, size: int) -> None:
        """Updates the four most common sizes after a transfer of `size` bytes, in the way in which
        the runtime does during the run. Transfers of 0 bytes do not count."""
        if size == 0:
            return
        others = [entry for entry in self.shown if entry[0] != size]
        entries = sorted([*others, (size, self.sizes[size])], key=lambda e: (-e[1], -e[0]))
        self.shown = entries[:4]

    def counters(self) -> dict[str, int]:
        """Returns the integer MPI-IO counters of the record that are not 0, by name without
        prefix."""
        expected = {name: value for name, value in self.base.items() if value}
        for place, (size, count) in enumerate(self.shown, 1):
            expected[f"ACCESS{place}_ACCESS"] = size
            expected[f"ACCESS{place}_COUNT"] = count
        return expected


def apply(file: File, kind: str, line: list[str]) -> None:
    """Applies a line that the program wrote about a file to the expected counters. kind: its second
    word; line: the words after it."""
    if kind == "open":
        file.opened = True
        file.base["INDEP_OPENS" if line[0] == "1" else "COLL_OPENS"] += 1
        file.base["MODE"] = int(line[1])
        file.base["HINTS"] += int(line[2])
    elif kind == "view":
        file.base["VIEWS"] += 1
        file.base["HINTS"] += int(line[0])
    elif kind == "count":
        file.base[line[0]] += int(line[1])
    elif kind == "ext":
        file.ext[line[0]] += int(line[1])
    elif kind == "flag":
        file.ext[line[0]] = 1
    elif kind == "most":
        file.ext["NB_OUTSTANDING_MAX"] = int(line[0])
    elif kind == "transfer":
        file.transfer(line)
    else:
        assert kind == "close", kind


@dataclass
class Trace:
    """The expected records of one rank, by file, and the functions that it called."""

    files: dict[str, File]
    covered: set[str]


def read_trace(path: Path) -> Trace:
    """Reads the lines that one rank wrote to a file, and returns the expected records."""
    trace = Trace({}, set())
    for text in path.read_text().splitlines():
        name, kind, *line = text.split()
        if kind == "covered":
            trace.covered.add(line[0])
        else:
            apply(trace.files.setdefault(name, File()), kind, line)
    return trace
