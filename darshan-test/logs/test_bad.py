"""Logs that are damaged by accident or on purpose cause a message and an exit status, never a
crash, a hang or high memory use."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from .bad import (
    Bad,
    broken_annexes,
    half_readable,
    many_names,
    module_entry,
    small_log,
    stored_bomb,
    unreadable,
)
from .encode import compress, encode, job_content, name_content
from .inprocess import FLIPS
from .model import NONE, ZLIB, Log
from .rows import rows
from .tools import data_lines, run, run_library

UNREADABLE = [pytest.param(bad, id=bad.name) for bad in unreadable()]
HALF = [pytest.param(bad, rest, id=bad.name) for bad, rest in half_readable()]
ANNEX = [pytest.param(bad, rest, id=bad.name) for bad, rest in broken_annexes()]


def assert_refused(parser: Path, path: Path) -> None:
    """Fails unless the parser ends with status 1, prints one line on stderr that has the path, and
    no data."""
    done = run(parser, path)
    assert done.returncode == 1, done.stderr.decode()
    assert data_lines(done.stdout) == []
    assert done.stderr.count(b"\n") == 1, done.stderr.decode()
    assert os.fsencode(path) in done.stderr


@pytest.mark.parametrize("bad", UNREADABLE)
def test_unreadable_log(bad: Bad, tmp_path: Path, parser: Path) -> None:
    """A log whose header, job or names are damaged is refused with a message."""
    path = tmp_path / bad.name
    path.write_bytes(bad.data)
    assert_refused(parser, path)


@pytest.mark.parametrize("what", ["folder", "fifo", "missing", "null", "zero"])
def test_what_is_no_file(what: str, tmp_path: Path, parser: Path) -> None:
    """A folder, a pipe, a device and a missing path are refused with a message."""
    path = tmp_path / what
    if what == "folder":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    elif what != "missing":
        path = Path("/dev") / what
    assert_refused(parser, path)


@pytest.mark.parametrize(("bad", "rest"), HALF)
def test_one_broken_module(bad: Bad, rest: Log, tmp_path: Path, parser: Path) -> None:
    """If one module of a log is damaged, darshan-parser prints the other modules, reports the error
    on stderr, and exits with 0."""
    path = tmp_path / bad.name
    path.write_bytes(bad.data)
    done = run(parser, path)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr.count(b"\n") == 1, done.stderr.decode()
    got = data_lines(done.stdout)
    for row in rows(rest):
        assert row in got


@pytest.mark.parametrize(("bad", "rest"), ANNEX)
def test_broken_annex(bad: Bad, rest: Log, tmp_path: Path, parser: Path) -> None:
    """If a log's annex is damaged, darshan-parser skips it with a message of one line, prints the
    rest and exits with 0."""
    path = tmp_path / bad.name
    path.write_bytes(bad.data)
    done = run(parser, path)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr.count(b"\n") == 1, done.stderr.decode()
    assert data_lines(done.stdout) == rows(rest)


def test_region_that_inflates_past_all_memory(tmp_path: Path, parser: Path) -> None:
    """darshan-parser --total stays within the memory limit of tools.py for a region that
    decompresses to far more."""
    path = tmp_path / "bomb"
    path.write_bytes(stored_bomb())
    done = run(parser, "--total", path)
    assert done.returncode == 0, done.stderr.decode()
    assert b"total_POSIX_OPENS: 0" in done.stdout


def test_names_with_colliding_ids(tmp_path: Path, parser: Path) -> None:
    """darshan-parser reads a log with a million names whose ids collide in a hash table within the
    time limit of tools.py."""
    path = tmp_path / "names"
    path.write_bytes(many_names())
    # A quadratic reader would need many minutes and exceed the time limit of tools.py.
    assert run(parser, "--total", path).returncode == 0


def outcomes(build: Path, path: Path, kind: str) -> tuple[Any, list[Any]]:
    """Returns the results of reading a log itself and its damaged variants by libdarshan-read, as
    inprocess.py describes them. kind: "cuts" or "flips"."""
    done = run_library(build / "libdarshan-read.so.0", path, kind)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    return result["whole"], result["damaged"]


def ends(log: Log, data: bytes) -> dict[str, int]:
    """Returns the offsets in bytes of the ends of the small log's regions: "names", and each
    module's id as text."""
    job = 1328 + len(compress(log, job_content(log)))
    out = {"names": job + len(compress(log, name_content(log)))}
    for number in (3, 8, 9):
        entry = module_entry(number)
        off, length = (int.from_bytes(data[at : at + 8], "little") for at in (entry, entry + 8))
        out[str(number)] = off + length
    return out


def test_every_truncation(tmp_path: Path, build: Path) -> None:
    """In a log that is truncated at any byte, libdarshan-read reads the complete regions, and
    reports an error for the others."""
    log = small_log()
    path = tmp_path / "small"
    data = encode(log)
    path.write_bytes(data)
    whole, cut = outcomes(build, path, "cuts")
    end = ends(log, data)
    assert len(cut) == len(data)
    for length, outcome in zip(range(len(data) - 1, -1, -1), cut):
        if length < end["names"]:
            assert isinstance(outcome, str), f"{length} bytes can be opened"
            continue
        for number, (_, _, message) in outcome.items():
            assert (message == "") == (length >= end[number]), (length, number, message)
            if message == "":
                assert outcome[number] == whole[number]


def test_every_flipped_byte(tmp_path: Path, build: Path) -> None:
    """libdarshan-read detects a changed byte in compressed data, or returns the same records."""
    log = small_log()
    path = tmp_path / "small"
    data = encode(log)
    path.write_bytes(data)
    whole, flipped = outcomes(build, path, "flips")
    assert len(flipped) == len(data) * len(FLIPS)
    noticed = 0
    for i, outcome in enumerate(flipped):
        if isinstance(outcome, str):
            noticed += 1
        elif i // len(FLIPS) >= 1328:
            good = [key for key, (_, _, message) in outcome.items() if message == ""]
            assert all(outcome[key] == whole[key] for key in good), i
            noticed += len(good) < len(whole)
    assert noticed > len(data)


def test_every_flipped_byte_without_compression(tmp_path: Path, build: Path) -> None:
    """libdarshan-read does not crash if a byte of an uncompressed log is changed. The change need
    not be detected, because uncompressed data has no checksum."""
    path = tmp_path / "small"
    data = encode(small_log(NONE))
    path.write_bytes(data)
    _, flipped = outcomes(build, path, "flips")
    assert len(flipped) == len(data) * len(FLIPS)
    changed = [outcome for outcome in flipped if outcome != flipped[0]]
    assert changed


@pytest.mark.parametrize("compression", [ZLIB, NONE])
def test_sample_through_the_command(compression: int, tmp_path: Path, parser: Path) -> None:
    """For randomly damaged logs, darshan-parser exits with 0 or 1, and prints a message if it is
    1."""
    rng = random.Random(compression)
    whole = encode(small_log(compression))
    path = tmp_path / "damaged"
    statuses = set()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] ^= rng.randint(1, 255)
        path.write_bytes(bytes(data[: rng.choice((len(data), rng.randrange(len(data))))]))
        done = run(parser, "--all", path)
        statuses.add(done.returncode)
        assert done.returncode in (0, 1), done.stderr.decode()
        assert done.returncode == 0 or done.stderr
    assert statuses == {0, 1}
