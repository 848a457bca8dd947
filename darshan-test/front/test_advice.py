"""`darshan stat` and the report say to which process or processes a time belongs, and their remedy
fits the calls of the program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

# Two processes take turns, or one holds the lock and the other waits. Each prints its waits.
LOCKED = """
import fcntl, os, sys, time
def work(first, turns):
    waited = 0.0
    with open("results", "a") as out:
        for turn in range(turns):
            begin = time.monotonic()
            fcntl.flock(out, fcntl.LOCK_EX)
            waited += time.monotonic() - begin
            time.sleep(0.3 / turns)
            fcntl.flock(out, fcntl.LOCK_UN)
    print(waited, flush=True)
def hold():
    with open("results", "a") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        if (child := os.fork()) == 0:
            return work(1, 1)
        time.sleep(0.3)
        fcntl.flock(out, fcntl.LOCK_UN)  # the child has this descriptor as well
    os.waitpid(child, 0)
if sys.argv[1] == "hold":
    hold()
else:
    child = os.fork()
    work(child, 6)
    if child:
        os.waitpid(child, 0)
"""

# The values of one column of a table after the other, or all values in their order.
COLUMNS = """
import os, sys
rows, columns = 3000, 60
file = os.open("table", os.O_RDWR | os.O_CREAT)
os.write(file, bytes(rows * columns * 4096))
for i in range(rows * columns):
    at = i % rows * columns + i // rows if sys.argv[1] == "columns" else i
    os.pread(file, 8, at * (4096 if sys.argv[1] == "columns" else 8))
"""

# Names are looked for in a folder, or the next free name is.
LISTED = """
import os, sys
os.mkdir("folder")
for i in range(600):
    os.close(os.open(f"folder/{i}", os.O_CREAT))
for i in range(400):
    known = os.listdir("folder")
    if sys.argv[1] == "free":
        with open(f"folder/{len(known)}", "wb") as file:
            file.write(b"x")
"""
SYNCED = """
import mmap
with open("store", "wb+") as file:
    file.truncate(4096)
    pages = mmap.mmap(file.fileno(), 4096)
    for i in range(200):
        pages[0] = i
        pages.flush()
"""


def told(darshan: Run, work: Path, *command: str) -> tuple[str, str, dict[str, dict[str, Any]]]:
    """Runs a command; returns its output, the screen, and the findings of its log by name."""
    done = darshan("stat", *command)
    (log,) = (work / "darshan-logs").glob("*.darshan")
    (work / "limits").write_text("stake.seconds = 0\nstake.share = 0\nio.fine = 0\n")
    report = darshan("report", "--json", "-o", "-", "--thresholds", "limits", log)
    assert report.returncode == 0, report.stderr.decode()
    found = {finding["name"]: finding for finding in json.loads(report.stdout)["findings"]}
    return done.stdout.decode(), done.stderr.decode(), found


@pytest.mark.parametrize("way", ["turns", "hold"])
def test_a_wait_is_that_of_one_process(darshan: Run, work: Path, way: str) -> None:
    """The text does not present a time that is summed over processes as the wait of one process."""
    output, screen, found = told(darshan, work, sys.executable, "-c", LOCKED, way)
    waits = [float(word) for word in output.split()]
    lock = found["waits-for-locks"]
    # A process in turns waits for the mean; the processor that it then waits for is not counted.
    assert (
        0.5 * sum(waits) / len(waits) < lock["stake"]["run_seconds"] < 1.2 * sum(waits) / len(waits)
    )
    assert "Processes wait for locks" in screen
    words = "each of its 2 processes waited" if way == "turns" else "one of its 2 processes waited"
    assert words in lock["sentence"]
    assert (" on average" in lock["sentence"]) == (way == "turns")


@pytest.mark.parametrize("way", ["columns", "rows"])
def test_a_column_is_not_read_through_a_buffer(darshan: Run, work: Path, way: str) -> None:
    """For a program that reads one column of a table, no buffer is proposed, because a buffer would
    read the unused bytes between the values."""
    _, screen, found = told(darshan, work, sys.executable, "-c", COLUMNS, way)
    remedy = found["small-accesses-read"]["remedy"]
    assert ("buffer" in remedy["text"]) == (way == "rows")
    assert ("whole rows" in remedy["text"]) == (way == "columns")
    assert ("a buffer" if way == "columns" else "whole rows") not in screen
    assert ("loops round" in remedy["text"]) == (way == "columns")


def test_dd_gets_its_own_option(darshan: Run, work: Path) -> None:
    """The remedy for `dd bs=1` is an option of dd that copies the same bytes. A program that only
    read the copy is not blamed for the writes."""
    (work / "raw").write_bytes(bytes(range(256)) * 1500)
    script = "dd if=raw of=copy bs=1 skip=128 count=300000 2>&-; cksum copy"
    _, screen, found = told(darshan, work, "sh", "-c", script)
    writes = found["small-accesses-write"]
    assert "remedy: Call dd with bs=1M" in screen and "flush" not in screen
    assert writes["programs"] == "dd" and "cksum" not in writes["sentence"]
    expected = (work / "copy").read_bytes()
    command = writes["remedy"]["example"].replace("IN", "raw").replace("OUT", "again")
    command = command.replace("skip=BYTES", "skip=128").replace("count=BYTES", "count=300000")
    subprocess.run(command.split(), cwd=work, check=True, capture_output=True)
    assert (work / "again").read_bytes() == expected


@pytest.mark.parametrize("way", ["names", "free"])
def test_a_free_name_is_looked_for(darshan: Run, work: Path, way: str) -> None:
    """The remedy for finding a free name is shown only for a program that creates or tries names.
    The screen shows the time of listing folders, although no file has it."""
    _, screen, found = told(darshan, work, sys.executable, "-c", LISTED, way)
    assert re.search(r"^listing  [\d.]+ m?s of t\.meta", screen, re.M)
    remedy = found["listed-again"]["remedy"]["text"]
    assert ("free name" in remedy) == (way == "free")
    assert ("a set of its entries" in remedy) == (way == "names")


def test_time_of_syncs_is_not_that_of_writes(darshan: Run, work: Path) -> None:
    """A file that was only written through mappings has the time of msync as time of writes; the
    screen says so."""
    done = darshan("stat", sys.executable, "-c", SYNCED)
    assert re.search(r"^syncs    [\d.]+ m?s of t\.write", done.stderr.decode(), re.M)
