"""The screen of `darshan stat` and the report say to how many processes a time belongs, and their
remedies fit the calls of the program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

# Two processes take turns at a lock, or one holds it and the other waits. Each prints its waits in
# seconds.
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

# Reads the values of one column of a table after the other ("columns"), or all values in the order
# of the file ("rows").
COLUMNS = """
import os, sys
rows, columns = 3000, 60
file = os.open("table", os.O_RDWR | os.O_CREAT)
os.write(file, bytes(rows * columns * 4096))
for i in range(rows * columns):
    at = i % rows * columns + i // rows if sys.argv[1] == "columns" else i
    os.pread(file, 8, at * (4096 if sys.argv[1] == "columns" else 8))
"""

# Lists a folder 400 times, either to search for names, or ("free") to create a file with the next
# free name each time.
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
# Writes to a file only through a mapping, with an msync after each change.
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
    """Runs `darshan stat` on a command. Returns the command's output, the screen, and the findings
    of the log by name, computed without lower limits for their costs."""
    done = darshan("stat", *command)
    (log,) = (work / "darshan-logs").glob("*.darshan")
    (work / "limits").write_text("stake.seconds = 0\nstake.share = 0\nio.fine = 0\n")
    report = darshan("report", "--json", "-o", "-", "--thresholds", "limits", log)
    assert report.returncode == 0, report.stderr.decode()
    found = {finding["name"]: finding for finding in json.loads(report.stdout)["findings"]}
    return done.stdout.decode(), done.stderr.decode(), found


@pytest.mark.parametrize("way", ["turns", "hold"])
def test_a_wait_is_that_of_one_process(darshan: Run, work: Path, way: str) -> None:
    """For two processes that wait for a lock, the finding's seconds are the mean wait of a process
    that waited, not the sum over processes. way: whether both wait in turns or one waits once."""
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
    """For small reads of one column of a table, the remedy is to read whole rows, not to use a
    buffer, which would read the unused bytes between. For small reads in the order of the file
    ("rows"), it is a buffer."""
    _, screen, found = told(darshan, work, sys.executable, "-c", COLUMNS, way)
    remedy = found["small-accesses-read"]["remedy"]
    assert ("buffer" in remedy["text"]) == (way == "rows")
    assert ("whole rows" in remedy["text"]) == (way == "columns")
    assert ("a buffer" if way == "columns" else "whole rows") not in screen
    assert ("loops round" in remedy["text"]) == (way == "columns")


def test_dd_gets_its_own_option(darshan: Run, work: Path) -> None:
    """For `dd bs=1` the remedy is a command line of dd with larger blocks that makes the same copy.
    The finding on small writes names dd, and not the program that only reads the copy."""
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
    """For a folder that is listed again and again, the remedy about free names is shown only if the
    program creates files in it. The screen shows the time of listing, although no file has it."""
    _, screen, found = told(darshan, work, sys.executable, "-c", LISTED, way)
    assert re.search(r"^listing  [\d.]+ m?s of t\.meta", screen, re.M)
    remedy = found["listed-again"]["remedy"]["text"]
    assert ("free name" in remedy) == (way == "free")
    assert ("a set of its entries" in remedy) == (way == "names")


def test_time_of_syncs_is_not_that_of_writes(darshan: Run, work: Path) -> None:
    """For a file that was written only through a mapping, the screen says that the time of writes
    was spent in syncs (msync)."""
    done = darshan("stat", sys.executable, "-c", SYNCED)
    assert re.search(r"^syncs    [\d.]+ m?s of t\.write", done.stderr.decode(), re.M)
