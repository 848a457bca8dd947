"""Compares the values that PyDarshan reads from a log with those that darshan-parser prints, one by
one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .tools import data_lines, run

# Modules that are read record by record. PyDarshan 3.5.0 fails on data of the others.
GENERIC = (
    *("POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q"),
    *("DFS", "DAOS"),
)
HEAT_LAYERS = ("POSIX", "MPIIO", "STDIO", "DFS", "DAOS")

# Module, rank, record id, counter, value as text.
Row = tuple[str, int, int, str, str]


def our_rows(parser: Path, log: Path) -> list[tuple[Row, str]]:
    """Returns the rows of data that darshan-parser prints, each as (module, rank, record id,
    counter, value) with the file name. Fails if the parser does."""
    done = run(parser, "--show-incomplete", log)
    assert done.returncode == 0, done.stderr.decode()
    out = []
    for line in data_lines(done.stdout):
        module, rank, number, counter, value, rest = line.decode("latin-1").split("\t", 5)
        row = (module, int(rank), int(number), counter, value)
        out.append((row, rest.rsplit("\t", 2)[0]))
    return out


def generic_rows(report: Any, module: str) -> Iterator[Row]:
    """Yields the rows that PyDarshan has of a module whose records consist of two arrays, as
    (module, rank, record id, counter, value). report: PyDarshan's object of the log."""
    names = report.counters[module]
    for record in report.records[module]:
        start = (module, int(record["rank"]), int(record["id"]))
        for name, value in zip(names["counters"] or [], record["counters"]):
            unsigned = name == "POSIX_RENAMED_FROM"
            yield (*start, name, str(int(value) % (1 << 64) if unsigned else int(value)))
        for name, value in zip(names["fcounters"] or [], record["fcounters"]):
            yield (*start, name, f"{float(value):f}")


# Values that PyDarshan 3.5.0 reads wrongly, by the bytes of the log: module, record versions,
# whether only in logs of the other byte order, and counters without prefix.
SLIPS: tuple[tuple[str, tuple[int, ...], bool, tuple[str, ...]], ...] = (
    ("POSIX", (2, 3), False, ("F_VARIANCE_RANK_TIME", "F_VARIANCE_RANK_BYTES")),
    ("POSIX", (2,), False, ("F_FASTEST_RANK_TIME", "F_SLOWEST_RANK_TIME")),
    ("POSIX", (1, 2, 3), True, ("F_META_TIME", "F_MAX_READ_TIME", "F_MAX_WRITE_TIME")),
    ("PNETCDF_FILE", (1, 2), True, ("OPENS",)),
)


def known_slip(row: Row, version: int, swapped: bool) -> bool:
    """Returns whether PyDarshan 3.5.0 is known to read this value incorrectly. version: of the
    module's records; swapped: whether the log has the other byte order."""
    return any(
        row[0] == module
        and version in versions
        and (swapped or not only_swapped)
        and row[3] in [f"{module}_{counter}" for counter in counters]
        for module, versions, only_swapped, counters in SLIPS
    )


def is_swapped(log: Path) -> bool:
    """Returns whether the log was written in big-endian byte order."""
    return log.read_bytes()[8:16] == (6567223).to_bytes(8, "big")


def compare_generic(report: Any, log: Path, ours: list[tuple[Row, str]]) -> int:
    """Compares the modules in GENERIC. Returns the number of values compared. ours: of
    our_rows()."""
    compared = 0
    for module in GENERIC:
        if module not in report.modules:
            continue
        report.mod_read_all_records(module)
        version = report.modules[module]["ver"]
        theirs = list(generic_rows(report, module))
        # PyDarshan drops records without a name, and has no row for the file's id.
        mine = [
            row
            for row, name in ours
            if row[0] == module
            and name not in ("(null)", "darshan-bgq-record")
            and not row[3].endswith("_FILE_REC_ID")
        ]
        assert len(mine) == len(theirs), (module, len(mine), len(theirs))
        for a, b in zip(mine, theirs):
            slip = known_slip(a, version, is_swapped(log))
            assert a[:4] == b[:4]
            assert a == b or slip, f"ours {a}, PyDarshan {b}"
        compared += len(mine)
    return compared


def compare_heatmaps(report: Any, ours: list[tuple[Row, str]]) -> int:
    """Checks that PyDarshan's heat map bins equal those of the parser, by layer, rank and
    direction. Returns how many bins were compared."""
    if "HEATMAP" not in report.modules:
        return 0
    mine: dict[tuple[str, str, int], list[int]] = {}
    widths: dict[str, set[str]] = {}
    for (module, rank, _, counter, value), name in ours:
        layer = name.rsplit(":", 1)[-1]
        if module != "HEATMAP" or layer not in HEAT_LAYERS:
            continue
        if counter == "HEATMAP_F_BIN_WIDTH_SECONDS":
            widths.setdefault(layer, set()).add(value)
        else:
            kind = counter.split("_")[1].lower()
            mine.setdefault((layer, kind, rank), []).append(int(value))
    report.read_all_heatmap_records()
    theirs = {}
    for layer, heatmap in report.heatmaps.items():
        if layer in widths:
            assert widths[layer] == {f"{float(heatmap._bin_width_seconds):f}"}
            for kind, by_rank in heatmap._data.items():
                for rank, bins in by_rank.items():
                    theirs[layer, kind, int(rank)] = [int(value) for value in bins]
    assert mine == theirs
    return sum(len(bins) for bins in mine.values())


def compare_lustre(report: Any, ours: list[tuple[Row, str]]) -> int:
    """Checks that PyDarshan's stripe sizes, stripe counts and OSTs of every component equal those
    of the parser. Returns how many values were compared."""
    if "LUSTRE" not in report.modules:
        return 0
    mine: dict[tuple[int, int], list[list[int]]] = {}
    for (module, rank, number, counter, value), _ in ours:
        if module != "LUSTRE" or "_COMP" not in counter:
            continue
        parts = mine.setdefault((number, rank), [])
        field = counter.split("_", 2)[2]
        if field == "STRIPE_SIZE":
            parts.append([int(value)])
        elif field == "STRIPE_COUNT" or field.startswith("OST_ID"):
            parts[-1].append(int(value))
    report.mod_read_all_lustre_records("LUSTRE")
    theirs: dict[tuple[int, int], list[list[int]]] = {}
    for record in report.records["LUSTRE"]:
        parts = theirs.setdefault((int(record["id"]), int(record["rank"])), [])
        for part in record["components"]:
            head = [int(part["counters"][0]), int(part["counters"][1])]
            parts.append(head + [int(ost) for ost in part["ost_ids"]])
    assert mine == theirs
    return sum(len(part) for parts in mine.values() for part in parts)


def compare_with_pydarshan(parser: Path, log: Path) -> int:
    """Checks that PyDarshan 3.5.0 reads the values that darshan-parser prints. Returns the number
    of values compared. Raises ImportError without the package darshan."""
    import darshan  # noqa: PLC0415 - slow, and not needed by the other tests

    report = darshan.DarshanReport(str(log), read_all=False)
    ours = our_rows(parser, log)
    compared = compare_generic(report, log, ours)
    compared += compare_heatmaps(report, ours)
    return compared + compare_lustre(report, ours)
