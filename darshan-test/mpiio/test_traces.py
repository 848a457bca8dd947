"""Offsets of MPI-IO transfers in DXT traces equal the file pointers that MPI reports to the
program."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from mpi.launch import Runner

from .model import KINDS
from .observe import run

# The line of a file in the printed traces.
NAME = re.compile(r"^# DXT, file_id: \d+, file_name: (.*)$")


def segments(tool: Path, log: Path) -> dict[tuple[int, str, str], list[tuple[int, int]]]:
    """Returns the offset and bytes of each MPI-IO segment that darshan-dxt-parser (tool) prints, by
    (rank, name of the file, READ or WRITE)."""
    done = subprocess.run([tool, log], capture_output=True, check=True, text=True)
    found: dict[tuple[int, str, str], list[tuple[int, int]]] = defaultdict(list)
    name = ""
    for line in done.stdout.splitlines():
        if header := NAME.match(line):
            name = Path(header[1]).name
        words = line.split()
        if words[:1] == ["X_MPIIO"]:
            place, length = int(words[4]), int(words[5])
            found[int(words[1]), name, words[2].upper()].append((place, length))
    return found


@pytest.mark.parametrize("ranks", [1, 2])
def test_places(runner: Runner, build: Path, ranks: int) -> None:
    """Traced offsets of MPI-IO transfers are exact if a view shows every byte or the transfer
    starts at the beginning of a filetype, and -1 otherwise."""
    seen = run(runner, ranks, {"DXT_ENABLE_IO_TRACE": "1"})
    traced: dict[tuple[int, str, str], list[tuple[int, int]]] = {}
    for log in seen.logs:
        traced.update(segments(build / "darshan-dxt-parser", log))
    expected = {
        (rank, name, kind): file.segments[writes]
        for rank, trace in enumerate(seen.traces)
        for name, file in trace.files.items()
        for writes, kind in enumerate(KINDS)
        if file.segments[writes]
    }
    assert traced.keys() == expected.keys()
    for key, places in expected.items():
        assert traced[key] == places, key
    all_places = [place for places in expected.values() for place, _ in places]
    assert max(all_places) > 1000 and -1 in all_places


def in_bins(row: dict[str, float], kind: str) -> float:
    """Returns the sum of the bytes over all bins of a heat map record. kind: READ or WRITE."""
    return sum(value for name, value in row.items() if name.startswith(f"{kind}_BIN_"))


@pytest.mark.parametrize("ranks", [1, 2])
def test_heat_maps(runner: Runner, ranks: int) -> None:
    """In a job's log, the heat maps of MPI-IO and POSIX of each rank have as many bytes as the
    rank's records, and all have bins of the same width."""
    seen = run(runner, ranks, {})
    heat = seen.modules["HEATMAP"]
    widths = {row["F_BIN_WIDTH_SECONDS"] for row in heat.values()}
    assert len(widths) == 1
    for rank, trace in enumerate(seen.traces):
        for writes, kind in enumerate(KINDS):
            moved = [length for file in trace.files.values() for _, length in file.segments[writes]]
            assert in_bins(heat[rank, "heatmap:MPIIO"], kind) == sum(moved) > 0
            below = [row for (of, _), row in seen.modules["POSIX"].items() if of == rank]
            bytes_counter = "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"
            counted = sum(row[bytes_counter] for row in below)
            assert in_bins(heat[rank, "heatmap:POSIX"], kind) == counted
