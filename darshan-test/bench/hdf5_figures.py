#!/usr/bin/env python3
"""Measures what the runtime adds to HDF5 calls and to the import of Python wheels.

Bare and instrumented programs run in turn, on one processor. For calls, it prints the difference of
processor time per call between the fastest loops of both, which other processes hardly disturb,
then the range and the median of the differences of pairs. For imports, it prints the median of the
ratios."""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
import statistics
import sys
from pathlib import Path

from machine import Bench, call_cost, description, numbers, scratch
from rows import Row

# Calls of a measurement.
CALLS = 80_000
# Calls of a measurement that creates an object each time.
FEWER = 20_000
# By kind: label, and goal in nanoseconds, None for none.
KINDS = {
    "read": ("H5Dread of one element", 300),
    "write": ("H5Dwrite of one element", 300),
    "open": ("H5Dopen2 and H5Dclose", None),
    "create": ("H5Dcreate2 and H5Dclose, each of a new dataset", None),
    "attribute": ("H5Awrite of one element", None),
    "attribute-read": ("H5Aread of one element", None),
    "attribute-open": ("H5Aopen and H5Aclose", None),
    "group-create": ("H5Gcreate2 and H5Gclose, each of a new group", None),
    "group-open": ("H5Gopen2 and H5Gclose", None),
}
IMPORT = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"


def calls(bench: Bench) -> list[Row]:
    """Measures the time that the runtime adds per HDF5 call, for each kind in KINDS. Returns rows
    of the table of results."""
    rows = []
    for kind, row in KINDS.items():
        count = FEWER if "create" in kind else CALLS
        command = [bench.program("hdf5-cost"), kind, str(count), str(bench.empty("work"))]
        rows.append(call_cost(bench, command, *row))
    return rows


def imports(bench: Bench) -> list[Row]:
    """Measures, for h5py, netCDF4 and PyTables, how much longer an instrumented import takes than a
    bare one: the median of the ratios. Returns rows of the table of results; a package that is
    missing has a row that says so."""
    rows = []
    for module in ("h5py", "netCDF4", "tables"):
        label, goal = f"import {module}", "1.05 times bare"
        if not importlib.util.find_spec(module):
            rows.append(Row(label, "not installed", goal, True))
            continue
        command = [sys.executable, "-c", IMPORT.format(module)]
        numbers(command)  # compiles
        taken = [
            (numbers(command)[0], numbers(command, bench.settings())[0])
            for _ in range(bench.repetitions)
        ]
        bare = statistics.median(first for first, _ in taken)
        ratio = statistics.median(second / first for first, second in taken)
        text = f"{ratio:.3f} times {bare * 1000:.0f} ms"
        rows.append(Row(label, text, goal, ratio <= 1.05))
    return rows


def hdf5(bench: Bench) -> list[Row]:
    """Measures HDF5 calls and imports on one processor, then lets this process use its former
    processors again. Returns rows of the table of results; without HDF5 a row that says so."""
    if not Path(bench.program("hdf5-cost")).exists():
        return [Row("calls of HDF5", "not measured: HDF5 is not installed", "", True)]
    before = os.sched_getaffinity(0)
    stay_on_one_processor()
    try:
        return [*calls(bench), *imports(bench)]
    finally:
        os.sched_setaffinity(0, before)


def stay_on_one_processor() -> None:
    """Restricts this process and its children to one processor, because the caches of another one
    would be cold."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main() -> int:
    """Parses the command line and runs the measurement. Returns the exit status: 1 if a goal is
    missed and --strict is given, else 0."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("DARSHAN_BUILD") or Path.cwd())
    options.add_argument("--build", type=Path, default=default, help="top of the build folder")
    options.add_argument("--repeat", type=int, default=15, help="measurements per figure [15]")
    options.add_argument("--folder", type=Path, help="where to work [a file system in memory]")
    options.add_argument("--strict", action="store_true", help="fail if a goal is missed")
    chosen = options.parse_args()
    if not (chosen.build / "darshan-test" / "bench" / "hdf5-cost").exists():
        options.error(f"no hdf5-cost in {chosen.build}: make darshan-test/bench/hdf5-cost there")
    print(f"{datetime.date.today()}, {description()}\n")
    print("| figure | measured | goal | |\n|---|---|---|---|")
    stay_on_one_processor()
    missed = 0
    with scratch(chosen.folder) as folder:
        bench = Bench(chosen.build.resolve(), folder, chosen.repeat)
        for part in (calls, imports):
            for row in part(bench):
                missed += not row.met
                print(
                    f"| {row.what} | {row.measured} | {row.goal} | {'' if row.met else 'missed'} |"
                )
                sys.stdout.flush()
    return 1 if missed and chosen.strict else 0


if __name__ == "__main__":
    sys.exit(main())
