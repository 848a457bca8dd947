"""Compares the costs of darshan, strace and perf for the same program, in processor time of the
program and its observer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from machine import Bench, plain_environment
from rows import Row

TIMES = 5
SIZE = 4096
# Number of reads, and of writes.
COUNT = 25_600


def spent(command: list[str], environment: dict[str, str]) -> float:
    """Returns the processor time of a command and its descendants, in seconds. Raises
    CalledProcessError if it fails."""
    before = os.times()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - (before.children_user + before.children_system)
    )


def size_of(path: Path) -> int:
    """Returns the bytes of a file, or of the files in a folder; 0 if the path does not exist."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.exists())


def observers(bench: Bench) -> list[Row]:
    """Copies a file with dd, alone and under darshan, strace and perf, in turn. Returns a row for
    each, with its fastest run, the ratio to dd alone, and the bytes that the observer wrote."""
    data, logs, text = bench.folder / "data", bench.empty("logs"), bench.folder / "text"
    data.write_bytes(bytes(SIZE * COUNT))
    copy = ["dd", f"if={data}", f"of={bench.folder / 'copy'}", f"bs={SIZE}"]
    ways = {
        "alone": [],
        "darshan run": [str(bench.build / "darshan"), "run", "-o", str(logs)],
        "strace -f -c": ["strace", "-f", "-c", "-o", str(text)],
        "strace -f": ["strace", "-f", "-o", str(text)],
        "perf trace": ["perf", "trace", "-o", str(text)],
    }
    ways = {name: way for name, way in ways.items() if not way or shutil.which(way[0])}
    environment = plain_environment() | {"DARSHAN_MMAP_LOGPATH": str(bench.folder / "journals")}
    fastest: dict[str, float] = {}
    left: dict[str, int] = {}
    for _ in range(TIMES):
        for name, way in ways.items():
            output = bench.empty("logs") if "darshan" in name else text
            taken = spent([*way, *copy], environment)
            fastest[name] = min(taken, fastest.get(name, taken))
            left[name] = size_of(output) if way else 0
    data.unlink()
    what = f"{2 * COUNT:,} transfers of {SIZE:,} bytes by dd"
    rows = [Row(f"{what}, alone", f"{fastest['alone']:.2f} s of processor time", "", True)]
    for name, seconds in list(fastest.items())[1:]:
        times = seconds / fastest["alone"]
        measured = f"{seconds:.2f} s of processor time, {times:.1f} times; {left[name]:,} bytes"
        rows.append(Row(f"{what}, {name}", measured, "", True))
    return rows
