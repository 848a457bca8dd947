"""The needs of a process with many files: memory per record, instructions per file.

Neither depends on the load of the machine. The limits are some tenths above the measured counts,
because another compiler, C library or page size changes the counts.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pytest  # noqa: E402 - the line above finds what follows
from call_costs import RAISED  # noqa: E402
from machine import Bench, numbers  # noqa: E402

FILES = (20_000, 60_000)
BYTES = 1_400  # per record: 1,260 measured; 2,160 if the log were made from a copy of all records
FEW = (1_000, 3_000)
INSTRUCTIONS = 13_000  # per file that is opened and closed, with its part of the log
FEW_RECORDS = "MAX_RECORDS 16 POSIX\n"
PAST = 3_700  # per file past the limit of records: 3,280; 4,490 with a change of the stack


@pytest.fixture
def bench(build: Path) -> Iterator[Bench]:
    """Yields the programs, and folders for logs and journals, whose names always have the same
    length."""
    command = ["make", "-s", "-C", str(build), "bench-programs"]
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=300, check=True)
    with tempfile.TemporaryDirectory(prefix="darshan-files-", dir="/tmp") as folder:
        bench = Bench(build, Path(folder), 1)
        bench.empty("logs"), bench.empty("journals")
        yield bench


def test_memory_of_a_record(bench: Bench) -> None:
    """The log is written without a second copy of all records."""
    settings = bench.settings(bench.program("libfree.so"), RAISED)

    def peak(files: int) -> float:
        watched = ["env", *(f"{name}={value}" for name, value in settings.items())]
        command = [bench.program("cost"), "open-new", str(files), "1", str(bench.empty("work"))]
        return numbers([bench.program("peak"), *watched, *command])[0]

    few, many = (peak(files) for files in FILES)
    assert 1024 * (many - few) / (FILES[1] - FILES[0]) < BYTES


def instructions_per_file(bench: Bench, configuration: str = "") -> float:
    """Counts the instructions of whole processes, for each further file."""
    totals = []
    for files in FEW:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command += [bench.program("cost"), "open-new", str(files), "1", str(bench.empty("work"))]
        settings = bench.settings(bench.program("libfree.so"), configuration)
        done = subprocess.run(
            command, env=settings, capture_output=True, text=True, timeout=300, check=True
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        totals.append(int(found[1]))
    return (totals[1] - totals[0]) / (FEW[1] - FEW[0])


@pytest.mark.needs("program:valgrind")
def test_instructions_of_a_file(bench: Bench) -> None:
    """The instructions per file of a whole process, with counting and the log, are below the
    limit."""
    assert instructions_per_file(bench) < INSTRUCTIONS


@pytest.mark.needs("program:valgrind")
def test_instructions_past_the_limit(bench: Bench) -> None:
    """A file without a record of its own joins its group without a change of the stack, although
    its name has no extension."""
    assert instructions_per_file(bench, FEW_RECORDS) < PAST
