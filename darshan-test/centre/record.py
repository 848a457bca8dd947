"""Computes the record of each module for a file of a run, in the form that the log generator
takes."""

from __future__ import annotations

from dataclasses import dataclass

from logs.layouts import LAYOUTS, SIZES
from logs.model import Counted

from .programs import RATE, Files

# Upper bounds of the size classes, in bytes.
_EDGES = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
# Timestamps as fractions of the run time. Some older records have one name, such as OPEN, instead
# of OPEN_START and OPEN_END.
_MOMENTS = {
    "OPEN_START": 0.05, "OPEN": 0.05, "OPEN_END": 0.05, "READ_START": 0.1, "READ_END": 0.85,
    "WRITE_START": 0.1, "WRITE_END": 0.9, "CLOSE_START": 0.92, "CLOSE_END": 0.92, "CLOSE": 0.92,
}  # fmt: skip


@dataclass(frozen=True)
class Amount:
    """The amounts of a run. Each counter of its records is a sum of parts, each proportional to one
    of these amounts."""

    rounds: int
    spent: float  # rounds times the slowdown of the file system
    pace: float  # the slowdown of the file system
    seconds: float  # the run time
    by_rank: float  # `spent` per rank


def size_class(size: int) -> str:
    """Returns the end of the name of the counter for this size in bytes, such as 0_100."""
    return SIZES[sum(size > edge for edge in _EDGES)]


def _counters(files: Files, prefix: str, rounds: int) -> dict[str, int]:
    """Returns the integer counters of the record of a file after some rounds, by name with the
    prefix. They include all that any version has; the caller drops those that its version lacks."""
    mpiio = prefix == "MPIIO"
    first, infix = ("COLL_" if files.shared else "INDEP_", "AGG_") if mpiio else ("", "")
    found = {f"{first}OPENS": 1, "MODE": 0o644, "MEM_ALIGNMENT": 8, "FILE_ALIGNMENT": 4096}
    common: dict[int, int] = {}
    kinds = (("READ", "READ", files.reads, files.read_size),
             ("WRITE", "WRITTEN", files.writes, files.write_size))  # fmt: skip
    for kind, done, each, size in kinds:
        if not each:
            continue
        calls = each * rounds
        common[size] = common.get(size, 0) + each
        found |= {
            f"{first}{kind}S": calls,
            f"BYTES_{done}": calls * size,
            f"MAX_BYTE_{done}": calls * size - 1,
            f"SEQ_{kind}S": calls - 1,
            f"CONSEC_{kind}S": calls - 1,
            f"MAX_{kind}_TIME_SIZE": size,
            f"SIZE_{kind}_{infix}{size_class(size)}": calls,
            "FILE_NOT_ALIGNED": calls if size % 4096 else 0,
        }
    for place, (size, each) in enumerate(sorted(common.items(), key=lambda c: -c[1]), 1):
        found |= {f"ACCESS{place}_ACCESS": size, f"ACCESS{place}_COUNT": each * rounds}
    if files.shared:
        found["SLOWEST_RANK"] = 1
    return {f"{prefix}_{name}": value for name, value in found.items()}


def _times(files: Files, prefix: str, amount: Amount) -> dict[str, float]:
    """Returns all times, in seconds, in the same way."""
    read = files.latency + files.read_size / RATE
    write = files.latency + files.write_size / RATE
    whole = files.reads * read + files.writes * write
    found = {
        "READ_TIME": files.reads * read * amount.spent,
        "WRITE_TIME": files.writes * write * amount.spent,
        "META_TIME": 1e-3 * amount.pace,
        "MAX_READ_TIME": (read if files.reads else 0.0) * amount.pace,
        "MAX_WRITE_TIME": (write if files.writes else 0.0) * amount.pace,
    }
    if files.shared:
        found["FASTEST_RANK_TIME"] = 0.95 * whole * amount.by_rank
        found["SLOWEST_RANK_TIME"] = 1.05 * whole * amount.by_rank
    for moment, part in _MOMENTS.items():
        used = not moment.startswith(("READ", "WRITE")) or (
            files.reads if moment.startswith("READ") else files.writes
        )
        found[f"{moment}_TIMESTAMP"] = part * amount.seconds if used else 0.0
    return {f"{prefix}_F_{name}": value for name, value in found.items()}


def record(files: Files, module: str, version: int, amount: Amount) -> Counted:
    """Returns the record that a module leaves for each of these files after a run of these amounts;
    its id and rank are 0. version: of the record."""
    layout = LAYOUTS[module][version]
    prefix = layout.counters[0].split("_")[0]
    counters = _counters(files, prefix, amount.rounds)
    times = _times(files, prefix, amount)
    return Counted(
        0,
        -1 if files.shared else 0,
        {name: counters.get(name, 0) for name in layout.counters},
        {name: times.get(name, 0.0) for name in layout.fcounters},
    )
