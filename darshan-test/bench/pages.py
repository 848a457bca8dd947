#!/usr/bin/env python3
"""Measures how long the pages of `darshan serve` take for a large lake, in elapsed time and in the
server's processor time: the median of three requests for each page; then in Chromium, until the
page's script is ready. With --crowd: how long 50 ordinary pages take while 40 clients request
costly ones.

    PYTHONPATH=darshan-test .venv/bin/python darshan-test/bench/pages.py [--crowd] LAKE

questions.py makes a large lake."""

from __future__ import annotations

import argparse
import datetime
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from html import unescape
from pathlib import Path

from report.browser import browser

DARSHAN = Path(__file__).resolve().parents[2] / "build" / "darshan"
# A file system of the lake.
OF = "mount=/scratch"
# Paths of the pages that are requested first.
FIRST = (
    "",
    *(f"{p}{of}" for p in ("programs", "users", "file-systems", "jobs") for of in ("", f"?{OF}")),
)


@contextmanager
def serving(lake: str) -> Iterator[tuple[str, int]]:
    """Starts `darshan serve` for a lake on a free port, yields its address (with a slash at the
    end) and its process id, and ends it after the block. Ends the program if no server starts."""
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
    """Returns the processor seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def most(process: int) -> int:
    """Returns the largest resident memory that a process has had, in MiB; 0 if the kernel does not
    show it."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) >> 10 if found else 0


def fetched(address: str, process: int) -> tuple[float, float, str]:
    """Requests a page three times. Returns the elapsed seconds, the server's processor seconds, and
    the page's text, all of the request with the median of the elapsed seconds. process: the
    server's id."""
    rows = []
    for _ in range(3):
        before, begun = spent(process), time.monotonic()
        with urllib.request.urlopen(address) as answer:
            text = answer.read().decode()
        rows.append((time.monotonic() - begun, spent(process) - before, text))
    return sorted(rows)[1]


def behind(text: str, known: set[str]) -> Iterator[str]:
    """Yields the first link of a page to each kind of page that is not in `known`, and, except for
    jobs, the same page for one file system. Adds the kinds to `known`. text: the page's HTML."""
    for link in map(unescape, re.findall(r'"([a-z-]+\?[^"#:]+)"', text)):
        kind = link.partition("?")[0]
        if kind not in known:
            known.add(kind)
            yield link
            if kind != "job":
                yield f"{link}&{OF}"


def asked(address: str, client: str) -> tuple[int, float]:
    """Requests a page as if for the client with this network address. Returns the HTTP status of
    the response, 0 if the connection was closed, and the elapsed seconds."""
    begun = time.monotonic()
    request = urllib.request.Request(address, headers={"X-Forwarded-For": client})
    try:
        with urllib.request.urlopen(request) as answer:
            answer.read()
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    except OSError:
        status = 0  # the connection was closed
    return status, time.monotonic() - begun


def crowd(lake: str, heavy: int = 40, honest: int = 50) -> None:
    """Prints how long ordinary pages take while `heavy` clients request pages that need much time,
    each for other days. The `honest` ordinary pages are requested ten at a time: first pages that
    are cached, then pages for separate days."""
    over = threading.Event()
    days = (datetime.date(2026, 11, 1) - datetime.timedelta(days=n) for n in itertools.count())
    told: Counter[int] = Counter()

    def costly(top: str, client: str) -> None:
        while not over.is_set():
            status, _ = asked(f"{top}file-systems?{OF}&since={next(days)}", client)
            told[status] += 1

    with serving(lake) as (top, _), ThreadPoolExecutor(heavy + 10) as pool:
        pages = ["", "programs", "users", "file-systems", "jobs"]
        for page in pages:
            asked(top + page, "first")
        for number in range(heavy):
            pool.submit(costly, top, f"crowd{number}")
        time.sleep(20)  # until each of the crowd has had a page
        for what in ("", "?since=2026-10-{0:02}", "?until=2026-11-{0:02}"):
            wanted = [top + pages[n % 5] + what.format(1 + n % 28) for n in range(honest)]
            found = list(pool.map(asked, wanted, (f"{what} {n}" for n in range(honest))))
            took = sorted(seconds for _, seconds in found)
            print(
                f"{what or 'known pages':<24} {dict(Counter(s for s, _ in found))}: "
                f"median {took[honest // 2]:.2f} s, longest {took[-1]:.2f} s"
            )
        over.set()
    print(f"the crowd got {dict(told)}; load {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Parses the command line and runs the measurement."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("--crowd", action="store_true", help="many clients at once")
    options.add_argument("lake")
    chosen = options.parse_args()
    if chosen.crowd:
        crowd(chosen.lake)
        return
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
