"""Python's own files: lines.py CASE [cured]."""

from __future__ import annotations

import csv
import json
import logging
import os
import pickle
import shutil
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np

MANY = 1200  # files of the folder "many"


def open_per_line(cured: bool) -> None:
    """Opens the file to append each result."""
    if cured:
        with open("log", "a") as log:
            log.writelines(f"step {i}\n" for i in range(600))
        return
    for i in range(600):
        with open("log", "a") as log:  # blame: open-per-line
            log.write(f"step {i}\n")


def print_flush(cured: bool) -> None:
    """Flushes progress lines that no user reads."""
    with open("log", "w") as log:
        for i in range(3000):
            print("step", i, file=log, flush=not cured)  # blame: print-flush


def csv_line_buffered(cured: bool) -> None:
    """Writes rows with buffering=1, which is a write for each line."""
    with open("table.csv", "w", buffering=-1 if cured else 1) as table:
        csv.writer(table).writerows([i, i * 0.5] for i in range(3000))  # blame: csv-line-buffered


def read_unbuffered(cured: bool) -> None:
    """Reads a binary format value by value, without a buffer."""
    with open("input", "rb", buffering=-1 if cured else 0) as file:
        for _ in range(3000):
            assert len(file.read(8)) == 8  # blame: read-unbuffered


def logging_each(cured: bool) -> None:
    """Writes records by a handler of logging, which flushes each."""
    handler = logging.FileHandler("log")
    if cured:
        handler.flush = lambda: None  # type: ignore[method-assign]
    log = logging.Logger("job")
    log.addHandler(handler)
    for i in range(3000):
        log.info("step %d", i)  # blame: logging-each
    handler.close()


def fsync_each(cured: bool) -> None:
    """Calls flush and fsync for each line, as an answer on a web page recommends."""
    with open("log", "w") as log:
        for i in range(250):
            log.write(f"step {i}\n")
            if not cured:
                log.flush()
                os.fsync(log.fileno())  # blame: fsync-each


def json_each(cured: bool) -> None:
    """Reads each sample of a data set from its own file."""
    if cured:
        with open("input", "rb") as file:
            file.read()
        return
    for i in range(MANY):
        with open(f"many/{i}") as file:  # blame: json-each
            assert file.read(1)


def npy_each(cured: bool) -> None:
    """Writes each array of 100 numbers to its own file."""
    rows = np.ones((MANY, 100))
    if cured:
        np.save("all.npy", rows)
        return
    os.mkdir("rows")
    for i, row in enumerate(rows):
        np.save(f"rows/{i}.npy", row)  # blame: npy-each


def exists_each(cured: bool) -> None:
    """Checks for each item, one by one, whether its result exists."""
    done = set(os.listdir(".")) if cured else set()
    for i in range(1500):
        name = f"done.{i}"
        assert not (name in done if cured else os.path.exists(name))  # blame: exists-each


def listdir_each(cured: bool) -> None:
    """Lists a folder for each item."""
    for _ in range(2 if cured else 200):
        assert len(os.listdir("many")) == MANY  # blame: listdir-each


def pickle_again(cured: bool) -> None:
    """Rewrites the whole state after each of many small changes."""
    state = {"table": os.urandom(8 << 20)}
    for step in range(25):
        if cured and step < 24:
            continue
        with open("state.pickle", "wb") as file:
            pickle.dump(state, file)  # blame: pickle-again


def load_again(cured: bool) -> None:
    """Loads a table in each iteration of a loop."""
    for _ in range(1 if cured else 40):
        with open("input", "rb") as file:
            file.read()  # blame: load-again


def sqlite_commit(cured: bool) -> None:
    """Calls commit() after each row."""
    db = sqlite3.connect("results.db")
    db.execute("create table t(i, v)")
    for i in range(60):
        db.execute("insert into t values(?, ?)", (i, i * 0.5))
        if not cured:
            db.commit()  # blame: sqlite-commit
    db.commit()
    db.close()


def sqlite_scans(cured: bool) -> None:
    """Reads a table that is larger than SQLite's page cache, again and again."""
    db = sqlite3.connect("results.db")
    db.execute("create table t(i, v)")
    db.executemany("insert into t values(?, zeroblob(3000))", ((i,) for i in range(1000)))
    db.commit()
    if cured:
        db.execute("PRAGMA cache_size = -200000")
    for _ in range(20):
        db.execute("select sum(i) from t").fetchone()  # blame: sqlite-scans
    db.close()


def memmap_flush(cured: bool) -> None:
    """Flushes an array in a mapped file after each row."""
    rows = np.memmap("rows", "f8", "w+", shape=(150, 512))
    for i in range(150):
        rows[i] = i
        if not cured:
            rows.flush()  # blame: memmap-flush
    rows.flush()


def healthy_save(_: bool) -> None:
    """Saves one large array."""
    np.save("bulk.npy", np.ones(8 << 20))


def healthy_load(_: bool) -> None:
    """Loads one large array."""
    assert len(np.fromfile("input", "u1")) > 0


def healthy_csv(_: bool) -> None:
    """Writes a table of 200,000 lines through the usual buffer."""
    with open("table.csv", "w") as table:
        csv.writer(table).writerows([i, i * 0.5] for i in range(200000))


def healthy_json(_: bool) -> None:
    """Writes one JSON document."""
    with open("all.json", "w") as file:
        json.dump([{"i": i, "v": i * 0.5} for i in range(50000)], file)


def healthy_copy(_: bool) -> None:
    """Copies a file."""
    shutil.copyfile("input", "copy")


def healthy_lines(_: bool) -> None:
    """Reads a file line by line."""
    with open("input", "rb") as file:
        assert sum(1 for _ in file) > 0


def healthy_compute(_: bool) -> None:
    """Writes 20 small files, then sleeps."""
    for i in range(20):
        Path(f"result.{i}").write_text("1\n")
    time.sleep(1)


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2:] == ["cured"])
