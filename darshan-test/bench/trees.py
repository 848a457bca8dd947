"""Measures a run of many short processes: the cost of each, the size of the parts that they leave
(the log of each process, which is merged later), and the cost of the merge."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from figures import Need, need
from machine import Bench, numbers, plain_environment
from rows import Row

PROCESSES = 10_000
# Processes at the same time.
TOGETHER = 4
# Seconds until the run's log must be there.
LAST = 120  # seconds until the run's log must be there


def used(folder: Path) -> float:
    """Returns the disk space of all files below a folder, in MB."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*")) / 1e6


def alone(bench: Bench) -> Path:
    """Installs the runtime beside a merger that fails, so that the parts of a run remain in its run
    directory. Returns the library's path."""
    folder = bench.empty("alone")
    merger = folder / "darshan-merge"
    merger.write_text("#!/bin/sh\nexit 1\n")
    merger.chmod(0o755)
    shutil.copy2(bench.build / "libdarshan.so", folder)
    return folder / "libdarshan.so"


def merging(bench: Bench, folder: Path) -> Need:
    """Measures the merge of a run's parts, three times; the parts remain. Returns the measured
    needs. folder: the run directory."""
    log = bench.folder / "log"
    command = [str(bench.build / "darshan-merge"), "--run", str(folder), "--keep", "--quiet"]
    script = ["sh", "-c", 'rm -f "$0" && exec "$@"', str(log), *command, "-o", str(log)]
    needed = need(bench, 3, script)
    log.unlink()
    return needed


def log_of(bench: Bench) -> Path:
    """Waits until a run's directory is gone, and returns the path of its only log. Raises
    RuntimeError if there are several logs, or none after LAST seconds."""
    end = time.monotonic() + LAST
    while time.monotonic() < end:
        logs = list((bench.folder / "logs").glob("*.darshan"))
        if logs and not any((bench.folder / "journals").glob("darshan-run.*")):
            if len(logs) != 1:
                raise RuntimeError(f"{len(logs)} logs of one run")
            return logs[0]
        time.sleep(0.1)
    raise RuntimeError("a run has no log")


def trees(bench: Bench) -> list[Row]:
    """Measures runs of many processes, each of which reads a small file. Returns rows of the table
    of results: time per process, size of the parts, merge, and size of the log."""
    data = bench.folder / "data"
    data.write_bytes(bytes(4000))
    command = [bench.program("many"), str(PROCESSES), str(TOGETHER), "/bin/cat", str(data)]
    bench.empty("journals")
    bench.empty("logs")
    _, bare = numbers(command)
    _, ours = numbers(command, bench.settings())
    log = log_of(bench)
    size = log.stat().st_size / 1e3
    parsed = subprocess.run([bench.build / "darshan-parser", log], capture_output=True, check=True)
    (line,) = [x for x in parsed.stdout.splitlines() if x.startswith(b"# nprocs: ")]

    settings = bench.settings() | {"LD_PRELOAD": str(alone(bench))}
    subprocess.run(command, env=plain_environment() | settings, capture_output=True, check=True)
    (left,) = (bench.folder / "journals").glob("darshan-run.*")
    disk = used(left)
    merged = merging(bench, left)
    shutil.rmtree(left)
    each = (ours - bare) / PROCESSES / 1000
    many = f"{PROCESSES:,} processes"
    return [
        Row(
            f"a run of {many}, processor time of each",
            f"+{each:.2f} ms on {bare / PROCESSES / 1000:.2f} ms",
            "1 ms",
            each <= 1,
        ),
        Row(f"what {many} leave until they are merged", f"{disk:.0f} MB", "100 MB", disk <= 100),
        Row(f"merging what {many} left", merged.text(), "2 s; 64 MiB", merged.within(2, 64)),
        Row(f"the one log of {many}", f"{size:.0f} KB, {line.decode()[2:]}", "", True),
    ]
