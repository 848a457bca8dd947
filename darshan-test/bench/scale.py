#!/usr/bin/env python3
"""How the log of a job grows with its ranks, as a table and a plot.

scale.py --build BUILD [--largest 65536] [--svg FILE]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot
from ranks import Played, play, sizes


def draw(played: list[Played], path: Path) -> None:
    """Time and traffic of a rank against the number of ranks."""
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


def main() -> None:
    """Command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", type=Path, default=Path.cwd())
    options.add_argument("--largest", type=int, default=65536)
    options.add_argument("--svg", type=Path)
    chosen = options.parse_args()
    program = chosen.build.resolve() / "darshan-test" / "ranks" / "play"
    played = []
    print("| ranks | ms | busiest, ms | traffic of a rank, KB | largest message, KB | log, KB |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes(chosen.largest):
            p = play(program, Path(folder), count)
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
