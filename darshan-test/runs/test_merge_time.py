"""In a run's log, the times of heat maps and traces are relative to the start of the run."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from darshan_report import open_log
from darshan_report.variable import HeatMap, Trace, heat_maps, traces
from lab.binding import metadata, names, rows
from logs.pydarshan import compare_with_pydarshan

from .conftest import Merge, Program
from .events import SECOND, Kind, Run

WRITES = """
import os, sys, time
data = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_TRUNC)
for size in (1, 1000, 77777):
    os.write(data, bytes(size))
    time.sleep(0.12)
os.pread(data, 500, 0)
"""
TRACED = {"DXT_ENABLE_IO_TRACE": "1"}
# Nanoseconds from the start of the run to the start of each process.
STARTS = (0, 3 * SECOND + 123_456_789, 40 * SECOND)


@pytest.fixture
def traced(program: Program, tmp_path: Path) -> Path:
    """Returns the log of a program that writes in several bins of the heat map."""
    return program(sys.executable, "-c", WRITES, tmp_path / "data", settings=TRACED)


@pytest.fixture
def merged(merge: Merge, traced: Path, tmp_path: Path) -> Path:
    """Returns one log of three processes with the records of `traced`. Their pids are 50, 51 and
    52; they start at STARTS."""
    run = Run(tmp_path / "darshan-run.50.x")
    for pid, start in enumerate(STARTS, 50):
        run.process(pid, (start, start + SECOND), "python3")
        run.part(traced, pid, start)
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log)
    assert (done.returncode, done.stderr) == (0, "")
    return log


def heat(log: Path) -> dict[tuple[int, str], HeatMap]:
    """Returns the heat maps of a log by rank and record name, such as "heatmap:POSIX"."""
    known = names(log)
    with open_log(log) as opened:
        return {(h.rank, known[h.id]): h for h in heat_maps(opened)}


def shared_out(before: HeatMap, shift: Fraction, end: Fraction, bins: int) -> list[Fraction]:
    """Returns the bytes written that the run's heat map must have in each bin. before: the heat map
    of one process. shift, end: the start of the process and the end of the run, in seconds after
    the start of the run. bins: the number of bins."""
    width = Fraction(WIDTH)
    out = [Fraction(0)] * bins
    for i, written in enumerate(before.write.tolist()):
        begin = shift + i * Fraction(before.bin_width)
        stop = min(begin + Fraction(before.bin_width), end)
        for b in range(bins):
            share = min(stop, (b + 1) * width) - max(begin, b * width)
            if written and share > 0:
                out[b] += written * share / (stop - begin)
    return out


# Seconds of a bin in the run's heat map: 0.1 s, doubled until 200 bins cover 41 s.
WIDTH = 0.1 * 2 ** math.ceil(math.log2(41 / 0.1 / 200))


def test_heat_maps_have_one_grid_and_lose_nothing(traced: Path, merged: Path) -> None:
    """The heat maps of all processes have the same bins, at the time of the run, and all bytes."""
    (before,) = [h for (_, layer), h in heat(traced).items() if layer == "heatmap:POSIX"]
    assert before.write.sum() >= 78778 and np.count_nonzero(before.write) >= 3
    found = heat(merged)
    assert len({(h.bin_width, len(h.write), len(h.read)) for h in found.values()}) == 1
    for rank, start in enumerate(STARTS):
        after = found[rank, "heatmap:POSIX"]
        assert (after.bin_width, len(after.write)) == (WIDTH, math.ceil(41 / WIDTH))
        assert after.write.sum() == before.write.sum()
        assert after.read.sum() == before.read.sum()
        shift = Fraction(start, SECOND)
        expected = shared_out(before, shift, shift + 1, len(after.write))
        for have, want in zip(after.write.tolist(), expected):
            assert abs(have - want) < len(before.write)


def trace(log: Path, rank: int, file: Path) -> Trace:
    """Returns the trace of a file on a rank."""
    known = names(log)
    with open_log(log) as opened:
        (found,) = [
            t for t in traces(opened, "DXT_POSIX") if t.rank == rank and known[t.id] == str(file)
        ]
        return found


def test_segments_are_moved(traced: Path, merged: Path, tmp_path: Path) -> None:
    """The segments of traces are at the time of the run, and otherwise unchanged."""
    before = trace(traced, 0, tmp_path / "data")
    assert [s["length"] for s in before.writes] == [1, 1000, 77777]
    for rank, start in enumerate(STARTS):
        after = trace(merged, rank, tmp_path / "data")
        for old, new in ((before.writes, after.writes), (before.reads, after.reads)):
            assert new["offset"].tolist() == old["offset"].tolist()
            assert new["length"].tolist() == old["length"].tolist()
            for time in ("start_time", "end_time"):
                assert np.abs(new[time] - old[time] - start / SECOND).max() < 2**-20
    with open_log(merged) as opened:
        region = opened.info.region("DXT_POSIX")
    assert region and region.version == 1  # the version that releases up to 3.5.0 read


def test_programs_of_one_process_have_one_trace(merge: Merge, traced: Path, tmp_path: Path) -> None:
    """The programs of a process that called exec have one trace and one heat map."""
    run = Run(tmp_path / "darshan-run.50.x")
    for start in (5 * SECOND, 0):  # the later part comes first
        run.part(traced, 50, start)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    (row,) = rows(log, "PROCESS")
    assert (row["PROCESS_COUNT"], row["PROCESS_PROGRAMS"]) == (1, 2)
    found = trace(log, 0, tmp_path / "data")
    assert found.writes["length"].tolist() == 2 * [1, 1000, 77777]
    assert (np.diff(found.writes["start_time"]) > 0).all()
    (map_,) = [h for (_, layer), h in heat(log).items() if layer == "heatmap:POSIX"]
    (before,) = [h for (_, layer), h in heat(traced).items() if layer == "heatmap:POSIX"]
    assert map_.write.sum() == 2 * before.write.sum()


@pytest.mark.parametrize("ahead", [0, 5 * SECOND, -7 * SECOND])
def test_clocks_of_hosts_are_compared(
    merge: Merge, traced: Path, tmp_path: Path, ahead: int
) -> None:
    """Hosts append rows to one event file, so the order of the rows limits the difference between
    their clocks. The merger corrects the times of the other host by it. ahead: nanoseconds by which
    that host's clock is ahead."""
    run = Run(tmp_path / "darshan-run.50.x", host="one")
    early, late = SECOND // 4, SECOND // 2
    run.row(Kind.START, 50, 0, program="top")
    run.row(Kind.START, 60, early + ahead, parent=1, program="far", host="two")
    run.row(Kind.FORKING, 50, 2 * early, token=1)
    run.row(Kind.END, 60, 3 * early + ahead, parent=1, host="two")
    run.row(Kind.END, 50, 2 * late)
    run.part(traced, 60, early + ahead)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    said = metadata(log)
    _top, far = rows(log, "PROCESS")
    error = float(said["clock_error"].split()[0])
    assert said["nodes"] == "2" and error <= early / SECOND
    start = far["PROCESS_F_START_TIMESTAMP"]
    assert start == pytest.approx(early / SECOND, abs=error)
    assert ("clocks_moved" in said) == (ahead != 0)
    (first,) = (t for t in rows(log, "POSIX") if t["POSIX_BYTES_WRITTEN"] >= 78778)
    (before,) = (t for t in rows(traced, "POSIX") if t["POSIX_BYTES_WRITTEN"] >= 78778)
    moved = first["POSIX_F_OPEN_START_TIMESTAMP"] - before["POSIX_F_OPEN_START_TIMESTAMP"]
    assert moved == pytest.approx(start, abs=2e-6)


@pytest.mark.filterwarnings("ignore")
def test_pydarshan_reads_it(parser: Path, merged: Path) -> None:
    """PyDarshan reads the merged log as the parser does."""
    assert compare_with_pydarshan(parser, merged) > 0
