#!/usr/bin/env python3
"""Measures the graph of all files by which program produced and read them (the page Lineage of
`darshan serve`, and `darshan ask producers`). In one process, it runs the query of the graph and a
sum over the same records in turn, and prints the ratio of their times.

    python3 darshan-test/bench/lineage.py [--records 2000000] [--passed-on 0.01]

First makes a temporary lake of jobs that each write 50 files. The next job reads a share of them
(--passed-on). --records: how many files all jobs write.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "pyarrow", "duckdb", "darshan_report")

from lake.passed_on import make, measured


def main() -> None:
    """Reads the command line, and runs what it asks for."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("--records", type=int, default=2_000_000)
    options.add_argument("--passed-on", type=float, default=0.01, help="share of the files")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lake = os.path.join(folder, "lake")
        make(lake, chosen.records, chosen.passed_on)
        graph, scan, edges = measured(lake)
    print(f"{chosen.records:,} files, {edges:,} of them read by another job: graph {graph:.2f} s, "
          f"sum {scan:.2f} s of processors: {graph / scan:.2f} times")  # fmt: skip


if __name__ == "__main__":
    main()
