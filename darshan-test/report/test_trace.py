"""`darshan trace` writes JSON for trace viewers, with every transfer of the log exactly once."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from darshan_report.events.tracks import tracks
from lab.command import finished_in_bytes
from logs.content import standard_log
from logs.encode import encode

from .conftest import SECONDS
from .test_chosen import plain, wide_log
from .test_page import HOSTILE

Trace = Callable[..., "subprocess.CompletedProcess[bytes]"]
# The fields of each event of a transfer.
NESTED = {"ts", "dur", "pid", "tid", "name", "cat", "ph", "cname", "args"}


@pytest.fixture
def trace(build: Path, tmp_path: Path) -> Trace:
    """Returns a function that runs `darshan trace`."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        return finished_in_bytes(
            [build / "darshan", "trace", *arguments], cwd=tmp_path, timeout=SECONDS
        )

    return run


def transfers(text: bytes) -> list[dict[str, Any]]:
    """Returns the events of transfers in a file, after checking its structure. text: the
    uncompressed JSON."""
    whole = json.loads(text)
    assert whole["displayTimeUnit"] == "ms"
    names = [e for e in whole["traceEvents"] if e["ph"] == "M"]
    found = [e for e in whole["traceEvents"] if e["ph"] == "X"]
    assert len(names) + len(found) == len(whole["traceEvents"])
    assert all(set(e) == NESTED for e in found)
    starts = [e["ts"] for e in found]
    assert starts == sorted(starts) and all(e["dur"] >= 0 for e in found)
    named = {(e["pid"], e["tid"]) for e in names if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in found} == named
    assert len({tid for _, tid in named}) == len(named) and min(named) > (0, 0)
    ends: dict[int, float] = {}
    for e in found:  # on a track, an event begins after the last has ended
        key = e["tid"]
        assert round(1000 * e["ts"]) >= ends.get(key, 0)
        ends[key] = round(1000 * e["ts"]) + round(1000 * e["dur"])
    return found


def test_every_transfer(trace: Trace, tmp_path: Path) -> None:
    """Every transfer is in the output once, with its time in microseconds, in order of start times.
    The file is compressed, and has the same bytes each time."""
    made = wide_log(3, 40)
    (tmp_path / "a.darshan").write_bytes(encode(made))
    done = trace("a.darshan")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a.json.gz\n", b"")
    first = (tmp_path / "a.json.gz").read_bytes()
    found = transfers(gzip.decompress(first))
    names = {b: a for a, b in made.names}
    got = sorted(
        (e["pid"] - 1, names[e["args"]["file"].encode()], int(e["args"]["operation"] == "read"),
         e["ts"] / 1e6, e["args"]["offset"], e["args"]["size"])
        for e in found
    )  # fmt: skip
    want = plain(made)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a[:3] == b[:3] and a[3] == pytest.approx(b[3], abs=1e-9) and a[4:] == b[4:]
    assert trace("a.darshan").returncode == 0
    assert (tmp_path / "a.json.gz").read_bytes() == first
    assert transfers(trace("-o", "-", "a.darshan").stdout) == found


def test_hostile_names(trace: Trace, tmp_path: Path) -> None:
    """Hostile names are escaped in the trace, and an output that cannot be written is an error of
    one line."""
    made = wide_log(2, 5)
    made.names = [(number, HOSTILE) for number, _ in made.names]
    (tmp_path / "a").write_bytes(encode(made))
    nowhere = trace("-o", "none/b", "a")
    assert nowhere.returncode == 1
    assert nowhere.stderr == b"darshan trace: none/b: No such file or directory\n"
    found = transfers(trace("-o", "-", "a").stdout)
    assert {e["args"]["file"] for e in found} == {
        "/a/</script><script>alert(1)</script>&\"'\\x1b[31m\\xff\\x0a\\u202e.h5"
    }


def test_what_is_no_trace(trace: Trace, tmp_path: Path) -> None:
    """A log without a trace, or an invalid one, causes an error of one line with status 1; the log
    is not overwritten."""
    (tmp_path / "a").write_bytes(encode(standard_log({"POSIX": 4})))
    (tmp_path / "b").write_bytes(b"nothing")
    for arguments, words in (
        (["a"], b"contains no traces"),
        (["b"], b"b: "),
        (["-o", "a", "a"], b"it is the log"),
        (["none"], b"none: "),
    ):
        done = trace(*arguments)
        assert done.returncode == 1 and done.stdout == b"", arguments
        assert words in done.stderr and done.stderr.count(b"\n") == 1
    assert not list(tmp_path.glob("*.json*"))


def test_tracks() -> None:
    """tracks() distributes overlapping events over tracks without overlap on any track, and uses at
    most one track more than events that overlap at a time."""
    rng = np.random.default_rng(2)
    start = np.sort(rng.integers(0, 1000, 300))
    end = start + rng.integers(0, 30, 300)
    rows = tracks(start, end)
    for row in range(int(rows.max()) + 1):
        mine = rows == row
        assert (start[mine][1:] >= end[mine][:-1]).all()
    at_once = max(int(((start <= t) & (end > t)).sum()) for t in start)
    assert int(rows.max()) + 1 <= at_once + 1
