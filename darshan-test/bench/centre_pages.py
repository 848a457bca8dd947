#!/usr/bin/env python3
"""Measures how long the pages of `darshan serve` take for a large lake whose files are not in
memory, and how many bytes are read: with stored sums (lake/sums), and without them.

    python3 darshan-test/bench/centre_pages.py LAKE

Makes the sums that the lake lacks, and says how long that took. A server keeps the lake open, so
the time of a page is that of its queries and its HTML, after the first query of an open lake; the
files of the lake leave the page cache before each page."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "pyarrow", "duckdb", "darshan_report")

from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.look.week import newest_day
from darshan_report.lake.serve import job
from darshan_report.lake.serve.pages import render
from darshan_report.lake.serve.request import wanted
from darshan_report.lake.sums.make import complete, there
from darshan_report.units import amount

_PAGES = ("week", "programs", "users", "file-systems", "lines", "jobs")
_ALL = "?since=2000-01-01"


def forget(lake: str) -> None:
    """Removes the lake's files from the page cache."""
    for folder, _, names in os.walk(lake):
        for name in names:
            handle = os.open(os.path.join(folder, name), os.O_RDONLY)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


def read() -> int:
    """Returns the bytes that this process has read by system calls so far."""
    lines = Path("/proc/self/io").read_text("ascii").splitlines()
    return int(next(line for line in lines if line.startswith("rchar")).split()[1])


def measured(asked: Asked, lake: str, address: str) -> str:
    """Returns a text with the elapsed seconds, processor seconds and read bytes of a page. address:
    its path with parameters."""
    forget(lake)
    begun, spent, before = time.monotonic(), time.process_time(), read()
    parsed = wanted(address)
    (job.render if parsed.page == "job" else render)(asked, parsed)
    wall, spent = time.monotonic() - begun, time.process_time() - spent
    return f"{wall:8.2f}{spent:8.2f}{amount(read() - before):>10}"


def main() -> None:
    """Parses the command line and runs the measurement."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("lake")
    options.add_argument("--only-sums", action="store_true", help="do not compare with tables")
    chosen = options.parse_args()
    lake = chosen.lake
    snapshot, begun = Snapshot(lake), time.process_time()
    made = complete(snapshot)
    size = sum(os.path.getsize(os.path.join(lake, path)) for path in there(lake))
    rows = sum(file.rows for file in snapshot.of("jobs"))
    print(f"{rows:,} jobs; sums: {amount(size)}, {made} of them made now in "
          f"{time.process_time() - begun:.1f} s of processors")  # fmt: skip
    with Asked(lake) as asked:
        newest_day(asked)
        names = asked.sql("SELECT any_value(program) AS program, any_value(\"user\") AS who "
                          "FROM jobs").rows()[0]  # fmt: skip
        last = asked.sql("SELECT log, day FROM jobs ORDER BY day DESC LIMIT 1").rows()[0]
        one = (f"program?name={names['program']}", f"user?name={names['who']}",
               f"job?log={last['log']}&since={last['day']}&until={last['day']}")  # fmt: skip
        pages = (*_PAGES, *(f"{page}{_ALL}" for page in _PAGES[1:]), *one)
        with_sums = []
        for page in pages:
            with_sums.append(measured(asked, lake, page))
            if chosen.only_sums:
                print(f"{page:<32}{with_sums[-1]}", flush=True)
    if chosen.only_sums:
        return
    Asked.has_sums = lambda _: False  # type: ignore[method-assign]
    with Asked(lake) as asked:
        without = [measured(asked, lake, page) for page in pages]
    head = f"{'seconds':>8}{'cores':>8}{'read':>10}"
    print(f"{'':<32}{head}    without:{head[9:]}")
    for page, first, second in zip(pages, with_sums, without):
        print(f"{page:<32}{first}    {second}")


if __name__ == "__main__":
    main()
