"""Processes that wait for a lock file: locks.py CASE [cured]."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from pathlib import Path

WORKERS, ROUNDS = 4, 40


def _compute() -> int:
    return sum(number * number for number in range(60_000))


def _append(line: str) -> None:
    with open("results", "a") as file:
        file.write(line)


def _file(pause: float) -> None:
    """Makes the lock file; tries again, after `pause` seconds, as long as it exists."""
    while True:
        try:
            os.close(os.open("lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY))  # blame: spin-on-file
        except FileExistsError:
            time.sleep(pause) if pause else None
        else:
            return


def _folder() -> None:
    """Makes the lock folder; tries again at once, as long as it exists."""
    while True:
        try:
            os.mkdir("lock")  # blame: spin-on-folder
        except FileExistsError:
            continue
        return


def _spin(folder: bool) -> None:
    for _ in range(ROUNDS):
        _folder() if folder else _file(0.0)
        _append(f"{_compute()}\n")
        os.rmdir("lock") if folder else os.unlink("lock")


def _with_flock() -> None:
    """Computes first, and waits in the kernel."""
    with open("flock", "w") as file:
        for _ in range(ROUNDS):
            result = _compute()
            fcntl.flock(file, fcntl.LOCK_EX)
            _append(f"{result}\n")
            fcntl.flock(file, fcntl.LOCK_UN)


def _sleeping() -> None:
    """Computes first, and sleeps between two tries."""
    for _ in range(ROUNDS):
        result = _compute()
        _file(0.01)
        _append(f"{result}\n")
        os.unlink("lock")


def _work(case: str, cured: bool) -> None:
    if case == "sleep-between":
        _sleeping()
    elif cured:
        _with_flock()
    else:
        _spin(case == "spin-on-folder")


if __name__ == "__main__":
    for _ in range(WORKERS):
        if os.fork() == 0:
            _work(sys.argv[1], sys.argv[2:] == ["cured"])
            os._exit(0)
    for _ in range(WORKERS):
        assert os.wait()[1] == 0
    assert len(Path("results").read_text().split()) == WORKERS * ROUNDS
