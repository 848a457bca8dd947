"""The needs of a process with many files stay below limits: memory per record, instructions per
file.

Neither depends on the load of the machine. The limits are some tenths above the measured counts,
because another compiler, C library or page size changes the counts."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import pytest  # noqa: E402 - the lines above find what follows
from call_costs import RAISED  # noqa: E402
from lab.compile import compile_c  # noqa: E402
from machine import Bench, numbers  # noqa: E402

# Two numbers of files, whose memory is subtracted.
FILES = (20_000, 60_000)
# Most bytes per record. Measured were 1,260; it would be 2,160 if the log were made from a copy of
# all records.
BYTES = 1_400
# Two numbers of files, whose instructions are subtracted.
FEW = (1_000, 3_000)
# Most instructions per file that is opened and closed, with its part of the log.
INSTRUCTIONS = 13_000
FEW_RECORDS = "MAX_RECORDS 16 POSIX\n"
# Mapped files of the program.
MAPPINGS = 3_000
# Most instructions per madvise. Measured were 361; one look at each mapping would take 9,000.
LOOKUP = 900
MAPPED = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
  int fd = open(argv[0], O_RDONLY), maps = atoi(argv[1]), calls = atoi(argv[2]);
  char *memory = 0;
  for (int i = 0; i < maps; i++) {
    if (i == maps / 2) memory = mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) return 1;
  }
  for (int i = 0; i < calls; i++)
    if (madvise(memory, 4096, MADV_NORMAL) != 0) return 2;
}
"""
# Most instructions per file past the limit of records. Measured were 3,280; it would be 4,490 with
# a change of the stack.
PAST = 3_700


@pytest.fixture
def bench(build: Path) -> Iterator[Bench]:
    """Yields the benchmark programs, with folders for logs and journals whose names always have the
    same length."""
    command = ["make", "-s", "-C", str(build), "bench-programs"]
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=300, check=True)
    with tempfile.TemporaryDirectory(prefix="darshan-files-", dir="/tmp") as folder:
        bench = Bench(build, Path(folder), 1)
        bench.empty("logs"), bench.empty("journals")
        yield bench


def test_memory_of_a_record(bench: Bench) -> None:
    """The peak memory of a process grows by less than BYTES per record, so its log is written
    without a second copy of all records."""
    settings = bench.settings(bench.program("libfree.so"), RAISED)

    def peak(files: int) -> float:
        watched = ["env", *(f"{name}={value}" for name, value in settings.items())]
        command = [bench.program("cost"), "open-new", str(files), "1", str(bench.empty("work"))]
        return numbers([bench.program("peak"), *watched, *command])[0]

    few, many = (peak(files) for files in FILES)
    assert 1024 * (many - few) / (FILES[1] - FILES[0]) < BYTES


def instructions(command: list[str | Path], settings: dict[str, str]) -> int:
    """Runs a command under callgrind. Returns the instructions of the whole process. settings: its
    whole environment."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        env=settings,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


def instructions_per_file(bench: Bench, configuration: str = "") -> float:
    """Returns the instructions that a process executes for each further file, with the runtime.
    configuration: text of the runtime's configuration file."""
    settings = bench.settings(bench.program("libfree.so"), configuration)
    totals = []
    for files in FEW:
        work = str(bench.empty("work"))
        command = [bench.program("cost"), "open-new", str(files), "1", work]
        totals.append(instructions(command, settings))
    return (totals[1] - totals[0]) / (FEW[1] - FEW[0])


@pytest.mark.needs("program:valgrind")
def test_instructions_of_a_file(bench: Bench) -> None:
    """The instructions per file of an instrumented process, from its first call to its complete
    log, are below the limit INSTRUCTIONS."""
    assert instructions_per_file(bench) < INSTRUCTIONS


@pytest.mark.needs("program:valgrind")
def test_instructions_past_the_limit(bench: Bench) -> None:
    """A file beyond the record limit costs less than PAST instructions: it is added to its group
    record without switching stacks, even if its name has no extension."""
    assert instructions_per_file(bench, FEW_RECORDS) < PAST


@pytest.mark.needs("program:valgrind")
def test_instructions_of_an_advice(bench: Bench, tmp_path: Path) -> None:
    """madvise on memory that is not mapped from a file costs less than LOOKUP instructions, even if
    thousands of files are mapped."""
    program = compile_c(tmp_path, MAPPED)
    calls = 5_000
    totals = [
        instructions([program, str(MAPPINGS), str(n)], bench.settings()) for n in (1, 1 + calls)
    ]
    assert (totals[1] - totals[0]) / calls < LOOKUP
