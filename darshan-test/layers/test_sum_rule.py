"""The operations in LAYERS records agree with the totals of POSIX, with the program's own clock,
and with the output of strace."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from .program import APPLICATION, OPERATIONS, Outcome, Program, Row

# The scenarios with HDF5 calls from the start.
SCENARIOS = ("reread", "scattered", "timing", "threads")
ROUNDING = 1e-6  # seconds: the parser prints six digits
REMEMBERED = 96  # ranges that the runtime stores individually
THREADS, TRANSFERS, LENGTH = 2, 2000, 1000  # of threads.c

# Patterns of strace's lines: a transfer of a file, and a mark of the program.
_TRANSFER = re.compile(r"\b(pread64|pwrite64)\(\d+<([^>]*)>, .*, (\d+), (\d+)\) += (\d+)")
_MARK = re.compile(r'access(?:at2?)?\(.*"mark:(\w+)"')


def nothing_lost(outcome: Outcome) -> None:
    """Checks that every POSIX read, write and byte of the run is in exactly one LAYERS record, also
    in its counts by size."""
    for what in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
        assert outcome.below(what) == outcome.posix(what), what
    for kind in ("READ", "WRITE"):
        for row in outcome.layers.values():
            for operation in OPERATIONS:
                starts = f"{operation}_SIZE_POSIX_{kind}_"
                sized = sum(value for name, value in row.items() if name.startswith(starts))
                assert sized == row[f"{operation}_POSIX_{kind}S"], operation


def within(row: Row) -> None:
    """Checks for each operation of a LAYERS record that the POSIX time below it is not longer than
    the operation, and that an operation without calls has no time."""
    for operation in OPERATIONS:
        whole, below = row[f"F_{operation}_TIME"], row[f"F_{operation}_POSIX_TIME"]
        slack = ROUNDING * max(1, row[f"{operation}_CALLS"])
        assert -ROUNDING <= below <= whole + slack, operation
        if row[f"{operation}_CALLS"] == 0:
            assert whole == 0, operation


@pytest.mark.parametrize(
    "scenario",
    [
        *SCENARIOS,
        "early",
    ],
)
def test_adds_up(scenario: str, program: Program) -> None:
    """In the log of each scenario, the calls and bytes of LAYERS add up to those of POSIX exactly,
    and times of POSIX do not exceed those of the HDF5 calls above."""
    outcome = program.run(scenario)
    assert outcome.posix("WRITES") > 0
    nothing_lost(outcome)
    for row in outcome.layers.values():
        within(row)


def test_threads_do_not_mix(program: Program) -> None:
    """The POSIX calls of two threads that do not use HDF5 are attributed to the application to the
    byte, while a third thread calls HDF5."""
    outcome = program.run("threads")
    application = outcome.layers[APPLICATION]
    for kind, moved in (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN")):
        assert application[f"{kind}_POSIX_{kind}S"] == THREADS * TRANSFERS
        lengths = sum(LENGTH + thread for thread in range(THREADS))
        assert application[f"{kind}_POSIX_{moved}"] == lengths * TRANSFERS
    names = [name for name in outcome.modules["POSIX"] if name.endswith("a.h5")]
    (posix,) = (outcome.modules["POSIX"][name] for name in names)
    upper = [row for name, row in outcome.layers.items() if name != APPLICATION]
    for what in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
        found = sum(row[f"{o}_POSIX_{what}"] for row in upper for o in OPERATIONS)
        assert found == posix[what], what


def test_exclusive_times_make_up_the_inclusive_one(program: Program) -> None:
    """The times of the layers without those below add up to the time that the program measured
    around its calls.

    The difference between the two measurements consists of the wrapper's own work, a few library
    queries for opens, and two readings of the clock: well below 0.2 ms per call. The scheduler may
    interrupt a thread in this time, hence another 2 %. The runtime's time can exceed the program's
    only by the error of the clock's calibration, 0.1 %, and by rounding."""
    outcome = program.run("timing")
    upper = [row for name, row in outcome.layers.items() if name != APPLICATION]
    exclusive = posix = 0.0
    for row in upper:
        for operation in OPERATIONS:
            below = row[f"F_{operation}_POSIX_TIME"]
            exclusive += row[f"F_{operation}_TIME"] - below
            posix += below
    assert outcome.spent > 0.1
    assert 0 < posix < exclusive
    rounding = ROUNDING * len(upper) * len(OPERATIONS)
    total = exclusive + posix
    assert total <= outcome.spent * 1.001 + rounding
    assert total >= outcome.spent * 0.98 - 2e-4 * outcome.calls
    # The reads of the datasets happened within another call, and are not part of it.
    datasets = [row for name, row in outcome.layers.items() if "a.h5:/" in name]
    inside = sum(row["F_READ_TIME"] for row in datasets)
    assert [row["READ_CALLS"] for row in datasets] == [1, 1, 1, 1]
    (file,) = (row for name, row in outcome.layers.items() if name.endswith("a.h5"))
    assert file["F_META_TIME"] < inside


def distinct(extents: Iterable[tuple[int, int]]) -> int:
    """Returns the bytes in the union of ranges, each from a start to an exclusive end."""
    total, reached = 0, 0
    for start, end in sorted(extents):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def observed(trace: Path) -> dict[str, list[tuple[int, int]]]:
    """Returns the ranges of a.h5 that were read (pread64) and written (pwrite64) between the marks,
    each as start and exclusive end, from strace's output."""
    found: dict[str, list[tuple[int, int]]] = {"pread64": [], "pwrite64": []}
    inside = False
    for line in trace.read_text(errors="replace").splitlines():
        mark, transfer = _MARK.search(line), _TRANSFER.search(line)
        if mark:
            inside = mark[1] == "begin"
        elif transfer and inside and transfer[2].endswith("/a.h5"):
            start, moved = int(transfer[4]), int(transfer[5])
            found[transfer[1]].append((start, start + moved))
    return found


def traced(program: Program, scenario: str) -> tuple[Row, dict[str, list[tuple[int, int]]]]:
    """Runs a scenario under strace. Returns the dataset's LAYERS record, and the ranges that
    `observed` finds. Fails if their bytes do not agree."""
    trace = program.folder / "trace"
    filters = "trace=pread64,pwrite64,?access,?faccessat,?faccessat2"
    outcome = program.run(scenario, "strace", "-f", "-y", "-s", "0", "-e", filters, "-o", trace)
    row = outcome.dataset()
    seen = observed(trace)
    # No transfer happened while the dataset was created, before the first mark.
    assert row["OPEN_POSIX_READS"] == row["OPEN_POSIX_WRITES"] == 0
    for kind, call, moved in (("READ", "pread64", "READ"), ("WRITE", "pwrite64", "WRITTEN")):
        calls = sum(row[f"{o}_POSIX_{kind}S"] for o in OPERATIONS)
        below = sum(row[f"{o}_POSIX_BYTES_{moved}"] for o in OPERATIONS)
        assert calls == len(seen[call]) > 0
        assert below == sum(end - start for start, end in seen[call])
    return row, seen


def test_distinct_bytes_of_a_program_that_reads_again(program: Program) -> None:
    """For a program that reads each chunk many times, the LAYERS record counts the chunk's bytes
    once as distinct bytes, exactly as computed from strace."""
    row, seen = traced(program, "reread")
    assert row["DISTINCT_BYTES_READ"] == distinct(seen["pread64"])
    assert row["DISTINCT_BYTES_WRITTEN"] == distinct(seen["pwrite64"])
    assert row["DISTINCT_ERROR"] == 0
    moved = sum(row[f"{o}_POSIX_BYTES_READ"] for o in OPERATIONS)
    assert moved > 20 * row["DISTINCT_BYTES_READ"]


def test_distinct_bytes_of_many_places(program: Program) -> None:
    """For a program that accesses more ranges than the runtime stores individually, the distinct
    bytes in the LAYERS record are too many by at most the record's DISTINCT_ERROR."""
    row, seen = traced(program, "scattered")
    truths = [distinct(seen[call]) for call in ("pread64", "pwrite64")]
    shown = [row["DISTINCT_BYTES_READ"], row["DISTINCT_BYTES_WRITTEN"]]
    assert min(map(len, seen.values())) > 3 * REMEMBERED
    assert row["DISTINCT_ERROR"] > 0
    assert all(truth <= number for truth, number in zip(truths, shown))
    assert sum(shown) - row["DISTINCT_ERROR"] <= sum(truths)
