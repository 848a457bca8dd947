"""Programs of several processes: trees.py CASE [cured]."""

from __future__ import annotations

import csv
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import h5py
import numpy as np

TASKS, WORKERS = 12, 2
lines: list[str] = []


def load() -> list[str]:
    """Returns all lines of a text."""
    with open("input") as file:
        return file.readlines()


def count(number: int) -> int:
    """Does a task's work with the table."""
    table = lines or load()
    return sum(len(line) for line in table[number::TASKS])


def table_in_each_worker(cured: bool) -> None:
    """Each task has its own process, and each process loads the table."""
    if cured:
        lines.extend(load())
    with multiprocessing.get_context("fork").Pool(WORKERS, maxtasksperchild=1) as pool:
        assert sum(pool.map(count, range(TASKS), 1)) > 0


def program_for_each(cured: bool) -> None:
    """Starts a program that reads the file for each word."""
    words = [f"000{i} some" for i in range(40)]
    if cured:
        options = [option for word in words for option in ("-e", word)]
        subprocess.run(["grep", "-c", *options, "input"], stdout=subprocess.PIPE, check=True)
        return
    for word in words:  # grep would stop at the first match if its output were /dev/null
        subprocess.run(["grep", "-c", word, "input"], stdout=subprocess.PIPE, check=False)


ONE = """import sys
import numpy
import pyarrow.parquet

for number in sys.argv[1:]:
    print(numpy.arange(int(number)).sum())
"""


def script_for_each(cured: bool) -> None:
    """Starts a script that imports large libraries for each number."""
    Path("one.py").write_text(ONE)
    numbers = [str(number) for number in range(1, 8)]
    for some in [numbers] if cured else [[number] for number in numbers]:
        command = [sys.executable, "one.py", *some]
        subprocess.run(command, stdout=subprocess.PIPE, check=True)  # blame: script-for-each


def script_that_computes(_: bool) -> None:
    """Starts a script for each number that works for much longer than it imports."""
    Path("long.py").write_text("import json\nprint(sum(i * i for i in range(3_000_000)))\n")
    for _number in range(6):
        subprocess.run([sys.executable, "long.py"], stdout=subprocess.PIPE, check=True)


def samples_of_a_worker(number: int) -> int:
    """Loads the list of samples value by value, like a parser."""
    found = 0
    with open("input", "rb", buffering=2048) as file:
        while block := file.read(1024):
            found += len(block)
    return found + number


def loaders(cured: bool) -> None:
    """The workers of a loader start at one time, and each reads the same list."""
    if cured:
        Path("input").read_bytes()
        return
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert len(pool.map(samples_of_a_worker, range(4), 1)) == 4


def rows_of_field(number: int) -> float:
    """Unpacks a whole field for a part of its rows; a negative number: reads only these rows."""
    rows = slice(abs(number) * 256, abs(number) * 256 + 256)
    with h5py.File("field.h5") as file:
        some = file["x"][rows] if number < 0 else file["x"][:][rows]  # blame: field-in-each-worker
    return float(some.sum())


def field_in_each_worker(cured: bool) -> None:
    """Each worker reads and unpacks the whole dataset, of which it needs a part."""
    with h5py.File("made.h5", "w") as file:
        values = (np.arange(1280 * 2048) * 2654435761 >> 20 & 4095).astype("f8")
        packed = {"chunks": (64, 2048), "compression": "gzip", "compression_opts": 1}
        file.create_dataset("x", data=values.reshape(1280, 2048), **packed)
    Path("made.h5").rename("field.h5")
    parts_of_it = [-number if cured else number for number in range(1, 5)]
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert min(pool.map(rows_of_field, parts_of_it, 1)) > 0


# --- healthy ---------------------------------------------------------------------


def part_of_file(number: int) -> int:
    """Reads a quarter of the file."""
    size = Path("input").stat().st_size // 4
    with open("input", "rb") as file:
        file.seek(number * size)
        return len(file.read(size))


def parts(_: bool) -> None:
    """Each worker reads a part of one file."""
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert sum(pool.map(part_of_file, range(4), 1)) > 0


def write_own(number: int) -> None:
    """Writes the result of a worker."""
    np.save(f"result{number}.npy", np.full(1 << 19, number))


def own_files(_: bool) -> None:
    """Each task writes its own result."""
    with multiprocessing.get_context("fork").Pool(3) as pool:
        pool.map(write_own, range(12), 1)


def read_settings(number: int) -> float:
    """Reads settings and works."""
    with open("settings.csv", newline="") as file:
        values = [float(row[1]) for row in csv.reader(file)]
    time.sleep(0.1)
    return values[number]


def settings(_: bool) -> None:
    """All workers read a small file."""
    Path("settings.csv").write_text("".join(f"x{i},{i}\n" for i in range(20)))
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        assert sum(pool.map(read_settings, range(8), 1)) == 28


ROWS, PARTS = 300_000, 4


def _counted(rows: Iterable[list[str]]) -> int:
    return sum(int(row[2]) for row in rows if row[1] == "page7")  # blame: lines-by-workers


def every_line(part: int) -> int:
    """Parses all lines and works on a part of them."""
    with open("access.csv", newline="") as file:
        return _counted(islice(csv.reader(file), part, None, PARTS))


def lines_of_part(part: int) -> int:
    """Parses the lines of a part of the file."""
    size = Path("access.csv").stat().st_size
    begin, end = size * part // PARTS, size * (part + 1) // PARTS
    with open("access.csv", "rb") as file:
        file.seek(begin)
        if begin:
            file.readline()
        text = file.read(end - file.tell()) + file.readline()
    return _counted(csv.reader(text.decode().splitlines()))


def prepare_lines_by_workers() -> None:
    """Writes a large table."""
    rows = (f"2026-11-{n % 30 + 1},page{n % 50},{n % 900},shop,200\n" for n in range(ROWS))
    Path("access.csv").write_text("".join(rows))


def lines_by_workers(cured: bool) -> None:
    """Each worker parses all lines; cured: those of its part."""
    with multiprocessing.get_context("fork").Pool(PARTS) as pool:
        assert sum(pool.map(lines_of_part if cured else every_line, range(PARTS), 1)) > 0


def steps(_: bool) -> None:
    """Starts programs one after another; each reads the output of an earlier one."""
    script = "sort input > sorted && uniq -c sorted > counted && wc -l sorted > lines"
    subprocess.run(["sh", "-c", script], check=True)


if __name__ == "__main__":
    name = sys.argv[1].replace("-", "_")
    if sys.argv[2:] == ["prepare"]:
        globals().get(f"prepare_{name}", lambda: None)()
    else:
        globals()[name](sys.argv[2:] == ["cured"])
