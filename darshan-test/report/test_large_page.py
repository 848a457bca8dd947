"""The page of a log with two million transfers (in most test runs, 120,000): its size, and the
memory and time that a browser needs."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sample import everything
from tree import SOURCE

from .browser import browser
from .conftest import Run

# Limits: bytes of the page, MiB of memory, seconds of loading.
MOST_BYTES, MOST_MIB, MOST_SECONDS = 10_000_000, 150, 3
MAKE = SOURCE / "darshan-test" / "bench" / "make_large_trace.py"


def memory(profile: Path) -> float:
    """Returns the memory in MiB of all processes of a browser; shared memory is counted once.
    profile: the browser's folder."""
    whole = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(profile).encode() in (process / "cmdline").read_bytes():
                rollup = (process / "smaps_rollup").read_text()
                whole += int(re.findall(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[0])
        except OSError:
            continue  # it has ended
    return whole / 1024


@pytest.mark.needs("program:chromium", "program:chromedriver")
def test_two_million(summary: Run, tmp_path: Path) -> None:
    """The page has at most 10 MB, and opening it takes at most 150 MiB of the browser's memory. If
    it takes longer than MOST_SECONDS, the test only prints the time, because the machine may be
    busy."""
    number = 2_000_000 if everything() else 120_000
    log = tmp_path / "big.darshan"
    ranks = ["--ranks", "512"]
    subprocess.run([sys.executable, MAKE, log, "--segments", str(number), *ranks], check=True)
    assert summary("--html", log).returncode == 0
    page = tmp_path / "big.html"
    assert page.stat().st_size <= MOST_BYTES
    (tmp_path / "empty.html").write_text("<!DOCTYPE html><title>empty</title>")
    with browser(tmp_path) as window:
        window.open(tmp_path / "empty.html")
        time.sleep(1)  # waits for the work after the page's start
        before = memory(tmp_path / "profile")
        begin = time.monotonic()
        window.open(page)
        took = time.monotonic() - begin
        assert window.run("return document.documentElement.dataset.ready") == "yes"
        after = memory(tmp_path / "profile")
        said = window.run("return document.querySelector('.lanes ~ .note').textContent")
        assert "are shown one by one: those" in said, said
        assert window.complaints() == []
    assert after - before <= MOST_MIB
    if took > MOST_SECONDS:  # the machine may be busy
        print(f"opened in {took:.1f} s")
