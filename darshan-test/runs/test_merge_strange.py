"""Parts that this release did not write, of every release and byte order, and damaged parts: they
are merged, or skipped with a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.binding import metadata, rows
from lab.command import finished_in_bytes
from logs.bad import broken_annexes, half_readable, unreadable
from logs.catalogue import good_cases
from logs.encode import encode

from .conftest import Merge
from .events import SECOND, Run


def merged(merge: Merge, run: Run, log: Path) -> set[str]:
    """Merges a run. Returns the names of the parts that were skipped; checks that stderr has one
    line for each."""
    done = merge("--run", run.folder, "-o", log)
    assert done.returncode == 0, done.stderr
    said = {
        line.split("skipped ")[1].split(": ")[0].rsplit("/", 1)[-1]
        for line in done.stderr.splitlines()
    }
    assert done.stderr.count("\n") == len(said)
    assert not run.folder.exists()
    return said


def put(run: Run, pid: int, data: bytes) -> Path:
    """Writes the part of a process into the run directory. Returns its path."""
    path = run.folder / f"part.{pid}.{run.base + pid * SECOND}.0"
    path.write_bytes(data)
    return path


def parses(parser: Path, log: Path) -> bool:
    """Returns whether the parser reads a log without a message."""
    command = [parser, "--all", "--show-incomplete", log]
    done = finished_in_bytes(command)
    return (done.returncode, done.stderr) == (0, b"")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Returns an empty run directory."""
    return Run(tmp_path / "darshan-run.0.x")


def test_logs_of_every_kind_become_ranks(
    merge: Merge, run: Run, parser: Path, tmp_path: Path
) -> None:
    """Logs of each version and byte order can be parts of a run; only unknown versions are left
    out."""
    cases = good_cases()
    parts = {put(run, pid, encode(case.log)).name: case for pid, case in enumerate(cases, 100)}
    log = tmp_path / "one.darshan"
    left_out = [parts[name].name for name in merged(merge, run, log)]
    assert all(name.startswith("good-version-") for name in left_out)
    assert len(rows(log, "PROCESS")) == len(cases)
    assert parses(parser, log)


def test_broken_ones_are_left_out(merge: Merge, run: Run, parser: Path, tmp_path: Path) -> None:
    """Damaged parts are left out, and the log can be read."""
    # without decompression bombs
    broken = [bad.made for bad in unreadable() if isinstance(bad.made, bytes)]
    others = [bad.made for bad, _ in (*half_readable(), *broken_annexes())]
    half = [made for made in others if isinstance(made, bytes)]
    expected = {put(run, pid, data).name for pid, data in enumerate(broken, 100)}
    for pid, data in enumerate(half, 1000):
        put(run, pid, data)
    log = tmp_path / "one.darshan"
    assert merged(merge, run, log) >= expected
    assert metadata(log)["parts_left_out"].split(",")[0] in expected
    assert len(rows(log, "PROCESS")) == len(broken) + len(half)
    assert parses(parser, log)
