"""A source compiled in several ways leaves the same numbers in the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compile import compile_c, compiler
from lab.environment import plain
from lab.log import Log
from lab.watch import watch
from run_case import HERE

WAYS = [
    ("-O0",),
    ("-O2",),
    ("-O2", "-D_FORTIFY_SOURCE=2"),
    ("-O2", "-D_FORTIFY_SOURCE=3"),
    ("-O2", "-D_FILE_OFFSET_BITS=64"),
    ("-O2", "-std=c99", "-D_GNU_SOURCE"),
]
COUNTERS = {
    "descriptor": {
        "POSIX_OPENS": 2,
        "POSIX_WRITES": 1,
        "POSIX_BYTES_WRITTEN": 1000,
        "POSIX_READS": 20,
        "POSIX_BYTES_READ": 1000,
        "POSIX_STATS": 3,
    },
    "formatted": {
        "STDIO_OPENS": 1,
        "STDIO_WRITES": 15,
        "STDIO_BYTES_WRITTEN": 124,
    },
    "characters": {
        "STDIO_OPENS": 2,
        "STDIO_BYTES_WRITTEN": 20000,
        "STDIO_BYTES_READ": 15000,
        "STDIO_MAX_BYTE_WRITTEN": 19999,
    },
    "lines": {
        "STDIO_OPENS": 1,
        "STDIO_WRITES": 20,
        "STDIO_BYTES_WRITTEN": 200,
        "STDIO_READS": 4,
        "STDIO_BYTES_READ": 70,
        "STDIO_SEEKS": 1,
    },
}
STANDARD_OUTPUT = {"STDIO_WRITES": 2, "STDIO_BYTES_WRITTEN": 6}


def log_of(build: Path, program: Path, folder: Path) -> Log:
    """Runs a program that takes a work folder, and returns its log."""
    outcome = watch(build, folder, [program, folder / "work"], plain=plain())
    assert (outcome.status, outcome.stderr, len(outcome.logs)) == (0, b"", 1)
    return outcome.log


@pytest.mark.parametrize("options", WAYS, ids=" ".join)
def test_same_numbers(options: tuple[str, ...], build: Path, tmp_path: Path) -> None:
    """builds.c, compiled with these options, leaves a log with the numbers in COUNTERS for each
    file, and with those in STANDARD_OUTPUT."""
    program = compile_c(tmp_path, HERE / "builds.c", name="builds", first=[*compiler(), *options])
    log = log_of(build, program, tmp_path)
    work = tmp_path.resolve() / "work"
    found = {
        name: {counter: log.value(str(work / name), counter) for counter in counters}
        for name, counters in COUNTERS.items()
    }
    assert found == COUNTERS
    assert {c: log.value("<STDOUT>", c) for c in STANDARD_OUTPUT} == STANDARD_OUTPUT
    # Inlined characters count as fewer operations than bytes.
    writes = log.value(str(work / "characters"), "STDIO_WRITES")
    assert 1 <= writes <= 20000
    assert writes == 20000 or log.total("POSIX_EXT_INLINED") > 0
