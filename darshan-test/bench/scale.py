#!/usr/bin/env python3
"""Simulates the end of a job for 1, 4, 16 and more ranks, and shows the time, the messages and the
size of its log as a table and a plot.

scale.py --build BUILD [--largest 65536] [--svg FILE]"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from machine import Bench
from rank_figures import Played, play, sizes
from rows import Row

LARGEST = 65536
# Name of the plot.
PICTURE = "ranks.svg"


def draw(played: list[Played], path: Path) -> None:
    """Draws the time and traffic of a rank against the number of ranks, as an SVG picture. path: of
    the picture. Raises ImportError without Matplotlib."""
    mpl, pyplot = (importlib.import_module(name) for name in ("matplotlib", "matplotlib.pyplot"))
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "ranks"
    figure, (time, traffic) = pyplot.subplots(1, 2, figsize=(8, 3), layout="constrained")
    at = [p.ranks for p in played]
    time.plot(at, [p.seconds * 1e3 for p in played], "o-", label="until the log is complete")
    time.plot(at, [p.busiest * 1e3 for p in played], "s--", label="at work, busiest rank")
    time.set_ylabel("milliseconds")
    traffic.plot(at, [p.traffic / 1e3 for p in played], "o-", label="busiest rank, all messages")
    traffic.plot(at, [p.message / 1e3 for p in played], "s--", label="largest message")
    traffic.set_ylabel("KB")
    for axes in (time, traffic):
        axes.set_xscale("log", base=4)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("ranks")
        axes.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def jobs(build: Path, largest: int) -> Iterator[Played]:
    """Yields the simulated cost of the log for jobs of 1, 4, 16 ... ranks. largest: limit of the
    ranks."""
    program = build / "darshan-test" / "ranks" / "play"
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes(largest):
            yield play(program, Path(folder), count)


def simulated(bench: Bench) -> list[Row]:
    """Returns a row for each number of ranks, and draws the picture if Matplotlib is installed."""
    played = list(jobs(bench.build, LARGEST))
    with contextlib.suppress(ImportError):
        draw(played, bench.folder / PICTURE)
    return [
        Row(
            f"the log of {p.ranks:,} rank{'s' if p.ranks > 1 else ''}, simulated",
            f"{p.seconds * 1e3:.1f} ms, busiest rank {p.busiest * 1e3:.1f} ms; busiest rank"
            f" {p.traffic / 1e3:.0f} KB in messages of at most {p.message / 1e3:.0f} KB;"
            f" log {p.size / 1e3:.0f} KB",
            "",
            True,
        )
        for p in played
    ]


def main() -> None:
    """Parses the command line and runs the simulation."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", type=Path, default=Path.cwd())
    options.add_argument("--largest", type=int, default=LARGEST)
    options.add_argument("--svg", type=Path)
    chosen = options.parse_args()
    played = []
    print("| ranks | ms | busiest, ms | traffic of a rank, KB | largest message, KB | log, KB |")
    print("|---|---|---|---|---|---|", flush=True)
    for p in jobs(chosen.build.resolve(), chosen.largest):
        played.append(p)
        print(
            f"| {p.ranks:,} | {p.seconds * 1e3:.1f} | {p.busiest * 1e3:.1f} "
            f"| {p.traffic / 1e3:.0f} | {p.message / 1e3:.0f} | {p.size / 1e3:.0f} |",
            flush=True,
        )
    if chosen.svg:
        draw(played, chosen.svg)


if __name__ == "__main__":
    main()
