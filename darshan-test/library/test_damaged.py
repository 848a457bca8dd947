"""For a damaged log, the C interface returns NULL or -1 and prints one line for each error. It
never crashes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from logs.bad import Bad, broken_annexes, half_readable, small_log, unreadable
from logs.content import standard_log
from logs.encode import encode
from logs.inprocess import FLIPS
from logs.model import NONE, ZLIB
from logs.tools import run_library
from sample import turning

# The outcome of a log that cannot be opened.
CLOSED = (-1, -1)
# Damaged logs, without those that take long to make, which the reader refuses in the same way.
BAD = [
    bad
    for bad in (*unreadable(), *(bad for bad, _ in (*half_readable(), *broken_annexes())))
    if isinstance(bad.made, bytes)
]


def read(build: Path, kind: str, *logs: Path) -> tuple[Any, list[str]]:
    """Reads logs with libdarshan-util. kind: "ends" for the logs themselves, "cuts" or "flips" for
    changed copies of one log, as in interface.py. Returns the results, and the lines on standard
    error."""
    done = run_library(build / "libdarshan-util.so.0", kind, *logs, module="library.interface")
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert b"\r" not in done.stderr
    return json.loads(done.stdout), done.stderr.decode(errors="replace").splitlines()


def lines_wanted(whole: int, damaged: int) -> int:
    """Returns the number of messages for an outcome: one for a log that cannot be opened, otherwise
    one for each damaged module."""
    return 1 if (whole, damaged) == CLOSED else damaged


@pytest.mark.parametrize(
    "bad", [pytest.param(bad, id=bad.name) for bad in turning(BAD, 0.2, "library-bad")]
)
def test_bad_log(bad: Bad, build: Path, tmp_path: Path) -> None:
    """Each error in a damaged log has one line, which begins with the log's name."""
    log = tmp_path / "bad"
    log.write_bytes(bad.data)
    ((whole, damaged),), lines = read(build, "ends", log)
    assert len(lines) == lines_wanted(whole, damaged), lines
    assert all(line.startswith(f"darshan: {log}: ") for line in lines)


def test_after_the_end_the_first_record_comes_again(build: Path, tmp_path: Path) -> None:
    """After the last record of a module, darshan_log_get_record starts with the first one again,
    because PyDarshan counts the records when it opens a log. interface.py checks this for POSIX."""
    log = tmp_path / "whole"
    log.write_bytes(encode(standard_log({"POSIX": 4, "STDIO": 2})))
    assert read(build, "ends", log) == ([[2, 0]], [])


def test_no_file(build: Path, tmp_path: Path) -> None:
    """A missing file and a folder cannot be opened, and one line each says why."""
    outcome, lines = read(build, "ends", tmp_path / "none", tmp_path)
    assert outcome == [[-1, -1], [-1, -1]]
    assert lines == [
        f"darshan: {tmp_path}/none: No such file or directory",
        f"darshan: {tmp_path}: is a directory",
    ]


@pytest.mark.parametrize(("kind", "compression"), [("cuts", ZLIB), ("flips", ZLIB), ("cuts", NONE)])
def test_every_byte(kind: str, compression: int, build: Path, tmp_path: Path) -> None:
    """A small log that is cut or changed at any byte causes one line for each error, and no
    crash."""
    log = tmp_path / "small"
    data = encode(small_log(compression))
    log.write_bytes(data)
    counted, lines = read(build, kind, log)
    times = {(whole, damaged): count for whole, damaged, count in counted}
    assert sum(times.values()) == 1 + len(data) * (len(FLIPS) if kind == "flips" else 1)
    assert times[3, 0] >= 1  # the undamaged log
    assert times[CLOSED] > len(data) // 4
    assert len(lines) == sum(lines_wanted(*outcome) * count for outcome, count in times.items())
