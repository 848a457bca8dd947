"""The figures and their goals: each function returns rows of the table."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import Added, Bench, interleaved, numbers, plain_environment

HERE = Path(__file__).resolve().parent
# A folder whose files are never recorded, on a file system in memory.
EXCLUDED_FOLDER = Path("/dev/shm")
RAISED = "MAX_RECORDS 200000 POSIX\nMODMEM 400\nNAMEMEM 100\n"


@dataclass
class Row:
    """One line of the table."""

    what: str
    measured: str
    goal: str
    met: bool


@dataclass
class Kind:
    """A kind of call that `cost` times."""

    name: str
    label: str
    calls: int
    in_ticks: float = 0  # goal as a multiple of two counter readings
    in_ns: float = 0  # or in nanoseconds
    excluded: bool = False
    free: bool = False  # there is a variant whose real function costs nothing
    configuration: str = ""
    threads: tuple[int, ...] = (1, 2, 8)


KINDS = [
    Kind("pread", "pread of 64 bytes", 100_000, in_ticks=1.6, free=True),
    Kind("pwrite", "pwrite of 64 bytes", 100_000, in_ticks=1.6, free=True),
    Kind("pread", "pread, excluded path", 100_000, in_ns=5, excluded=True, free=True, threads=(1,)),
    Kind("unknown", "pread, unknown descriptor", 200_000, in_ns=5, free=True, threads=(1,)),
    Kind("lseek", "lseek", 200_000, in_ticks=1.5, free=True),
    Kind("fwrite", "fwrite of 8 bytes", 1_000_000, in_ticks=2.0),
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


def cost(bench: Bench, kind: Kind, threads: int, free: bool) -> Added:
    """What the runtime adds to a kind of call."""
    behind = bench.program("libfree.so") if free else ""
    with_us = bench.settings(behind, kind.configuration)
    without = {"LD_PRELOAD": behind} if behind else {}
    calls = kind.calls * 5 if free else kind.calls // (1 if threads == 1 else 4)

    def one(settings: dict[str, str]) -> float:
        folder = bench.empty("work")
        if kind.excluded:
            folder = EXCLUDED_FOLDER
        result = numbers(
            [bench.program("cost"), kind.name, str(calls), str(threads), str(folder)], settings
        )[0]
        if kind.excluded:
            (EXCLUDED_FOLDER / "pread-0").unlink(missing_ok=True)
        return result

    def ticks() -> float:
        return numbers([bench.program("cost"), "ticks", "300000", "1", str(bench.folder)])[0]

    return interleaved(bench.repetitions, lambda: one(without), lambda: one(with_us), ticks)


def cost_row(kind: Kind, label: str, added: Added, first: Added | None) -> Row:
    """The line of one measurement; first: that with one thread."""
    ratio = added.added / added.ticks
    text = (
        f"{added.added:+.1f} ns ({added.least:.1f} to {added.most:.1f}, fastest"
        f" {added.fastest:+.1f}) on {added.bare:.0f} ns; {ratio:.2f} x {added.ticks:.1f} ns"
    )
    if first:
        times = added.added / first.added if first.added > 0 else 0.0
        return Row(label, f"{text}; {times:.2f} x one thread", "1.2 x one thread", times <= 1.2)
    if kind.in_ticks:
        return Row(label, text, f"{kind.in_ticks} x two readings", ratio <= kind.in_ticks)
    return Row(label, text, f"{kind.in_ns:.0f} ns", added.added <= kind.in_ns)


def calls(bench: Bench) -> list[Row]:
    """Time added to single calls."""
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


def processes(bench: Bench) -> list[Row]:
    """Start, end and memory of small processes."""
    rows = []
    pairs = [f"{name}={value}" for name, value in bench.settings().items()]
    for kind, label in (("idle", "that does nothing"), ("one", "that writes one file")):
        small = [bench.program("small"), kind, str(bench.empty("work"))]
        bare, _, _, ours, *_ = numbers([bench.program("spawn"), "200", *pairs, "--", *small])
        text = f"+{(ours - bare) / 1000:.2f} ms on {bare / 1000:.2f} ms"
        rows.append(Row(f"start and end of a process {label}", text, "0.6 ms", ours - bare <= 600))
    small = [bench.program("small"), "idle", str(bench.folder), "resident"]
    bare_kib, _ = numbers(small)
    all_kib, library = numbers(small, bench.settings())
    added = all_kib - bare_kib - library
    text = f"+{added:.0f} KiB, and {library:.0f} KiB of the library"
    rows.append(Row("resident memory of an idle process", text, "300 KiB", added <= 300))
    return rows


def logs(bench: Bench) -> list[Row]:
    """Size of a log, and the time that the process itself needs for us."""
    folder = bench.empty("logs")
    small = [bench.program("small"), "many", str(bench.empty("work"))]
    timing = bench.settings() | {"DARSHAN_INTERNAL_TIMING": "1"}
    done = subprocess.run(
        small, env=plain_environment() | timing, stderr=subprocess.PIPE, text=True, check=True
    )
    (log,) = folder.glob("*.darshan")
    size = log.stat().st_size
    measured = f"{size / 1000:.1f} KB"
    return [
        Row("log of 1,000 files, one write each", measured, "53 KB", size <= 53_000),
        Row("the runtime's own timing of that process", done.stderr.strip(), "", True),
    ]


@dataclass
class Need:
    """What a command needed: medians of seconds, largest memory."""

    wall: float
    processor: float
    mib: float

    def text(self) -> str:
        """For the table."""
        return f"{self.wall:.2f} s ({self.processor:.2f} s of processor time), {self.mib:.1f} MiB"

    def within(self, seconds: float, mib: float) -> bool:
        """Whether it kept to these limits; a busy machine is not its fault."""
        return min(self.wall, self.processor) <= seconds and self.mib <= mib


def need(bench: Bench, times: int, command: list[str]) -> Need:
    """Measures a command."""
    wall, processor, kib, *_ = numbers([bench.program("spawn"), str(times), "--", *command])
    return Need(wall / 1e6, processor / 1e6, kib / 1024)


def parser(bench: Bench, log: Path) -> Row:
    """The parser, writing into memory."""
    out = bench.folder / "out"
    text = ["sh", "-c", 'exec "$0" "$1" > "$2"', str(bench.build / "darshan-parser"), str(log)]
    needed = need(bench, 5, [*text, str(out)])
    size = out.stat().st_size / 1e6
    out.unlink()
    # The goal is for the 740 MB of another log; this one has more digits.
    limit = 0.8 * size / 740
    label = f"darshan-parser, 100,000 files, {size:.0f} MB of text"
    goal = f"0.8 s for 740 MB, so {limit:.2f} s; 28 MiB"
    return Row(label, needed.text(), goal, needed.within(limit, 28))


def report(bench: Bench, label: str, log: Path, most_seconds: float, most_mib: float) -> Row:
    """The report as PDF."""
    command = [str(bench.build / "darshan-job-summary"), "-o", str(bench.folder / "a.pdf")]
    goal = f"{most_seconds} s, {most_mib:.0f} MiB"
    try:
        command = ["sh", "-c", 'exec "$@" > /dev/null', "sh", *command, str(log)]
        needed = need(bench, 3, command)
    except subprocess.CalledProcessError as error:
        said = str(error.stderr).strip().splitlines()
        return Row(label, f"not measured: {said[0] if said else 'it failed'}", goal, False)
    return Row(label, needed.text(), goal, needed.within(most_seconds, most_mib))


def tools(bench: Bench) -> list[Row]:
    """Parser and report on a log of 100,000 files, report on a small one too."""
    large = bench.folder / "large.darshan"
    subprocess.run([HERE / "make_large_log.py", large], check=True)
    bench.empty("logs")
    numbers([bench.program("small"), "many", str(bench.empty("work"))], bench.settings())
    (common,) = (bench.folder / "logs").glob("*.darshan")
    return [
        parser(bench, large),
        report(bench, "PDF report, 1,000 files", common, 1.2, 150),
        report(bench, "PDF report, 100,000 files", large, 3.0, 250),
    ]


def instructions(bench: Bench) -> list[Row]:
    """Instructions per call, counted by callgrind: they do not depend on the load."""
    rows = []
    for kind in [k for k in KINDS if not (k.excluded or k.configuration)]:
        counts = []
        for settings in ({}, bench.settings()):
            counts.append(per_call(bench, kind.name, settings))
        text = f"{counts[1] - counts[0]:.0f} (bare {counts[0]:.0f})"
        rows.append(Row(f"instructions added: {kind.label}", text, "", True))
    return rows


def per_call(bench: Bench, name: str, settings: dict[str, str]) -> float:
    """Instructions of one more call: the difference of two numbers of calls."""
    totals = []
    for count in (1000, 3000):
        folder = bench.empty("work")
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
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
