"""Programs of which several processes use one file at the same time: in_common.py CASE [cured]."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WORKERS = 4


def together(*work: Callable[[], None]) -> None:
    """Runs each function in a separate process, all at the same time."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=one) for one in work]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0


def workers(work: Callable[[int], None]) -> None:
    """Runs four workers at the same time."""
    together(*(lambda number=number: work(number) for number in range(WORKERS)))  # type: ignore[misc]


# --- A state that each process reads and writes back under a lock ------------------


def _update(change: Callable[[dict[str, Any]], Any]) -> Any:
    with open("board.json", "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # blame: board
        state = json.load(file)
        found = change(state)
        file.seek(0)
        file.write(json.dumps(state))
        file.truncate()
        file.flush()
        return found


def _take(state: dict[str, Any]) -> int | None:
    return state["todo"].pop() if state["todo"] else None


def _square(number: int) -> tuple[str, int]:
    return str(number), number * number


def _tasks(_: int) -> None:
    while (number := _update(_take)) is not None:
        key, value = _square(number)
        _update(lambda state: state["done"].__setitem__(key, value))  # noqa: B023 - called at once


def board(cured: bool) -> None:
    """Workers take tasks from a board, and write each result there; cured: the parent keeps it."""
    tasks = list(range(600))
    if cured:
        with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
            done = dict(pool.map(_square, tasks, 50))
        Path("board.json").write_text(json.dumps({"todo": [], "done": done}))
    else:
        Path("board.json").write_text(json.dumps({"todo": tasks, "done": {}}))
        workers(_tasks)
    assert len(json.loads(Path("board.json").read_text())["done"]) == len(tasks)


def numbers(cured: bool) -> None:
    """Workers take numbers from a counter under a lock; cured: a thousand with each lock."""
    Path("next").write_text("0")

    def take(_: int) -> None:
        many = 1000 if cured else 1
        for _round in range(6000 // many):
            with open("next", "r+b", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # blame: numbers
                first = int(file.read())
                file.seek(0)
                file.write(b"%d" % (first + many))

    workers(take)
    assert Path("next").read_text() == "24000"


@contextmanager
def _lock(name: str) -> Iterator[None]:
    with open(name, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # blame: lock-beside
        yield


def lock_beside(cured: bool) -> None:
    """Workers lock another file, and rename each new version to the file; cured: in blocks."""
    Path("total").write_text("0")

    def add(worker: int) -> None:
        many = 500 if cured else 1
        for _round in range(1500 // many):
            with _lock("total.lock"):
                value = int(Path("total").read_text())
                Path(f"total.{worker}").write_text(str(value + many))
                os.replace(f"total.{worker}", "total")

    workers(add)
    assert Path("total").read_text() == "6000"


# --- Without a lock ----------------------------------------------------------------


def lines_of_all(cured: bool) -> None:
    """Workers append to one log, which each opens for each line; cured: one log for each."""

    def log(worker: int) -> None:
        if cured:
            with open(f"log.{worker}", "w") as file:
                file.writelines(f"{worker} {step}\n" for step in range(2000))
            return
        for step in range(2000):
            with open("log", "a") as file:  # blame: lines-of-all
                file.write(f"{worker} {step}\n")

    workers(log)
    logs = ["log"] if not cured else [f"log.{worker}" for worker in range(WORKERS)]
    assert sum(len(Path(log).read_text().splitlines()) for log in logs) == 2000 * WORKERS


def state_for_others(cured: bool) -> None:
    """One process writes its state at each step, and other processes read it; cured: at every
    thousandth step."""
    steps = range(4 if cured else 4000)
    Path("state").write_text("0" * 64)

    def write() -> None:
        for step in steps:
            with open("state", "r+") as file:
                file.write(f"{step:064}")

    def read() -> None:
        seen = [Path("state").read_text() for _ in steps]
        assert len(seen) == len(steps)

    together(write, read, read)


def table_of_all(cured: bool) -> None:
    """Workers change records here and there in one table, each under a lock of its range; cured:
    one process changes it in memory."""
    Path("table").write_bytes(bytes(64 * 4096))
    if cured:
        Path("table").write_bytes(b"\1" * 64 * 4096)
        return

    def change(worker: int) -> None:
        with open("table", "r+b", buffering=0) as file:
            for step in range(40_000):
                at = 64 * ((step * 1103 + worker * 977) % 4096)
                fcntl.lockf(file, fcntl.LOCK_EX, 64, at)  # blame: table-of-all
                record = os.pread(file.fileno(), 64, at)
                os.pwrite(file.fileno(), bytes(64 - len(record)) + record, at)
                fcntl.lockf(file, fcntl.LOCK_UN, 64, at)  # blame: table-of-all

    workers(change)


def grown_and_read(cured: bool) -> None:
    """One process appends to a table, which another reads whole for each look; cured: it reads on
    from where it was."""

    def append() -> None:
        with open("table", "ab", buffering=0) as file:
            for _ in range(600):
                file.write(bytes(4096))

    def look() -> None:
        Path("table").touch()
        with open("table", "rb") as file:
            for _ in range(600):
                if not cured:
                    file.seek(0)
                file.read()  # blame: grown-and-read

    together(append, look)


# --- Files that only look shared -------------------------------------------------


def state_of_each(cured: bool) -> None:
    """Each worker writes its own state at each step, and no process reads it; cured: less often."""

    def save(worker: int) -> None:
        for step in range(5 if cured else 2000):
            with open(f"state.{worker}", "w") as file:  # blame: state-of-each
                file.write(f"{step:064}")

    workers(save)


def one_after_another(cured: bool) -> None:
    """Steps of a run append to one log, one step after another; cured: each step opens it once."""
    for step in range(4):

        def log(step: int = step) -> None:
            if cured:
                with open("log", "a") as file:
                    file.writelines(f"{step} {line}\n" for line in range(3000))
                return
            for line in range(3000):
                with open("log", "a") as file:  # blame: one-after-another
                    file.write(f"{step} {line}\n")

        together(log)


def read_by_workers(cured: bool) -> None:
    """Workers read a file, which was written before they began, for each of their items; cured:
    once each."""
    Path("settings").write_text("x" * 4096)

    def read(_: int) -> None:
        for _round in range(1 if cured else 3000):
            assert len(Path("settings").read_text()) == 4096

    workers(read)


def records_appended(_: bool) -> None:
    """Workers append whole records to one file, which each opens once, and compute between."""

    def append(worker: int) -> None:
        with open("records", "ab", buffering=0) as file:
            for _block in range(10):
                begun = time.monotonic()
                while time.monotonic() - begun < 0.02:
                    sum(range(1000))
                file.write(b"%d\n" % worker * 20_000)

    workers(append)


def blocks_of_numbers(_: bool) -> None:
    """Workers take a block of numbers with each lock, and compute with them."""
    Path("next").write_text("0")

    def take(_: int) -> None:
        for _block in range(6):
            with open("next", "r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                first = int(file.read())
                file.seek(0)
                file.write(str(first + 1000))
            begun = time.monotonic()
            while time.monotonic() - begun < 0.05:
                sum(range(1000))

    workers(take)


def stock_of_one(cured: bool) -> None:
    """One process books sales in a file, under a lock for each; cured: one lock for all."""
    size, number, sales = 16, 5000, 150_000
    Path("stock").write_bytes(bytes(size * number))
    file = os.open("stock", os.O_RDWR)
    if cured:
        fcntl.lockf(file, fcntl.LOCK_EX)
        stock = bytearray(os.read(file, size * number))
        for sale in range(sales):
            stock[sale * 7919 % number * size] |= 1
        os.pwrite(file, stock, 0)
        fcntl.lockf(file, fcntl.LOCK_UN)
        return
    for sale in range(sales):
        at = sale * 7919 % number * size
        fcntl.lockf(file, fcntl.LOCK_EX, size, at)
        record = bytearray(os.pread(file, size, at))
        record[0] |= 1
        os.pwrite(file, record, at)  # blame: stock-of-one
        fcntl.lockf(file, fcntl.LOCK_UN, size, at)


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2:] == ["cured"])
