"""Measures the cost that SWMR (a single writer beside readers) and flushing add to appending single
elements, and the reason for it."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from instrumented import Counters, Lab, digest, per_cent, plain_environment, print_table

# Bytes of an element.
VALUE = 4


@dataclass(frozen=True)
class Layout:
    """A chunk size and the direction in which the dataset grows, with the results of the source."""

    name: str
    chunk: int  # length of its edge in elements
    growth: str  # option of append
    source: tuple[int, int, int]  # per cent over no SWMR, in the order of MODES[1:]


# The source: SWMR performance data of the HDF Group. Its 2-D chunk is not known; 32 x 32 elements
# is the square nearest to its 1,000 elements.
LAYOUTS = (
    Layout("1-D, chunks of 10 (small)", 10, "line", (40, 197, 48)),
    Layout("1-D, chunks of 1,000 (large)", 1000, "line", (79, 615, 81)),
    Layout("1-D, chunks of 100,000 (huge)", 100_000, "line", (-22, -11, -27)),
    Layout("2-D, in X, chunks of 32 x 32", 32, "x", (37, 61, 19)),
    Layout("2-D, in Y, chunks of 32 x 32", 32, "y", (35, 67, 33)),
    Layout("2-D, diagonal, chunks of 32 x 32", 32, "diagonal", (13, 20, -1)),
)
# Options of append; the numbers are elements between flushes.
MODES: dict[str, tuple[str, ...]] = {
    "no SWMR": (),
    "SWMR": ("--swmr",),
    "every 100": ("--swmr", "--flush", "100"),
    "every 10,000": ("--swmr", "--flush", "10000"),
}


@dataclass
class Measured:
    """Results for one layout and mode: the shortest times in seconds, and the counters of the
    file."""

    seconds: float  # from the creation of the file to its close, without the runtime
    bare: float  # processor time without the runtime
    instrumented: float  # processor time with the runtime
    counters: Counters


@dataclass
class Following:
    """Results of a writer and a reader at the same time: the writer's seconds, and the reader's
    refreshes and counters."""

    seconds: float  # of the writer
    refreshes: int  # of the reader
    reader: Counters  # POSIX counters of the file in the reader's log


@dataclass
class Study:
    """Runs that append `count` elements, with and without the runtime."""

    lab: Lab
    count: int  # elements
    checked: set[tuple[Layout, str]] = field(default_factory=set)

    def command(self, layout: Layout, mode: str, *more: str) -> list[str]:
        """Returns the command of the writer `append`. mode: a key of MODES; more: further
        options."""
        return [
            self.lab.program("swmr-append/append"),
            *("--chunk", str(layout.chunk), "--growth", layout.growth),
            *("--count", str(self.count)),
            *MODES[mode],
            *more,
            "elements.h5",
        ]

    def once(self, layout: Layout, mode: str, *, bare_first: bool = True) -> Measured:
        """Runs a layout and mode without and with the runtime, and measures both. bare_first: the
        order. Raises RuntimeError if they leave different bytes."""
        path = self.lab.folder / "elements.h5"
        runs, left = {}, {}
        for instrumented in (not bare_first, bare_first):
            command = self.command(layout, mode)
            runs[instrumented] = self.lab.run(command, instrumented=instrumented)
            left[instrumented] = digest(path)
            path.unlink()  # otherwise the next run would pay for the truncation
        if left[True] != left[False]:
            raise RuntimeError(f"{layout.name}, {mode}: the file differs under instrumentation")
        log, bare = runs[True].log, runs[False]
        assert log
        counters = self.lab.counters(log)[path.name]
        log.unlink()
        return Measured(float(bare.words[1]), bare.cpu, runs[True].cpu, counters)

    def table(self, rounds: int) -> dict[tuple[Layout, str], Measured]:
        """Measures all layouts and modes `rounds` times in turn, so that a disturbance of the
        machine affects all of them. Returns the results with the shortest times, by layout and
        mode."""
        best: dict[tuple[Layout, str], Measured] = {}
        for i in range(rounds):
            for layout in LAYOUTS:
                for mode in MODES:
                    new = self.once(layout, mode, bare_first=i % 2 == 0)
                    old = best.setdefault((layout, mode), new)
                    old.seconds = min(old.seconds, new.seconds)
                    old.bare = min(old.bare, new.bare)
                    old.instrumented = min(old.instrumented, new.instrumented)
        return best

    def follow(self, mode: str, *, instrumented: bool) -> Following:
        """Runs a writer with the second of LAYOUTS, and a reader at the same time. mode: a key of
        MODES. Returns the results. Raises RuntimeError if one of them fails, or if the reader does
        not see all elements."""
        layout = LAYOUTS[1]
        settings, _ = self.lab.instrumentation() if instrumented else ({}, None)
        command = self.command(layout, mode, "--announce")
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.lab.folder,
            env=plain_environment() | settings,
        ) as writer:
            assert writer.stdout
            if writer.stdout.readline() != "ready\n":
                raise RuntimeError("the writer has not created its file")
            follow = [self.lab.program("swmr-append/follow"), "elements.h5", str(self.count)]
            reader = self.lab.run(follow, instrumented=instrumented)
            seconds = float(writer.stdout.read().split()[1])
        if writer.returncode:
            raise RuntimeError(f"the writer ended with {writer.returncode}")
        if reader.words[-1] != str(self.count):
            raise RuntimeError(f"the reader saw {reader.words[-1]} of {self.count} elements")
        counters = self.lab.counters(reader.log)["elements.h5"] if reader.log else {}
        return Following(seconds, int(reader.words[1]), counters)


def time_rows(best: dict[tuple[Layout, str], Measured]) -> Iterator[list[str]]:
    """Yields a row of cells for each layout: the seconds without SWMR; for each other mode how much
    longer it takes, in per cent, in the source and here; and what the runtime adds, in per cent.
    best: the results of the fastest rounds."""
    for layout in LAYOUTS:
        base = best[layout, "no SWMR"]
        cells = [layout.name, f"{base.seconds:.3f} s"]
        for mode, source in zip(list(MODES)[1:], layout.source):
            cells.append(f"{source:+d} % / {per_cent(best[layout, mode].seconds, base.seconds)}")
        added = sum(best[layout, mode].instrumented for mode in MODES)
        bare = sum(best[layout, mode].bare for mode in MODES)
        yield [*cells, f"{100 * (added / bare - 1):+.1f} %"]


def cause_rows(best: dict[tuple[Layout, str], Measured], count: int) -> Iterator[list[str]]:
    """Yields a row of text for each layout: bytes written by POSIX for each byte appended, and the
    number of writes, for each mode. count: of elements."""
    for layout in LAYOUTS:
        cells = [layout.name]
        for mode in MODES:
            counters = best[layout, mode].counters
            factor = counters["BYTES_WRITTEN"] / (VALUE * count)
            cells.append(f"{factor:.2f} x, {counters['WRITES']:.0f}")
        yield cells


def report(study: Study, rounds: int) -> None:
    """Measures the cases of the study, and prints its tables."""
    best = study.table(rounds)
    print(f"{study.count} elements, least of {rounds} runs; per cent over no SWMR: source / ours")
    print("(what the runtime adds: of processor time, over the row)\n")
    print_table(("", *MODES, "runtime adds"), list(time_rows(best)))
    print("Bytes written to the file per byte appended, and number of writes (POSIX module)\n")
    print_table(("", *MODES), list(cause_rows(best, study.count)))
    print("A reader process beside the writer (1-D, chunks of 1,000, flushed every 100)\n")
    rows = []
    for instrumented in (False, True):
        found = study.follow("every 100", instrumented=instrumented)
        rows.append(
            [
                "instrumented" if instrumented else "bare",
                f"{found.seconds:.3f} s",
                str(found.refreshes),
                f"{found.reader.get('READS', 0):.0f}" if instrumented else "",
                f"{found.reader.get('BYTES_READ', 0):.0f}" if instrumented else "",
            ]
        )
    print_table(("", "writer", "refreshes", "POSIX_READS", "POSIX_BYTES_READ of the reader"), rows)


def main() -> None:
    """Runs the study as the command line says."""
    options = argparse.ArgumentParser(description=__doc__)
    size = options.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="20,000 elements [this]")
    size.add_argument("--full", action="store_true", help="1,000,000 elements")
    options.add_argument("--out", type=Path, help="where to work [a new folder, removed]")
    options.add_argument("--build", type=Path, default=Path.cwd(), help="top of the build folder")
    options.add_argument("--rounds", type=int, default=3, help="runs of everything [3]")
    chosen = options.parse_args()
    count = 1_000_000 if chosen.full else 20_000
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
        report(Study(Lab(chosen.build.resolve(), chosen.out.resolve()), count), chosen.rounds)
        return
    with tempfile.TemporaryDirectory(prefix="swmr-append.") as folder:
        report(Study(Lab(chosen.build.resolve(), Path(folder)), count), chosen.rounds)
