"""Compares the time to read a log with this build's libdarshan-util and with the library in
PyDarshan's wheel, in turn: from C, and by PyDarshan itself."""

from __future__ import annotations

import shutil
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from machine import Bench, numbers, plain_environment
from make_large_log import write_log
from rows import Row

# Records of the log.
RECORDS = 100_000
TOP = Path(__file__).resolve().parent.parent.parent
# The tests' virtual environment, with PyDarshan.
VENV = TOP / ".venv"  # the tests' virtual environment, with PyDarshan
REPORT = """
import sys, time
import darshan
start = time.process_time()
report = darshan.DarshanReport(sys.argv[1])
print(time.process_time() - start, len(report.records["POSIX"]), len(report.name_records))
"""


def pydarshan() -> tuple[Path, Path] | None:
    """Returns the folder of PyDarshan's Python package and its C library, as the wheel installed
    them; None if it is not installed."""
    libraries = sorted(VENV.glob("lib/python*/site-packages/darshan.libs/libdarshan-util*.so*"))
    return (libraries[0].parent.parent / "darshan", libraries[0]) if libraries else None


def in_turn(repetitions: int, ways: list[Callable[[], float]]) -> tuple[list[float], float]:
    """Measures several ways, `repetitions` times in turn; each way returns seconds. Returns the
    median of each way's times, and the median ratio of the first way to the second."""
    taken = [tuple(way() for way in ways) for _ in range(repetitions)]
    middles = [statistics.median(column) for column in zip(*taken)]
    return middles, statistics.median(first / second for first, second in taken)


def row(what: str, middles: list[float], ratio: float) -> Row:
    """Returns the row of the table: what reads the log, the two medians in seconds, and their
    ratio."""
    text = f"{middles[0]:.3f} s of processor time, {ratio:.2f} x the {middles[1]:.3f} s of 3.5.0"
    return Row(f"{what} reads {RECORDS:,} records", text, "less than 3.5.0", ratio < 1)


def in_c(bench: Bench, log: Path, libraries: list[Path]) -> Row:
    """Measures a C program with both libraries. Returns a row of the table. libraries: this one,
    then PyDarshan's."""

    def way(library: Path) -> Callable[[], float]:
        def take() -> float:
            time, *counted = numbers([bench.program("read-log"), str(library), str(log)])
            if counted != [RECORDS, RECORDS]:
                raise RuntimeError(f"{library}: {counted} records and names")
            return time / 1e6

        return take

    return row("a C program", *in_turn(bench.repetitions, [way(lib) for lib in libraries]))


def in_python(bench: Bench, log: Path, package: Path) -> Row:
    """Measures PyDarshan with this tree's C library and with its own. For the former, PyDarshan
    runs from a copy without its library, so that it finds the one in LD_LIBRARY_PATH. Returns a row
    of the table of results. package: folder of PyDarshan's Python package."""
    alone, found = bench.empty("alone"), bench.empty("found")
    shutil.copytree(package, alone / "darshan", ignore=shutil.ignore_patterns("*.so", "*.c"))
    (found / "libdarshan-util.so").symlink_to(bench.build / "libdarshan-util.so.0")
    ours = {"PYTHONPATH": str(alone), "LD_LIBRARY_PATH": str(found)}

    def way(settings: dict[str, str]) -> Callable[[], float]:
        def take() -> float:
            done = subprocess.run(
                [VENV / "bin" / "python", "-W", "ignore", "-c", REPORT, log],
                env=plain_environment() | settings, capture_output=True, text=True, check=True,
            )  # fmt: skip
            return float(done.stdout.split()[0])

        return take

    repetitions = max(3, bench.repetitions // 4)  # each takes seconds
    return row("PyDarshan", *in_turn(repetitions, [way(ours), way({})]))


def library(bench: Bench) -> list[Row]:
    """Measures how long a log of 100,000 records takes to read, with this tree's library and with
    that of PyDarshan's wheel. Returns rows of the table of results; if PyDarshan is missing, a row
    that says so."""
    found = pydarshan()
    if not found:
        return [Row("libdarshan-util", f"PyDarshan's wheel is not in {VENV}", "", True)]
    package, theirs = found
    log = bench.folder / "large.darshan"
    write_log(log, RECORDS)
    rows = [
        in_c(bench, log, [bench.build / "libdarshan-util.so.0", theirs]),
        in_python(bench, log, package),
    ]
    log.unlink()
    return rows
