#!/usr/bin/env python3
"""Measures how fast one process converts logs to columns, to Parquet, and to Parquet with findings,
and how fast PyDarshan reads the same logs, in processor time. With --workers: how much faster two
workers of `darshan collect` are than one.

    PYTHONPATH=build/python .venv/bin/python darshan-test/bench/lake.py FOLDER-OF-LOGS

darshan-test/bench/make_logs.py writes such a folder."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "pyarrow", "darshan_report")

from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.read.batch import Batch, Kind
from darshan_report.lake.worker import alone, collect_part
from darshan_report.lake.write.part import Options


def columns(paths: list[str]) -> str:
    """Reads the columns of all logs into the library's memory and drops them. Returns the number of
    records as text. paths: of the logs."""
    batch, done, rows = Batch(40 << 20), 0, 0
    while done < len(paths):
        done += batch.read(paths[done:])
        rows += sum(t.rows for t in batch.tables if t.kind == Kind.RECORDS)
        batch.clear()
    return f"{rows:,} records"


def collected(paths: list[str], findings: bool) -> str:
    """Collects all logs into a new temporary lake, like a worker of `darshan collect`, and commits
    them. findings: whether the rules look at each log, too. Returns the lake's size relative to the
    logs, as text."""
    alone()
    lake = tempfile.mkdtemp(prefix="darshan-bench-")
    try:
        shutil.rmtree(lake)
        storage.make(lake, {})
        publisher = Publisher(lake)
        for first in range(0, len(paths), 2048):
            found = [files.named(path) for path in paths[first : first + 2048]]
            publisher.publish(collect_part(found, Options(lake, findings=findings)))
        made = sum(f.bytes for f in publisher.snapshot.files.values())
        whole = sum(Path(path).stat().st_size for path in paths)
        return f"{made / whole:.2f} times the logs' size"
    finally:
        shutil.rmtree(lake)


def pydarshan(paths: list[str]) -> str:
    """Reads logs as scripts do with PyDarshan: makes data frames of the records of POSIX, STDIO and
    MPI-IO. Returns the number of records as text."""
    import darshan  # noqa: PLC0415 - where it is

    darshan.enable_experimental()
    rows = 0
    for path in paths:
        with darshan.DarshanReport(path, read_all=False) as report:
            for module in report.modules:
                if module in ("POSIX", "STDIO", "MPI-IO"):
                    report.mod_read_all_records(module)
                    rows += len(report.records[module].to_df()["counters"])
    return f"{rows:,} records"


def by_command(folder: Path, workers: int) -> tuple[float, float]:
    """Returns the elapsed seconds and the processor seconds of `darshan collect` with this number
    of worker processes, on a folder of logs; ends the program if the command fails."""
    build = Path(__file__).resolve().parents[2] / "build"
    lake = tempfile.mkdtemp(prefix="darshan-bench-")
    options = ["--workers", str(workers), "--into", f"{lake}/lake", str(folder)]
    begun = time.monotonic()
    try:
        collecting = subprocess.Popen(
            [build / "darshan", "collect", *options],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DARSHAN_PYTHON": sys.executable},
        )
        _, status, used = os.wait4(collecting.pid, 0)
        collecting.returncode = os.waitstatus_to_exitcode(status)
    finally:
        shutil.rmtree(lake)
    if collecting.returncode:
        raise SystemExit(f"darshan collect ended with {collecting.returncode}")
    return time.monotonic() - begun, used.ru_utime + used.ru_stime


def workers(folder: Path, logs: int) -> None:
    """Prints how much faster two workers collect than one. Measures both in turn, twice, because
    the speed of a machine varies. logs: number of logs in the folder."""
    for _ in range(2):
        one, two = (by_command(folder, number) for number in (1, 2))
        for number, (wall, spent) in enumerate((one, two), 1):
            print(
                f"workers: {number}  {wall:.1f} s, {spent:.1f} s of processors, "
                f"{logs / spent:,.0f} logs/s of one"
            )
        load = os.getloadavg()[0]
        print(f"two are {one[0] / two[0]:.2f} times as fast, at a load of {load:.1f}", flush=True)


def main() -> None:
    """Parses the command line and runs the measurement."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--few", type=int, default=300, help="logs for PyDarshan")
    options.add_argument("--workers", action="store_true", help="one against two, nothing else")
    arguments = options.parse_args()
    paths = sorted(map(str, arguments.folder.rglob("*.darshan")))
    if arguments.workers:
        workers(arguments.folder, len(paths))
        return
    cases: dict[str, tuple[list[str], Callable[[list[str]], str]]] = {
        "columns": (paths, columns),
        "parquet": (paths, lambda some: collected(some, False)),
        "parquet and findings": (paths, lambda some: collected(some, True)),
        "PyDarshan, frames": (paths[: arguments.few], pydarshan),
    }
    for name, (some, run) in cases.items():
        begun = time.process_time()
        said = run(some)
        spent = time.process_time() - begun
        rate = len(some) / spent
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{name:<22}{rate:>8,.0f} logs/s  {said}; {most} MiB at most until now", flush=True)


if __name__ == "__main__":
    sys.exit(main())
