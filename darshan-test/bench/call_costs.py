"""The runtime's cost for single calls, in time and in instructions."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import Added, Bench, interleaved, numbers
from rows import Row

# A folder on a file system in memory whose files are never recorded.
EXCLUDED_FOLDER = Path("/dev/shm")
# Configuration with room for 200,000 records.
RAISED = "MAX_RECORDS 200000 POSIX\nMODMEM 400\nNAMEMEM 100\n"


@dataclass
class Kind:
    """A kind of call that the program `cost` times: its name there, its label in the table, the
    number of calls in a measurement, and the goal for the time that the runtime adds."""

    name: str
    label: str
    calls: int
    in_ticks: float = 0  # goal as a multiple of two counter readings; 0: in_ns is the goal
    in_ns: float = 0  # goal in nanoseconds
    excluded: bool = False  # the file is in EXCLUDED_FOLDER
    free: bool = False  # there is a variant with an empty real function
    configuration: str = ""  # text of the runtime's configuration file
    threads: tuple[int, ...] = (1, 2, 8)  # numbers of threads, each of which is measured


KINDS = [
    Kind("pread", "pread of 64 bytes", 100_000, in_ticks=1.6, free=True),
    Kind("pwrite", "pwrite of 64 bytes", 100_000, in_ticks=1.6, free=True),
    Kind("pread", "pread, excluded path", 100_000, in_ns=5, excluded=True, free=True, threads=(1,)),
    Kind("unknown", "pread, unknown descriptor", 200_000, in_ns=5, free=True, threads=(1,)),
    Kind("lseek", "lseek", 200_000, in_ticks=1.5, free=True),
    Kind("fwrite", "fwrite of 8 bytes", 1_000_000, in_ticks=2.0),
    Kind("stat", "stat", 100_000, in_ns=50, threads=(1,)),
    Kind("access", "access", 100_000, in_ns=47, threads=(1,)),
    Kind("fstat", "fstat", 100_000, in_ns=13, threads=(1,)),
    Kind("open", "open and close of the same file", 20_000, in_ns=250, free=True),
    Kind("open-new", "open and close of a new file", 20_000, in_ns=600, free=True),
    Kind(
        "open-new",
        "the same, limits raised so that each has a record",
        20_000,
        in_ns=600,
        configuration=RAISED,
        threads=(1,),
    ),
]


def cost(bench: Bench, kind: Kind, threads: int, free: bool, floor: bool = False) -> Added:
    """Measures how much time the runtime adds to a call of a kind, in ns. threads: number of
    threads that make the calls at the same time. free: the real function returns at once. floor:
    measures, in place of the runtime, an empty wrapper that only reads the clock's counter."""
    behind = bench.program("libfree.so") if free else ""
    with_us = bench.settings(behind, kind.configuration)
    if floor:
        with_us = {"LD_PRELOAD": f"{bench.program('libfloor.so')} {behind}".strip()}
    without = {"LD_PRELOAD": behind} if behind else {}
    calls = kind.calls * 5 if free else kind.calls // (1 if threads == 1 else 4)

    def one(settings: dict[str, str]) -> float:
        folder = EXCLUDED_FOLDER if kind.excluded else bench.empty("work")
        command = [bench.program("cost"), kind.name, str(calls), str(threads), str(folder)]
        result = numbers(command, settings)[0]
        if kind.excluded:
            (EXCLUDED_FOLDER / "pread-0").unlink(missing_ok=True)
        return result

    def ticks() -> float:
        return numbers([bench.program("cost"), "ticks", "300000", "1", str(bench.folder)])[0]

    return interleaved(bench.repetitions, lambda: one(without), lambda: one(with_us), ticks)


def cost_text(added: Added) -> str:
    """Returns an added time as text, with its range, and as a multiple of a reading of the clock's
    counter."""
    return (
        f"{added.added:+.1f} ns ({added.least:.1f} to {added.most:.1f}, fastest"
        f" {added.fastest:+.1f}) on {added.bare:.0f} ns;"
        f" {added.added / added.ticks:.2f} x {added.ticks:.1f} ns"
    )


def cost_row(kind: Kind, label: str, added: Added, first: Added | None) -> Row:
    """Returns the row of one measurement for the table of results, with the added time and its
    goal. label: of the row; first: the measurement with one thread, with which a measurement with
    more threads is compared; None if this is the one with one thread, which is compared with the
    goal of the kind of call."""
    ratio = added.added / added.ticks
    text = cost_text(added)
    if first:
        times = added.added / first.added if first.added > 0 else 0.0
        return Row(label, f"{text}; {times:.2f} x one thread", "1.2 x one thread", times <= 1.2)
    if kind.in_ticks:
        return Row(label, text, f"{kind.in_ticks} x two readings", ratio <= kind.in_ticks)
    return Row(label, text, f"{kind.in_ns:.0f} ns", added.added <= kind.in_ns)


def calls(bench: Bench) -> list[Row]:
    """Measures the time that the runtime adds to single calls. Returns a row of the table of
    results for each kind of call, each number of threads, and, where it exists, the free real
    function."""
    rows = []
    for kind in KINDS:
        for free in (False, True) if kind.free else (False,):
            first = None
            for threads in kind.threads:
                label = f"{kind.label}{', real function free' if free else ''}"
                label += f", {threads} threads" if threads > 1 else ""
                added = cost(bench, kind, threads, free)
                rows.append(cost_row(kind, label, added, first))
                first = first or added
    return rows


def floor(bench: Bench) -> list[Row]:
    """Measures two readings of the clock's counter around a call, which is the least that a timing
    wrapper can add. Returns rows of the table of results, which have no goal."""
    rows = []
    for kind in [k for k in KINDS if k.in_ticks == 1.6]:
        for free in (False, True):
            label = f"an empty timing wrapper: {kind.label}"
            label += ", real function free" if free else ""
            rows.append(Row(label, cost_text(cost(bench, kind, 1, free, floor=True)), "", True))
    return rows


# Kinds whose instructions are counted.
COUNTED = [kind for kind in KINDS if not (kind.excluded or kind.configuration)]


def instructions(bench: Bench) -> list[Row]:
    """Counts, with callgrind, the instructions that the runtime adds per call; they do not depend
    on the machine's load. Returns a row of the table of results for each kind in COUNTED, without a
    goal."""
    return [
        Row(f"instructions added: {kind.label}", f"{added:.0f} (bare {bare:.0f})", "", True)
        for kind in COUNTED
        for bare, added in [instructions_of(bench, kind)]
    ]


def instructions_of(bench: Bench, kind: Kind) -> tuple[float, float]:
    """Returns, for one call of a kind, the instructions of the bare call and the instructions that
    the runtime adds."""
    bare, ours = (per_call(bench, kind.name, env) for env in ({}, bench.settings()))
    return bare, ours - bare


def per_call(bench: Bench, name: str, settings: dict[str, str]) -> float:
    """Returns the instructions of one more call of the kind `name`: the difference between runs
    with two numbers of calls, divided by the difference of the numbers. settings: the whole
    environment of the run. Raises RuntimeError if callgrind prints no count."""
    totals = []
    for count in (1000, 3000):
        folder = bench.empty("work")
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                "--toggle-collect=loop_*",  # without start and end, which vary
                bench.program("cost"),
                name,
                str(count),
                "1",
                str(folder),
            ],
            env=settings,
            capture_output=True,
            text=True,
            check=True,
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found:
            raise RuntimeError(done.stderr)
        totals.append(int(found[1]))
    return (totals[1] - totals[0]) / 2000
