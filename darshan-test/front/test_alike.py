"""In the tables of files, files with similar names share one row, as in the report, and the
application's own files come first."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from report.pages import text_of

from .conftest import Run
from .screen import fits

# Makes a run last at least 2 s. If the listing of folders takes 1 % of a run, the screen has a line
# for it and one row of files less; in a short run on a busy machine, Python's folders take so long.
LONG = """
import time
time.sleep(2)
"""

# Creates 5,000 files whose names differ in numbers, one of similar name with many more writes, 260
# whose names differ in letters, and 7 others.
MANY = (
    LONG
    + """
import json, colorsys
for i in range(5000):
    open(f"data_{i:04d}.csv", "w").close()
for first in "abcdefghijklmnopqrstuvwxyz":
    for second in "abcdefghij":
        open(f"{first}-{second}.txt", "w").close()
for i in range(7):
    open(f"few{i}.log", "w").close()
with open("data_x.csv", "wb", buffering=0) as file:
    for i in range(20000):
        file.write(b"x" * 1000)
"""
)
# Writes 30 small datasets with similar names to an HDF5 file.
DATASETS = """
import h5py
with h5py.File("one.h5", "w") as file:
    for i in range(30):
        file.create_dataset(f"d{i}", data=range(100))
"""
# A row of the table of files: name, number of files if the row has several, then bytes, calls and
# time.
ROW = re.compile(r"^(\S.*?)(?: \(([\d,]+) files\))? +(?:[\d.]+ \S?i?B +){2}\d+ +[\d.]+ \S+$", re.M)


def run(darshan: Run, script: str) -> list[tuple[str, str]]:
    """Runs `darshan stat` on a Python program. Returns name and number of files of each row of the
    table of files; the number is "" for a row of one file. script: the program's text."""
    done = darshan("stat", sys.executable, "-c", script)
    screen = done.stderr.decode()
    assert done.returncode == 0
    fits(screen)
    table = screen.partition("files by time in I/O")[2]
    return [(name, number) for name, number in ROW.findall(table)]


def in_report(build: Path, work: Path) -> str:
    """Returns the text of the web page with the report on the only log."""
    (log,) = (work / "darshan-logs").iterdir()
    page = work / "page.html"
    command = [build / "darshan-job-summary", "--no-latex", "-o", page, log]
    subprocess.run(command, capture_output=True, check=True)
    return page.read_text()


def test_files_that_are_alike(darshan: Run, build: Path, work: Path) -> None:
    """Files whose names differ in numbers or letters have one row with a pattern and their number,
    the same on the screen and in the report. A file that took much more time has its own row; seven
    files are too few for a pattern."""
    rows = {name.rpartition("/")[2]: number for name, number in run(darshan, MANY)}
    page = in_report(build, work)
    # On a busy machine, a file that took a quarter of the total time has its own row.
    for name, most in (("data_*.csv", 5000), ("*.txt", 260)):
        assert most - 3 <= int(rows[name].replace(",", "")) <= most
        assert f"{work}/{name} ({rows[name]} files)" in page
    assert rows["data_x.csv"] == "" and "few*.log" not in page


def test_files_of_a_virtual_machine_come_last(darshan: Run) -> None:
    """The file in which a Java machine keeps its counters (hsperfdata) has no row if there are
    enough files of the program, however many bytes were written to it."""
    script = f"""{LONG}
import mmap, os
os.mkdir("hsperfdata_me")
with open("hsperfdata_me/17", "w+b", buffering=0) as file:
    for i in range(5000):
        file.write(bytes(64))
    mmap.mmap(file.fileno(), 0)[:] = bytes(320000)
for name in "abcdefgh":
    open(name, "w").write("a line")
"""
    names = [name.rpartition("/")[2] for name, _ in run(darshan, script)]
    assert names and "17" not in names and set(names) <= set("abcdefgh"), names


def test_own_files_come_first(darshan: Run) -> None:
    """The files that Python itself reads come behind all files of the program, however long their
    calls took."""
    rows = run(darshan, "import json, email.parser, http.client\nopen('own', 'w').close()")
    of_python = ("/*", "pyvenv.cfg", ".pth")
    places = [i for i, (name, _) in enumerate(rows) if name.endswith(of_python)]
    assert places and any(name.endswith("/own") for name, _ in rows[: places[0]])
    assert places == list(range(len(rows)))[-len(places) :]


def test_datasets_hide_no_files(darshan: Run) -> None:
    """If the screen has a table of datasets, the table of files still has three rows, and none of
    them is of Python's own files."""
    rows = run(darshan, DATASETS)
    assert len(rows) == 3 and not any(name.endswith("python3/*") for name, _ in rows)


def test_datasets_that_are_alike(darshan: Run, build: Path, work: Path) -> None:
    """In the PDF, the row of similar datasets gives the number of datasets, not of files."""
    run(darshan, DATASETS)
    (log,) = (work / "darshan-logs").iterdir()
    page = work / "page.pdf"
    command = [build / "darshan-job-summary", "--no-latex", "-o", page, log]
    subprocess.run(command, capture_output=True, check=True)
    assert re.search(r"one\.h5:/d\* \((2[0-9]|30) datasets\)", text_of(page))


def test_database_with_a_mapped_index(darshan: Run) -> None:
    """SQLite maps the small index of its write-ahead log. The first row is all the same that of the
    file with the most time, and the files without a row have less time than those with one."""
    script = """
import sqlite3
base = sqlite3.connect("r.db", isolation_level=None)
base.execute("PRAGMA journal_mode = WAL")
base.execute("CREATE TABLE t (a, b)")
base.execute("BEGIN")
base.executemany("INSERT INTO t VALUES (?, ?)", ((i, "x" * 100) for i in range(200_000)))
base.execute("COMMIT")
"""
    done = darshan("stat", sys.executable, "-c", script)
    assert done.returncode == 0
    table = done.stderr.decode().partition("files by time in I/O")[2].splitlines()
    assert re.match(r"\S*r\.db(?:-wal)? ", table[1]), table
