"""Programs for which the kernel works outside of recorded calls, and look-alikes: outside.py CASE
[cured|prepare]."""

from __future__ import annotations

import _ctypes
import asyncio
import mmap
import os
import pwd
import sqlite3
import sys
import zlib
from pathlib import Path

import numpy as np

PIECE = 32 << 10  # bytes
if sys.argv[1].startswith("checked"):
    import h5py
if sys.argv[1] == "task-each-block":  # so that the others import it when they first use it
    from concurrent.futures import ThreadPoolExecutor


def prepare_pieces_appended() -> None:
    """Writes a file of 24 MiB."""
    Path("run.bin").write_bytes(os.urandom(24 << 20))


def pieces_appended(cured: bool) -> None:
    """Reads a file in pieces, and adds each to all before it; cured: joins them once."""
    data, parts = b"", []
    with open("run.bin", "rb") as file:
        while piece := file.read(PIECE):
            if cured:
                parts.append(piece)
            else:
                data = data + piece
    assert len(data) + sum(map(len, parts)) == 24 << 20


def prepare_map_copied() -> None:
    """Writes a text of 32 MiB with a word here and there."""
    lines = b"".join(b"word%07d %s\n" % (n, b"x" * 52) for n in range((32 << 20) // 65))
    Path("text").write_bytes(lines)


def map_copied(cured: bool) -> None:
    """Looks for words in a mapped file, of which it makes a copy for each; cured: without one."""
    with open("text", "rb") as file:
        text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        for n in range(120):
            whole = text if cured else text[:]
            assert whole.find(b"word%07d" % (n * 1000)) >= 0


def users_asked(cured: bool) -> None:
    """Looks the owner's name up for each line of a list; cured: once for each user."""
    Path("list").write_text("".join(f"{n % 3} file{n}\n" for n in range(24_000)))
    known: dict[int, str] = {}
    with open("list") as file, open("names", "w") as names:
        for line in file:
            user = min(int(line.split()[0]), 1)
            if not cured or user not in known:
                known[user] = pwd.getpwuid(user).pw_name
            names.write(f"{known[user]}\n")


def prepare_arrays_in_steps() -> None:
    """Writes 40 MiB of numbers."""
    np.ones(5 << 20).tofile("fields")


users_asked_plain = users_asked


def plugin_each(cured: bool) -> None:
    """Loads a library for each line of a list, and unloads it; cured: loads it once."""
    Path("list").write_text("".join(f"file{n}\n" for n in range(24_000)))
    loaded = _ctypes.dlopen("libanl.so.1", os.RTLD_NOW) if cured else 0
    with open("list") as file, open("names", "w") as names:
        for line in file:
            if not cured:
                loaded = _ctypes.dlopen("libanl.so.1", os.RTLD_NOW)
            names.write(line)
            if not cured:
                _ctypes.dlclose(loaded)


def arrays_in_steps(_: bool) -> None:
    """Reads a piece for each step, and computes with arrays that it makes anew for each."""
    total = 0.0
    with open("fields", "rb") as file:
        while piece := file.read(1 << 20):
            field = np.frombuffer(piece)
            for _turn in range(30):
                field = np.sqrt(field * 2.0 + 1.0) / 1.5
            total += float(field.sum())
    assert total > 0


def prepare_task_each_line() -> None:
    """Writes a log of 18,000 lines."""
    Path("access.log").write_text("".join(f"host{n % 77} /{n} 200 {n}\n" for n in range(18_000)))


async def _lines(cured: bool) -> int:
    loop, found = asyncio.get_running_loop(), 0
    with open("access.log", encoding="utf-8") as file:
        while True:
            if cured:
                lines = await loop.run_in_executor(None, file.readlines, 1 << 20)
            else:
                line = await loop.run_in_executor(None, file.readline)
                lines = [line] if line else []
            if not lines:
                return found
            found += sum(line.split()[2] == "200" for line in lines)


def task_each_line(cured: bool) -> None:
    """Lets a thread read each line of a file; cured: all lines at once."""
    assert asyncio.run(_lines(cured)) == 18_000


prepare_word_each_task = prepare_task_each_line


async def _words(cured: bool) -> int:
    loop, found = asyncio.get_running_loop(), 0
    with open("access.log", encoding="utf-8") as file:
        for line in file:
            words = line.split() if cured else await loop.run_in_executor(None, line.split)
            found += words[2] == "200"
    return found


def word_each_task(cured: bool) -> None:
    """Lets a thread split each line; cured: splits it itself."""
    assert asyncio.run(_words(cured)) == 18_000


def _packed(block: bytes) -> int:
    with open("packed", "ab") as file:
        return file.write(zlib.compress(block, 1))


def prepare_task_each_block() -> None:
    """Writes a file of 16 MiB."""
    Path("run.bin").write_bytes(np.random.default_rng(5).integers(0, 40, 16 << 20, "u1").tobytes())


def task_each_block(_: bool) -> None:
    """Lets threads compress and write blocks of a file."""
    whole = Path("run.bin").read_bytes()
    with ThreadPoolExecutor(2) as pool:
        blocks = (whole[at : at + 65_536] for at in range(0, len(whole), 65_536))
        assert sum(pool.map(_packed, blocks)) > 0


def ranges_of_an_index(_: bool) -> None:
    """Asks a database for ranges of an index, of which each is a small part of the table."""
    db = sqlite3.connect("rows.db", isolation_level=None)
    db.execute("create table t(station integer, hour integer, heat real)")
    db.execute("begin")
    rows = ((n % 40, n // 40, n * 0.1) for n in range(200_000))
    db.executemany("insert into t values (?, ?, ?)", rows)
    db.execute("create index by_station on t(station, hour, heat)")
    db.execute("commit")
    query = "select count(*), avg(heat) from t where station = ? and hour between ? and ?"
    for n in range(1600):
        (found, _mean) = db.execute(query, (n % 40, n // 40 * 100, n // 40 * 100 + 999)).fetchone()
        assert found > 0


def prepare_vacuum_each() -> None:
    """Makes a database of 18 MiB, with rows of 30 days."""
    db = sqlite3.connect("log.db")
    db.execute("create table session(day integer, data text)")
    rows = ((n // 3000, f"{n:0180d}") for n in range(90_000))
    db.executemany("insert into session values (?, ?)", rows)
    db.commit()


def vacuum_each(cured: bool) -> None:
    """Removes the rows of 20 days, with VACUUM after each day; cured: after the last one."""
    db = sqlite3.connect("log.db", isolation_level=None)
    db.execute("pragma synchronous = off")
    for day in range(20):
        db.execute("delete from session where day = ?", (day,))
        if not cured or day == 19:
            db.execute("vacuum")  # blame: vacuum-each
    db.close()


def checked_after_writing(_: bool) -> None:
    """Writes whole chunks, and reads one plane to check it."""
    with h5py.File("grid.h5", "w") as file:
        made = file.create_dataset(
            "heat", (96, 360, 400), "f4", chunks=(12, 180, 400), compression="gzip",
            compression_opts=1,
        )  # fmt: skip
        values = np.random.default_rng(1).random((12, 180, 400), "f4")
        for at in range(0, 96, 12):
            for row in (0, 180):
                made[at : at + 12, row : row + 180] = values
        assert made[0].mean() > 0


if __name__ == "__main__":
    name = sys.argv[1].replace("-", "_")
    if sys.argv[2:] == ["prepare"]:
        globals().get(f"prepare_{name}", lambda: None)()
    else:
        globals()[name](sys.argv[2:] == ["cured"])
