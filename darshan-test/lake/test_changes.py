"""`darshan ask LAKE changes` finds slow-downs, and does not list unchanged programs."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from darshan_report.lake.ask.changes import changes, sizes
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import Filters
from darshan_report.lake.ask.slower import FEWEST, HISTORY, slower
from report.diagnose.build import Job, row, write

from .conftest import Run
from .noise import DAY, Noise, false_alarms, power
from .rows import identity
from .test_commits import fill

# The noise for which doc/centre.md states how often changes are found.
STATED = Noise(0.08)
RUNS = 66
FIRST = int(datetime.datetime(2026, 9, 1, 4, tzinfo=datetime.timezone.utc).timestamp())
# For each program, the factor by which its last three runs are slower.
SLOW = {"slow.exe": 1.5, "slower.exe": 2.0, "slowest.exe": 4.0, "steady.exe": 1.0}


@pytest.mark.parametrize(
    "factor, before, least", [(1.5, 60, 0.91), (1.5, HISTORY, 0.95), (2, 60, 0.95), (4, 60, 0.99)]
)
def test_slow_downs_are_found(factor: float, before: int, least: float) -> None:
    """In simulations, a slow-down is found within three runs, and the interval of its factor
    contains the true factor in at least 90 % of the cases. before: number of earlier runs. least:
    how often it must be found."""
    found = power(STATED, factor, 200, seed=3, before=before)
    assert found.found >= least
    assert found.covered >= 0.9


@pytest.mark.parametrize(
    "noise, most",
    [
        (STATED, 1e-3), (Noise(0.3), 1e-3), (Noise(0.2, 0.02, 35), 1e-3),
        (Noise(0.08, form="kinds"), 1e-3), (Noise(0.08, form="pareto"), 1e-3),
    ],
    ids=str,
)  # fmt: skip
def test_false_alarms(noise: Noise, most: float) -> None:
    """In simulations, unchanged programs are listed at most as often as doc/centre.md states: once
    in 1,000 weeks, also with two kinds of runs or a long tail. most: alarms per week."""
    alarms, weeks = false_alarms(noise, 3000, seed=4)
    assert alarms <= most * weeks + 2 * (most * weeks) ** 0.5


def series(*parts: tuple[int, float]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the starts and the durations of daily runs, in seconds. parts: pairs of a number of
    runs and their usual duration in seconds."""
    random = np.random.default_rng(5)
    seconds = np.concatenate([s * np.exp(random.normal(0, 0.05, n)) for n, s in parts])
    return np.arange(len(seconds)) * DAY, seconds


def test_a_change_is_listed_once() -> None:
    """A change is listed only for the interval in which it was noticed. If the program becomes fast
    and slow again, that is another change."""
    moments, seconds = series((100, 10), (50, 20), (50, 10), (30, 20))
    first, second = slower(moments, seconds, 0)
    assert (first.first, first.alarm, first.end) == (100, 100 + FEWEST - 1, 150)
    assert (second.first, second.end) == (200, 230)
    assert first.low < 2 < first.high and first.usual == pytest.approx(10, rel=0.05)
    assert (first.history, first.runs) == (100, 50)
    assert slower(moments, seconds, moments[120]) == [second]
    assert slower(moments, seconds, moments[203]) == []
    assert slower(moments, seconds, moments[-1] + 1) == []


def test_one_slow_run() -> None:
    """A single run is listed only if it is far slower than all runs before."""
    moments, seconds = series((60, 10), (1, 25), (20, 10), (1, 150), (20, 10))
    (only,) = slower(moments, seconds, 0)
    assert (only.first, only.runs) == (81, 1) and only.ratio > 12


def test_what_does_not_matter() -> None:
    """Runs that became slower by less than a second are not listed, nor those of a program without
    earlier runs."""
    moments, seconds = series((100, 0.1), (50, 0.4))
    assert slower(moments, seconds, 0) == []
    moments, seconds = series((9, 10), (30, 40))
    assert slower(moments, seconds, 0) == []
    assert slower(moments, seconds, 0, least=8) != []


def test_sizes() -> None:
    """Runs are compared within classes of their sizes. Sizes that differ by some percent are in one
    class, whatever they are; a wide range of sizes is divided into classes."""
    random = np.random.default_rng(6)
    small, large = 2**30 * random.uniform(0.95, 1.05, 50), 2**33 * random.uniform(0.9, 1.1, 50)
    found = sizes(np.concatenate([small, large]))
    assert len(set(found[:50])) == 1 and len(set(found[50:])) == 1 and found[0] != found[-1]
    wide = sizes(2.0 ** np.linspace(20, 30, 200))
    assert len(set(wide.tolist())) == pytest.approx(10, abs=1)
    assert set(sizes(np.array([0.0, 5.0, 1000.0])).tolist()) == {0}


def runs(folder: Path) -> list[Path]:
    """Writes logs of daily runs of several programs, all but one of which become slower in the last
    three runs. Returns their paths."""
    folder.mkdir()
    random = np.random.default_rng(7)
    made = []
    for name, factor in SLOW.items():
        for number in range(RUNS):
            slow = factor if number >= RUNS - FEWEST else 1.0
            seconds = slow * 100 * float(np.exp(random.normal(0, 0.08)))
            some = row("POSIX", "/scratch/out", WRITES=9, BYTES_WRITTEN=1 << 30,
                       F_WRITE_TIME=0.6 * seconds)  # fmt: skip
            job = Job((some,), round(seconds), FIRST + number * int(DAY), 4,
                      command=f"/opt/{name} {number}".encode())  # fmt: skip
            made.append(write(job, folder / f"ann_{name}_id{number}-1_1-1-1-1_1.darshan"))
    return made


def test_the_command(tmp_path: Path, darshan: Run) -> None:
    """Each program that became slower has a line, the one that costs most comes first, and the exit
    status tells whether there are any; an unchanged program is not listed."""
    made = runs(tmp_path / "logs")
    fill(tmp_path / "lake", made)
    since = str(datetime.date(2026, 9, 1) + datetime.timedelta(RUNS - FEWEST))
    done = darshan("ask", "lake", "changes", "--since", since)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["slowest.exe", "slower.exe", "slow.exe"]
    assert all("I/O time" in x and "run time" in x and f"since {since} 04:00" in x for x in lines)
    done = darshan("ask", "lake", "changes", "--since", since, "--json")
    found: dict[str, dict[str, Any]] = {one["program"]: one for one in json.loads(done.stdout)}
    assert done.returncode == 1 and list(found) == ["slowest.exe", "slower.exe", "slow.exe"]
    for name, one in found.items():
        factor = SLOW[name]
        assert one["ratio_low"] < factor < one["ratio_high"]
        assert one["ratio_low"] < one["ratio"] < one["ratio_high"]
        assert one["run_time_ratio"] == pytest.approx(factor, rel=0.2)
        assert (one["processes"], one["runs"], one["runs_before"]) == (4, FEWEST, RUNS - FEWEST)
        assert one["bytes_least"] == one["bytes_most"] == 1 << 30
        log = next(p for p in made if f"_{name}_id{RUNS - FEWEST}-" in p.name)
        assert one["log"] == identity(log) and one["says"] in lines
    darshan("ask", "lake", "changes", "--since", since, "-o", "changes.parquet")
    assert pq.read_table(tmp_path / "changes.parquet").num_rows == len(found)
    done = darshan("ask", "lake", "changes", "--since", since, "--top", "1", "--verify")
    assert done.stdout.splitlines() == [lines[0], "2 more changes (--top)"]
    done = darshan("ask", "lake", "changes", "--since", since, "--program", "steady.exe")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    day = datetime.date.fromisoformat(since)
    with Asked(tmp_path / "lake") as asked:
        assert len(changes(asked, day)) == len(found)
        for fewer in (Filters(user="nobody"), Filters(until=str(day - datetime.timedelta(1)))):
            assert changes(asked, day, fewer) == []


def test_failures(tmp_path: Path, darshan: Run) -> None:
    """The exit status of a failure is not that of a found change."""
    fill(tmp_path / "lake", [])
    done = darshan("ask", "lake", "changes", "--since", "7d")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for wrong in (("lake", "changes"), ("none", "changes", "--since", "7d"),
                  ("lake", "changes", "--since", "yesterday")):  # fmt: skip
        done = darshan("ask", *wrong)
        assert done.returncode == 2 and done.stderr.startswith("darshan ask: "), done
