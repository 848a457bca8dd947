"""Computes the numbers of the report's first page a second time, independently: in plain Python
from the rows that darshan-parser prints."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from lab.log import rows_in

PREFIX = {"MPI-IO": "MPIIO"}


@dataclass
class Layer:
    """The sums of one module. sums: by counter without prefix, None if a record lacks the value.
    ids: of its records. records: pairs of id and rank. file_times: seconds of reads, writes and
    metadata operations by record id."""

    sums: dict[str, float | None] = field(default_factory=dict)
    ids: set[int] = field(default_factory=set)
    records: set[tuple[int, int]] = field(default_factory=set)
    file_times: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    def get(self, name: str) -> float | str | None:
        """Returns a sum by the counter's name without prefix; "-" if the module has no such
        counter, None if it is unknown."""
        return self.sums.get(name, "-")


def layers(output: str) -> dict[str, Layer]:
    """Returns for each module the sums of its counters, from the output of darshan-parser."""
    found: dict[str, Layer] = {}
    for module, rank, record, counter, value, *_ in rows_in(output):
        layer = found.setdefault(module, Layer())
        layer.ids.add(record)
        layer.records.add((record, rank))
        prefix = PREFIX.get(module, module) + "_"
        if module in ("LUSTRE", "HEATMAP", "MDHIM", "BG/Q", "APMPI"):
            continue
        name = counter[len(prefix) :]
        number = float(value)
        old = layer.sums.get(name, 0.0)
        unknown = old is None or number == -1
        layer.sums[name] = None if unknown else (old or 0.0) + number
        if name in ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME") and not unknown:
            layer.file_times[record] += number
    _add_beside(output, found)
    return found


def _add_beside(output: str, found: dict[str, Layer]) -> None:
    """Adds the time of operations on names that have no POSIX record, which POSIX_EXT counts, to
    the sums of POSIX."""
    posix = found["POSIX"].ids if "POSIX" in found else set()
    sums: dict[str, float] = defaultdict(float)
    for module, _rank, record, counter, value, *_ in rows_in(output):
        name = counter[len("POSIX_EXT_") :]
        if module != "POSIX_EXT" or (name in ("F_META_TIME", "F_SYNC_TIME") and record in posix):
            continue
        sums[name] += max(float(value), 0.0)
    if sums["MISSES"] > sums["ACCESSES"]:
        sums["F_META_TIME"] += sums["F_MISS_TIME"] * (1 - sums["ACCESSES"] / sums["MISSES"])
    sums["F_META_TIME"] += sums["F_LIST_TIME"]
    for ours, its in (("F_META_TIME", "F_META_TIME"), ("F_SYNC_TIME", "F_WRITE_TIME")):
        if sums[ours]:
            layer = found.setdefault("POSIX", Layer())
            old = layer.sums.get(its, 0.0)
            layer.sums[its] = None if old is None else old + sums[ours]


def header(output: str, key: str) -> str:
    """Returns the value in the line `# key: value`."""
    start = f"# {key}: "
    return next(line[len(start) :] for line in output.split("\n") if line.startswith(start))


def estimates(output: str) -> dict[str, float]:
    """Returns agg_perf_by_slowest in MiB/s by module, from the output of darshan-parser --perf."""
    found, module = {}, ""
    for line in output.split("\n"):
        if line.endswith(" module data"):
            module = line[2 : -len(" module data")]
        if line.startswith("# agg_perf_by_slowest: "):
            found[module] = float(line.split()[2])
    return found
