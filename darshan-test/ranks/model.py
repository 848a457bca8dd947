"""Computes the merged records of several ranks from the documented rules of the format alone.
Records are merged along the tree that doc/log-format.md describes, because the order decides which
values are removed from a list of the four most common ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from darshan_report import open_log

# Modules whose records are merged, each with the name of its table.
TABLES = {
    "POSIX": "posix",
    "MPI-IO": "mpiio",
    "H5F": "h5f",
    "H5D": "h5d",
    "PNETCDF_FILE": "pnetcdf-file",
    "PNETCDF_VAR": "pnetcdf-var",
    "STDIO": "stdio",
    "POSIX_EXT": "posix-ext",
    "STDIO_EXT": "stdio-ext",
    "H5_META": "h5-meta",
    "LAYERS": "layers",
}
# A row of a table: name, rule and unit of the counter.
ROW = re.compile(r"^F?COUNTER\((\w+),\s*(\w+),\s*(\w+),", re.M)
SOURCE = Path(__file__).resolve().parent.parent.parent
# The module, and the record id.
Key = tuple[str, int]
# A counter, which is an int if it is an integer.
Number = float


@lru_cache
def rules(module: str) -> dict[str, str]:
    """Returns the merge rule of each counter of a module, such as SUM, by its name without prefix,
    in the order of the record."""
    (path,) = SOURCE.glob(f"runtime/modules/*/{TABLES[module]}.def")
    return {name: rule for name, rule, _ in ROW.findall(path.read_text())}


@dataclass
class Record:
    """A record of one rank, or merged from several: its counters by names without prefix, and the
    ranks, their I/O seconds and their bytes."""

    module: str
    id: int
    rank: int
    values: dict[str, Number]
    ranks: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)  # of each rank, for the variance
    bytes: list[int] = field(default_factory=list)


def read(path: Path) -> Iterator[Record]:
    """Yields the records of a log in the modules whose records are merged (TABLES), each as of a
    single rank."""
    with open_log(path) as log:
        for module, table in TABLES.items():
            if log.info.region(module) is None:
                continue
            found = log.records(module)
            names = [c.name for c in found.module.counters + found.module.fcounters]
            skip = len(table) + 1
            for row in found.array:
                values = {name[skip:]: row[name].item() for name in names}
                rank = int(row["rank"])
                yield Record(module, int(row["id"]), rank, values, [rank])


def io_time(values: dict[str, Number]) -> float:
    """Returns the seconds of reads, writes and metadata operations; missing counters are treated as
    0."""
    transfers = values.get("F_READ_TIME", 0) + values.get("F_WRITE_TIME", 0)
    return values.get("F_META_TIME", 0) + transfers


def prepare(record: Record) -> Record:
    """Returns a copy of the record of a single rank, prepared for the merge: this rank is its
    fastest and its slowest."""
    values = dict(record.values)
    moved = int(values.get("BYTES_READ", 0) + values.get("BYTES_WRITTEN", 0))
    for who in ("FASTEST", "SLOWEST"):
        if f"{who}_RANK" in values:
            values[f"{who}_RANK"] = record.rank
            values[f"{who}_RANK_BYTES"] = moved
            values[f"F_{who}_RANK_TIME"] = io_time(values)
    ranks, spent = [record.rank], io_time(values)
    return Record(record.module, record.id, record.rank, values, ranks, [spent], [moved])


def top4(module: str, a: dict[str, Number], b: dict[str, Number]) -> dict[str, Number]:
    """Returns the counters of the four most common values of two records together, by the rule
    TOP4. module: of the records; a, b: their counters."""
    out = {}
    names = list(rules(module))
    values = [n for n in names if rules(module)[n] == "TOP4_VALUE"]
    counts = [n for n in names if rules(module)[n] == "TOP4_COUNT"]
    for start in range(0, len(counts), 4):
        group = counts[start : start + 4]
        width = len(values) // len(counts)
        mine = values[start * width : (start + 4) * width]
        found: list[list[object]] = []
        for side in (a, b):
            for slot in range(4):
                value = tuple(side[n] for n in mine[slot * width : (slot + 1) * width])
                old = next((f for f in found if f[0] == value), None)
                if value[0] == 0:
                    continue
                if old:
                    old[1] += side[group[slot]]
                else:
                    found.append([value, side[group[slot]]])
        # If count and first number are equal, later values come before earlier ones.
        order: list[list[object]] = []
        for entry in found:
            place = 0
            while place < len(order) and (order[place][1], order[place][0][0]) > (
                entry[1],
                entry[0][0],
            ):
                place += 1
            order = [*order[:place], entry, *order[place:]][:4]
        for slot in range(4):
            value, count = order[slot] if slot < len(order) else ((0,) * width, 0)
            out |= dict(zip(mine[slot * width : (slot + 1) * width], value))
            out[group[slot]] = count
    return out


def least_above_zero(a: Number, b: Number) -> Number:
    """Returns the smaller of the values that are not 0; 0 if both are, because the operation never
    happened."""
    return min((x for x in (a, b) if x > 0), default=a)


def pair(a: Record, b: Record) -> Record:
    """Merges two prepared records of one file by the rules of the module, and returns the result.
    The order of the two matters."""
    out: dict[str, Number] = {}
    x, y = a.values, b.values
    table = rules(a.module)
    for name, rule in table.items():
        if rule == "SUM":
            out[name] = x[name] + y[name]
        elif rule == "SUM_OR_UNKNOWN":
            out[name] = -1 if x[name] + y[name] < 0 else x[name] + y[name]
        elif rule in ("MAX", "OR", "MAX_WITH"):
            out[name] = max(x[name], y[name])
        elif rule == "MIN_NONZERO":
            out[name] = least_above_zero(x[name], y[name])
        elif rule == "ANY":
            out[name] = y[name] or x[name]
        else:
            out[name] = x[name]
    out |= top4(a.module, x, y)
    largest = [n for n, rule in table.items() if rule == "MAX_WITH"]
    companions = [n for n, rule in table.items() if rule == "COMPANION"]
    for name, companion in zip(largest, companions):
        out[companion] = y[companion] if y[name] > x[name] else x[companion]
    for who, better in (("FASTEST", float.__lt__), ("SLOWEST", float.__gt__)):
        time = f"F_{who}_RANK_TIME"
        if time in out:
            chosen = y if better(float(y[time]), float(x[time])) else x
            for name in (time, f"{who}_RANK", f"{who}_RANK_BYTES"):
                out[name] = chosen[name]
    return Record(a.module, a.id, -1, out, a.ranks + b.ranks, a.times + b.times, a.bytes + b.bytes)


def variance(values: list[float]) -> float:
    """Returns the population variance of the values, in the square of their unit."""
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / len(values)


def finish(record: Record, nprocs: int) -> Record:
    """Sets the variances and the rank -1 of a merged record, and returns it. Returns a record of a
    single rank of a larger job unchanged. nprocs: number of ranks."""
    if len(record.ranks) == 1 and nprocs > 1:
        return record
    record = record if record.times else prepare(record)
    if "F_VARIANCE_RANK_TIME" in record.values:
        record.values["F_VARIANCE_RANK_TIME"] = variance(record.times)
        record.values["F_VARIANCE_RANK_BYTES"] = variance([float(b) for b in record.bytes])
    record.rank = -1
    return record


def along_tree(ranks: dict[int, dict[Key, Record]], rank: int, size: int) -> dict[Key, Record]:
    """Returns the merged records of a rank and of the ranks below it in the reduction tree, by
    module and id. ranks: the records of each rank; size: number of ranks."""
    have = dict(ranks[rank])
    step = 1
    while rank % (2 * step) == 0 and rank + step < size:
        for key, record in along_tree(ranks, rank + step, size).items():
            old = have.get(key)
            if old is None:
                have[key] = record
            else:
                first = old if old.times else prepare(old)
                have[key] = pair(first, record if record.times else prepare(record))
        step *= 2
    return have


def merged(logs: list[Path]) -> dict[Key, list[Record]]:
    """Returns the records that the log of a job must have, by module and id: merged ones, or those
    of a single rank. logs: the log of each rank, in order."""
    ranks = {n: {(r.module, r.id): r for r in read(path)} for n, path in enumerate(logs)}
    whole = along_tree(ranks, 0, len(logs))
    return {key: [finish(record, len(logs))] for key, record in whole.items()}
