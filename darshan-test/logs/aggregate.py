"""Computes what darshan-parser must print for the records of a module with --total, --perf and
--file."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from .layouts import LAYOUTS, NOT_YET
from .model import Counted
from .rows import with_files

# Modules with totals: prefix of their counters.
PREFIXES = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO", "DFS": "DFS", "DAOS": "DAOS"}
# Counters whose total is that of the last record.
LAST_WINS = (
    "MODE",
    "RENAMED_FROM",
    "MEM_ALIGNMENT",
    "FILE_ALIGNMENT",
    "CHUNK_SIZE",
    "OBJ_OTYPE",
    "ARRAY_CELL_SIZE",
    "ARRAY_CHUNK_SIZE",
)
# Counters whose total is the largest value.
MAXIMA = ("MAX_BYTE_READ", "MAX_BYTE_WRITTEN")
# Modules in which a negative sum becomes -1.
STICKY_MINUS_ONE = ("POSIX", "DFS", "DAOS")


class View:
    """A record of one of the five modules for which --perf and --file work; its counters are
    accessed by names without the module's prefix."""

    def __init__(self, module: str, record: Counted) -> None:
        prefix = PREFIXES[module] + "_"
        self.id, self.rank = record.id, record.rank
        self.counters = {name[len(prefix) :]: v for name, v in record.counters.items()}
        self.fcounters = {name[len(prefix) :]: v for name, v in record.fcounters.items()}
        self.read, self.written = self.counters["BYTES_READ"], self.counters["BYTES_WRITTEN"]
        self.offset = -1
        if module in ("POSIX", "STDIO"):
            self.offset = max(self.counters[name] for name in MAXIMA)
        shared = self.rank < 0
        f = self.fcounters
        self.meta = 0.0 if shared else f["F_META_TIME"]
        self.transfer = 0.0 if shared else f["F_READ_TIME"] + f["F_WRITE_TIME"]
        self.time = f["F_SLOWEST_RANK_TIME"] if shared else self.meta + self.transfer
        self.procs = -1 if shared else 1


def views(module: str, records: Sequence[Counted]) -> list[View]:
    """Returns a view of each record of a module."""
    return [View(module, record) for record in records]


def perf(module: str, records: Sequence[Counted]) -> dict[str, str]:
    """Returns the values that --perf prints for a module, as text by key: bytes, seconds and
    MiB/s."""
    all_views = views(module, records)
    total = sum(v.read + v.written for v in all_views)
    ranks = sorted({v.rank for v in all_views if v.rank >= 0} | {0})
    spent = {rank: [0.0, 0.0, 0.0] for rank in ranks}
    shared = 0.0
    for v in all_views:
        if v.rank < 0:
            shared += v.time
            continue
        for i, value in enumerate((v.time, v.meta, v.transfer)):
            spent[v.rank][i] += value
    slowest = 0
    for rank in ranks:
        if spent[rank][0] > spent[slowest][0]:
            slowest = rank
    if not spent[slowest][0] > 0:
        slowest, spent[slowest] = 0, [0.0, 0.0, 0.0]
    whole = spent[slowest][0] + shared
    speed = total / 1048576 / whole if whole else 0.0
    return {
        "total_bytes": str(total),
        "unique files: slowest_rank_io_time": f"{spent[slowest][0]:f}",
        "unique files: slowest_rank_meta_only_time": f"{spent[slowest][1]:f}",
        "unique files: slowest_rank_rw_only_time": f"{spent[slowest][2]:f}",
        "unique files: slowest_rank": str(slowest),
        "shared files: time_by_slowest": f"{shared:f}",
        "agg_time_by_slowest": f"{whole:f} # seconds",
        "agg_perf_by_slowest": f"{speed:f} # MiB/s",
    }


class File:
    """All records that have one id, and what --file needs of them: bytes read and written, the
    highest offset, and the number of processes (-1: all)."""

    def __init__(self) -> None:
        self.read = self.written = self.procs = 0
        self.offset = 0

    def add(self, v: View) -> None:
        self.read += v.read
        self.written += v.written
        self.offset = -1 if -1 in (self.offset, v.offset) else max(self.offset, v.offset)
        self.procs = -1 if v.procs == -1 else self.procs + v.procs


def category(files: list[File]) -> tuple[int, int, int]:
    """Returns the number of these files, their bytes read and written, and the highest offset in
    any of them; -1 as the offset if it is unknown for one."""
    offset = 0
    for f in files:
        offset = -1 if -1 in (offset, f.offset) else max(offset, f.offset)
    return len(files), sum(f.read + f.written for f in files), offset


def file_counts(module: str, records: Sequence[Counted]) -> dict[str, str]:
    """Returns the values of the lines that --file prints for a module, by category such as
    "unique": number of files, bytes, and highest offset."""
    by_id: dict[int, File] = {}
    for v in views(module, records):
        by_id.setdefault(v.id, File()).add(v)
    files = list(by_id.values())
    shared = category([f for f in files if f.procs == -1])
    partly = category([f for f in files if f.procs not in (1, -1)])
    groups = {
        "total": category(files),
        "read_only": category([f for f in files if f.read > 0 and f.written == 0]),
        "write_only": category([f for f in files if f.written > 0 and f.read == 0]),
        "read_write": category([f for f in files if f.read > 0 and f.written > 0]),
        "unique": category([f for f in files if f.procs == 1]),
        "shared": tuple(a + b for a, b in zip(shared, partly)),
    }
    return {name: "{} {} {}".format(*values) for name, values in groups.items()}


def add_common(value: str, count: str, total: dict[str, int], record: dict[str, int]) -> None:
    """Merges the four common values of a record, such as access sizes, into those of the total, and
    keeps the most frequent. value, count: the names of their counters, with {} in place of the
    number."""
    slots = [[total[value.format(i)], total[count.format(i)]] for i in range(1, 5)]
    rest = []
    for i in range(1, 5):
        entry = [record[value.format(i)], record[count.format(i)]]
        matching = [slot for slot in slots if slot[0] == entry[0]]
        for slot in matching:
            slot[1] += entry[1]
        if not matching:
            rest.append(entry)
    for entry in rest:
        if entry[0] == 0:
            break
        keep = 0
        while keep < 4 and (slots[keep][1], slots[keep][0]) > (entry[1], entry[0]):
            keep += 1
        if keep == 4:
            break
        slots = [*slots[:keep], entry, *slots[keep:3]]
    for i, slot in enumerate(slots, 1):
        total[value.format(i)], total[count.format(i)] = slot


def add_counters(module: str, total: dict[str, int], v: View) -> None:
    """Adds a record's counters, except ranks and slowest calls, to those of the total."""
    for name, value in v.counters.items():
        if name in LAST_WINS:
            total[name] = value
        elif name in MAXIMA:
            total[name] = max(total[name], value)
        elif name.startswith(("ACCESS", "STRIDE", "FASTEST", "SLOWEST")) or "TIME_SIZE" in name:
            continue
        else:
            total[name] += value
            if module in STICKY_MINUS_ONE and total[name] < 0:
                total[name] = -1
    for kind in ("STRIDE", "ACCESS"):
        if f"{kind}1_{kind}" not in total:
            continue
        if module != "MPI-IO" or v.counters["ACCESS1_ACCESS"] != 0:
            add_common(f"{kind}{{}}_{kind}", f"{kind}{{}}_COUNT", total, v.counters)


def add_fcounters(total: dict[str, int], ftotal: dict[str, float], v: View) -> None:
    """Adds a record's times to ftotal. A slowest call with its size replaces that of the total if
    it took longer."""
    for name, value in v.fcounters.items():
        if name.endswith("_START_TIMESTAMP"):
            if value > 0 and (ftotal[name] == 0 or value < ftotal[name]):
                ftotal[name] = value
        elif name.endswith("_END_TIMESTAMP"):
            ftotal[name] = max(ftotal[name], value)
        elif name in ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"):
            ftotal[name] += value
    for op in ("READ", "WRITE"):
        longest = f"F_MAX_{op}_TIME"
        if longest in ftotal and v.fcounters[longest] > ftotal[longest]:
            ftotal[longest] = v.fcounters[longest]
            total[f"MAX_{op}_TIME_SIZE"] = v.counters[f"MAX_{op}_TIME_SIZE"]


def add_ranks(
    total: dict[str, int], ftotal: dict[str, float], seen: Sequence[View], one_id: bool
) -> None:
    """Updates the fastest and the slowest rank in the total, after the last record of `seen` was
    added. They are known only if all records have one id; otherwise they are -1. ftotal: the
    total's floating-point counters; one_id: whether all records have one id."""
    v = seen[-1]
    for word in ("FASTEST", "SLOWEST"):
        rank, amount, spent = f"{word}_RANK", f"{word}_RANK_BYTES", f"F_{word}_RANK_TIME"
        if not one_id:
            total[rank] = total[amount] = -1
            ftotal[spent] = 0.0
            continue
        mine = (v.rank, v.read + v.written, v.time)
        if v.rank == -1:
            mine = (v.counters[rank], v.counters[amount], v.fcounters[spent])
        better = mine[2] < ftotal[spent] if word == "FASTEST" else mine[2] > ftotal[spent]
        if len(seen) == 1 or better:
            total[rank], total[amount], ftotal[spent] = mine


def last(values: Iterable[Any]) -> Any:
    """Returns the last value; for counters that are equal in all records. Raises ValueError without
    values."""
    *_, value = values
    return value


def earliest(values: Iterable[float]) -> float:
    """Returns the smallest positive time; 0 if there is none, which means that the operation did
    not happen."""
    return min((value for value in values if value > 0), default=0.0)


def bits(values: Iterable[int]) -> int:
    """Returns the bitwise OR of the values."""
    return functools.reduce(operator.or_, values)


# Counters of the annex that are not sums, with their aggregation.
NOT_SUMS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "MPIIO_EXT_ATOMIC": max,
    "MPIIO_EXT_NB_OUTSTANDING_MAX": max,
    "POSIX_EXT_SPARSE_SIZE": max,
    "POSIX_EXT_SPARSE_ALLOCATED": max,
    "STDIO_EXT_BUFFER_BYTES": max,
    "MPIIO_EXT_F_READ_DONE_TIMESTAMP": max,
    "MPIIO_EXT_F_WRITE_DONE_TIMESTAMP": max,
    "SHARED_HIGHEST_RANK": max,
    "SHARED_LOWEST_RANK": last,
    "SHARED_MODULE": last,
    "LAYERS_UPPER_MODULE": last,
    "LAYERS_LAYOUT": last,
    "LAYERS_FILTERS": last,
    "LAYERS_CHUNK_BYTES": last,
    "LAYERS_CHUNK_CACHE_BYTES": last,
    "LAYERS_CHUNK_CACHE_SLOTS": last,
    "LAYERS_F_CHUNK_CACHE_PREEMPTION": last,
    "PROCESS_PID": last,
    "PROCESS_PARENT": last,
    "PROCESS_PARENT_RANK": last,
    "PROCESS_LAUNCHER": last,
    "PROCESS_JOB_RANKS": last,
    "PROCESS_ENDED": last,
    "PROCESS_STATUS": last,
    "PROCESS_WORLD_RANK": last,
    "PROCESS_WORLD_SIZE": last,
    "PROCESS_LAUNCH": last,
    "PROCESS_UNSEEN": last,
    "PROCESS_F_START_TIMESTAMP": earliest,
    "PROCESS_F_END_TIMESTAMP": max,
    "GROUP_KIND": max,
    "GROUP_FILES": max,
    **{name: bits for name in LAYOUTS["GROUP"][1].counters if "_SKETCH_" in name},
    "SITES_KIND": last,
    "SITES_FRAMES": last,
    "SITES_FILE_BITS": bits,
    "SITES_F_LONGEST": max,
    "SITES_F_START_TIMESTAMP": earliest,
    "SITES_F_END_TIMESTAMP": max,
}


def sum_or_unknown(values: Iterable[int]) -> int:
    """Returns the sum of the values, added in the order of the records. It does not fall below -1
    (unknown) and does not exceed 2^63 - 1."""
    total = 0
    for value in values:
        total = min(max(total + value, -1), (1 << 63) - 1)
    return total


def site_files(records: Sequence[Counted]) -> dict[str, int]:
    """Returns the counters of the four files with most calls and of the four with most bytes, over
    the SITES records of all call sites together."""
    total: dict[str, int] = {}
    for measure in ("CALLS", "BYTES"):
        names = f"SITES_FILE{{}}_BY_{measure}", f"SITES_FILE{{}}_{measure}"
        total |= {name.format(i): 0 for name in names for i in range(1, 5)}
        for record in records:
            if names[0].format(1) in record.counters:
                add_common(*names, total, record.counters)
    return total


def site_ranks(records: Sequence[Counted]) -> dict[str, float]:
    """Returns the fastest and the slowest rank and their seconds over all SITES records, which are
    known only if all are of one call site; otherwise the ranks are -1 and the seconds 0."""
    kinds = ("OPEN", "CLOSE", "READ", "WRITE", "LOOKUP", "SEEK", "SYNC", "OTHER")
    total: dict[str, float] = {}
    for i, record in enumerate(records):
        for word in ("FASTEST", "SLOWEST"):
            rank, spent = f"SITES_{word}_RANK", f"SITES_F_{word}_RANK_TIME"
            mine = (record.rank, sum(record.fcounters[f"SITES_F_{kind}_TIME"] for kind in kinds))
            if record.rank == -1:
                mine = (record.counters.get(rank, -1), record.fcounters.get(spent, -1.0))
            better = i == 0 or (
                mine[1] < total[spent] if word == "FASTEST" else mine[1] > total[spent]
            )
            if len({each.id for each in records[: i + 1]}) > 1:
                total |= {rank: -1, spent: 0.0}
            elif better:
                total |= {rank: mine[0], spent: mine[1]}
    return total


def annex_totals(module: str, records: Sequence[Counted]) -> dict[str, str]:
    """Returns the values that --total prints for a module of the annex, as text by counter name;
    most are sums over the records."""
    out = {}
    newest = max(LAYOUTS[module])
    if module == "GROUP":
        records = [replace(r, counters=with_files(r.counters)) for r in records]
    lists = site_files(records) if module == "SITES" else {}
    ranks = site_ranks(records) if module == "SITES" else {}
    added = sum if module == "SITES" else sum_or_unknown  # a site knows all its counters
    for name in LAYOUTS[module][newest].counters:
        if name in lists:
            out[f"total_{name}"] = str(lists[name])
            continue
        if name in ranks:
            out[f"total_{name}"] = str(ranks[name])
            continue
        if name not in records[0].counters:
            out[f"total_{name}"] = str(NOT_YET.get(name, -1))
            continue
        total = NOT_SUMS.get(name, added)(r.counters[name] for r in records)
        out[f"total_{name}"] = str(total)
    for name in LAYOUTS[module][newest].fcounters:
        if name in ranks:
            out[f"total_{name}"] = f"{ranks[name]:f}"
            continue
        if name not in records[0].fcounters:
            if name in NOT_YET:
                out[f"total_{name}"] = f"{NOT_YET[name]:f}"
            continue
        out[f"total_{name}"] = f"{NOT_SUMS.get(name, sum)(r.fcounters[name] for r in records):f}"
    return out


def totals(module: str, records: Sequence[Counted]) -> dict[str, str]:
    """Returns the values that --total prints for a module, as text by counter name."""
    all_views = views(module, records)
    total = dict.fromkeys(all_views[0].counters, 0)
    ftotal = dict.fromkeys(all_views[0].fcounters, 0.0)
    for i, v in enumerate(all_views, 1):
        one_id = len({each.id for each in all_views[:i]}) == 1
        add_counters(module, total, v)
        add_fcounters(total, ftotal, v)
        add_ranks(total, ftotal, all_views[:i], one_id)
    prefix = f"total_{PREFIXES[module]}_"
    out = {prefix + name: str(value) for name, value in total.items()}
    return out | {prefix + name: f"{value:f}" for name, value in ftotal.items()}
