#!/usr/bin/env python3
"""How long the pages of `darshan serve` take over a large lake, by the clock and of the server's
processors: each page three times, the middle one; then in Chromium, until its script is ready.

    PYTHONPATH=darshan-test .venv/bin/python darshan-test/bench/pages.py LAKE

questions.py makes a large lake.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

from report.browser import browser

DARSHAN = Path(__file__).resolve().parents[2] / "build" / "darshan"
OF = "mount=/scratch"  # a file system of the corpus
FIRST = (
    "",
    *(f"{p}{of}" for p in ("programs", "users", "file-systems", "jobs") for of in ("", f"?{OF}")),
)


@contextmanager
def serving(lake: str) -> Iterator[tuple[str, int]]:
    """The server's address and its process."""
    command = [DARSHAN, "serve", "--port", "0", lake]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            line = server.stdout.readline()
            found = re.search(r"http://\S+", line)
            if not found:
                raise SystemExit(f"pages: no server: {line}")
            yield found[0].rstrip("/") + "/", server.pid
        finally:
            server.send_signal(signal.SIGTERM)


def spent(process: int) -> float:
    """Seconds of processors until now."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def most(process: int) -> int:
    """MiB at most."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) >> 10 if found else 0


def fetched(address: str, process: int) -> tuple[float, float, str]:
    """The middle of three times, with its seconds of processors, and the page."""
    rows = []
    for _ in range(3):
        before, begun = spent(process), time.monotonic()
        with urllib.request.urlopen(address) as answer:
            text = answer.read().decode()
        rows.append((time.monotonic() - begun, spent(process) - before, text))
    return sorted(rows)[1]


def behind(text: str, known: set[str]) -> Iterator[str]:
    """The first link of a page to each kind of page that is not known yet, and to the same of one
    file system."""
    for link in map(unescape, re.findall(r'"([a-z-]+\?[^"#:]+)"', text)):
        kind = link.partition("?")[0]
        if kind not in known:
            known.add(kind)
            yield link
            if kind != "job":
                yield f"{link}&{OF}"


def main() -> None:
    """Command line."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("lake")
    chosen = options.parse_args()
    with serving(chosen.lake) as (top, process), tempfile.TemporaryDirectory() as folder:
        pages, known = list(FIRST), {"programs", "users", "file-systems", "jobs", "report"}
        print(f"{'seconds':>8}{'of cores':>10}{'browser':>9}  page")
        with browser(Path(folder)) as window:
            for page in pages:
                wall, used, text = fetched(top + page, process)
                begun = time.monotonic()
                window.open(top + page)
                ready = window.until("return document.documentElement.dataset.ready")
                shown = time.monotonic() - begun
                told = f"{shown:>9.2f}" if ready == "yes" else f"{ready:>9}"
                print(f"{wall:>8.2f}{used:>10.2f}{told}  /{page}", flush=True)
                pages += behind(text, known)
        print(f"the server took {most(process)} MiB, at a load of {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    sys.exit(main())
