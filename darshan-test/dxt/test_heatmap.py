"""The runtime's heat maps are compared with a simple model: transfers are divided in proportion
over bins, bins double their width as the run gets longer, and the last bins end with the run."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

import pytest
from lab.log import read_logs

from .tracing import Step, run_plan

# Most bins of a heat map.
BINS = 200
# Width of a bin at the start, in seconds.
FIRST_WIDTH = Fraction(1, 10)
# Nanoseconds per second.
NS = 10**9
# Seconds by which the rounded times of a printed segment may be wrong.
SLACK = 0.001


@dataclass
class Transfer:
    """One transfer: its record's number, its direction, its bytes, and its start and end in
    nanoseconds of the run."""

    record: int
    writes: bool
    bytes: int
    start: int
    end: int


def model(transfers: list[Transfer], end: float) -> tuple[Fraction, dict[bool, list[Fraction]]]:
    """Returns the width of a bin in seconds, and the exact bytes in each bin for writes (True) and
    reads (False). end: seconds of the run. The model uses the final width from the start; a wider
    bin is the sum of two narrower ones."""
    last = max(Fraction(end), *(Fraction(t.end, NS) for t in transfers))
    width = FIRST_WIDTH
    while last > BINS * width:
        width *= 2
    bins = {kind: [Fraction(0)] * BINS for kind in (True, False)}
    for t in transfers:
        start, stop = Fraction(t.start, NS), Fraction(t.end, NS)
        for i in range(int(start / width), min(int(stop / width), BINS - 1) + 1):
            inside = min(stop, (i + 1) * width) - max(start, i * width)
            share = inside / (stop - start) if stop > start else Fraction(1)
            bins[t.writes][i] += t.bytes * share
    count = min(BINS, ceil(Fraction(end) / width))
    return width, {kind: values[:count] for kind, values in bins.items()}


def heat(build: Path, transfers: list[Transfer], end: float) -> tuple[float, list[list[int]]]:
    """Runs the runtime's heat map in the program `bins`. Returns its width of a bin in seconds, and
    the bytes written and the bytes read in each bin. end: seconds of the run."""
    rows = [f"{t.record} {int(t.writes)} {t.bytes} {t.start} {t.end}\n" for t in transfers]
    done = subprocess.run(
        [build / "darshan-test" / "dxt" / "bins"],
        input="".join(rows) + f"end {end!r}\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    width, *lines = done.stdout.splitlines()
    return float(width), [[int(word) for word in line.split()] for line in lines]


def random_transfers(seed: int, seconds: float, longest: float, count: int) -> list[Transfer]:
    """Returns `count` random transfers of several records, in the order of their ends. seconds: of
    the run; longest: the most seconds of a transfer."""
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        end = rng.random() * seconds
        start = max(0.0, end - rng.random() * rng.choice((longest, longest / 100, 0)))
        size = rng.choice((0, 1, 4096, rng.randrange(1 << 30)))
        record, writes = rng.randrange(1, 20), rng.random() < 0.5
        out.append(Transfer(record, writes, size, int(start * NS), int(end * NS)))
    return sorted(out, key=lambda t: t.end)


def check(build: Path, transfers: list[Transfer], end: float) -> None:
    """Checks that the runtime's heat map loses no byte, and that each bin has the model's bytes, up
    to one byte per transfer. end: seconds of the run."""
    width, bins = model(transfers, end)
    got_width, (written, read) = heat(build, transfers, end)
    assert got_width == pytest.approx(float(width))
    for kind, got in ((True, written), (False, read)):
        want = bins[kind]
        assert len(got) == len(want)
        assert sum(got) == sum(t.bytes for t in transfers if t.writes == kind)
        for i, (a, b) in enumerate(zip(got, want)):
            near = sum(t.start <= (i + 1) * width * NS and t.end >= i * width * NS - 1
                       for t in transfers if t.writes == kind)  # fmt: skip
            assert abs(a - b) <= near * (1 + Fraction(1, 10**4)) + b / 10**6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("seconds", "longest"),
    [(0.05, 0.01), (15, 0.5), (19.99, 19), (21, 0.2), (1000, 30), (40000, 4000)],
)
def test_against_the_model(seed: int, seconds: float, longest: float, build: Path) -> None:
    """Random transfers are in the bins of the model, for runs of a fraction of a second up to half
    a day."""
    check(build, random_transfers(seed, seconds, longest, 300), seconds + 0.01)


def test_one_transfer_over_everything(build: Path) -> None:
    """A transfer as long as the run is divided among all bins."""
    check(build, [Transfer(1, True, 10**12, 0, 500 * NS)], 500.0)


def test_long_silence_after_the_last_transfer(build: Path) -> None:
    """If the run continues long after its last transfer, the heat map's bins still get as wide as
    the run's duration needs, so that all ranks have the same width."""
    check(build, random_transfers(1, 3, 0.1, 50), 7200.0)


def test_bins_are_as_many_as_the_run_needs(build: Path) -> None:
    """The number of bins is the run time divided by the bin width, rounded up."""
    for end, count in ((0.05, 1), (0.1, 1), (0.11, 2), (19.95, 200), (20.0, 200), (20.1, 101)):
        _, (written, _) = heat(build, [Transfer(1, True, 5, 0, 1000)], end)
        assert len(written) == count
        assert sum(written) == 5


def test_nothing_moved_makes_no_record(build: Path) -> None:
    """If the program `bins` moves no byte, there is no heat map."""
    done = subprocess.run(
        [build / "darshan-test" / "dxt" / "bins"],
        input="1 1 0 100 200\nend 1\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""


def heat_maps(build: Path, log: Path) -> dict[str, dict[str, float]]:
    """Returns the heat maps of a log: for each layer, the values by counter."""
    return read_logs(build / "darshan-parser", log).of("HEATMAP")


def bins(counters: dict[str, float], kind: str) -> list[int]:
    """Returns the bytes per bin. counters: of a layer. kind: "READ" or "WRITE"."""
    found = [name for name in counters if name.startswith(f"HEATMAP_{kind}_BIN_")]
    return [int(counters[f"HEATMAP_{kind}_BIN_{i}"]) for i in range(len(found))]


def test_in_a_program(build: Path, tmp_path: Path) -> None:
    """The heat map of an instrumented program has the bytes in the same bins as the DXT trace of
    the same run, and the bytes of streams as STDIO counts them."""
    plan = []
    for i in range(60):
        plan.append(Step("pwrite", "a", 0, 1000 + i))
        plan.append(Step("pread", "a", 0, 10 + i))
        plan.append(Step("fwrite", "s", 0, 100))
        plan.append(Step("sleep", "a", length=7000))
    traced = run_plan(build, tmp_path, plan, DXT_ENABLE_IO_TRACE="1")
    got = heat_maps(build, traced.log)
    assert set(got) == {"heatmap:POSIX", "heatmap:STDIO"}
    posix = got["heatmap:POSIX"]
    width = posix["HEATMAP_F_BIN_WIDTH_SECONDS"]
    assert width == 0.1
    for kind, row in (("WRITE", "write"), ("READ", "read")):
        have = bins(posix, kind)
        segments = traced.of("a", row)
        assert sum(have) == sum(s.length for s in segments)
        assert len(have) >= 4
        for i, value in enumerate(have):
            begin, end = i * width, (i + 1) * width
            # Times in the text are rounded: a segment at a border may be on either side.
            sure = [s for s in segments if begin + SLACK < s.start and s.end < end - SLACK]
            near = [s for s in segments if begin - SLACK <= s.end and s.start <= end + SLACK]
            assert sum(s.length for s in sure) <= value <= sum(s.length for s in near)
    counted = read_logs(build / "darshan-parser", traced.log).total("STDIO_BYTES_WRITTEN")
    assert sum(bins(got["heatmap:STDIO"], "WRITE")) == counted >= 6000


def test_threads_lose_nothing(build: Path, tmp_path: Path) -> None:
    """The heat map has all bytes of threads that write to one file at the same time."""
    plan = []
    for thread in range(4):
        for i in range(3000):
            plan.append(Step("pwrite", "shared", i * 8, 8, thread))
            plan.append(Step("pwrite", f"own-{thread}", i * 8, 8, thread))
    traced = run_plan(build, tmp_path, plan)
    assert sum(bins(heat_maps(build, traced.log)["heatmap:POSIX"], "WRITE")) == 4 * 3000 * 2 * 8


def test_switched_off(build: Path, tmp_path: Path) -> None:
    """With the module HEATMAP disabled, the log has no heat map."""
    plan = [Step("pwrite", "a", 0, 10)]
    traced = run_plan(build, tmp_path, plan, DARSHAN_MOD_DISABLE="HEATMAP")
    assert heat_maps(build, traced.log) == {}
