"""What a process with many files takes: memory of a record, instructions of a file.

Neither depends on how busy the machine is.  The limits are some tenths above what was counted,
since another compiler, C library or size of a page makes other counts.
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
BYTES = 1_400  # of a record: 1,260; 2,160 where the log is made of a copy of all records
FEW = (1_000, 3_000)
INSTRUCTIONS = 14_000  # of a file that is opened and closed, with its part of the log


@pytest.fixture
def bench(build: Path) -> Iterator[Bench]:
    """The programs, and folders for logs and journals, whose names are always as long."""
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


@pytest.mark.needs("program:valgrind")
def test_instructions_of_a_file(bench: Bench) -> None:
    """Of the whole process: counting, and writing the log."""
    totals = []
    for files in FEW:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command += [bench.program("cost"), "open-new", str(files), "1", str(bench.empty("work"))]
        settings = bench.settings(bench.program("libfree.so"))
        done = subprocess.run(
            command, env=settings, capture_output=True, text=True, timeout=300, check=True
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        totals.append(int(found[1]))
    assert (totals[1] - totals[0]) / (FEW[1] - FEW[0]) < INSTRUCTIONS
