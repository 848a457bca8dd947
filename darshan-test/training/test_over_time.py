"""The report's lanes of a training (rows over time, one for the program and one for each worker)
are compared with the times that the program measured: the seconds of each state in each bin."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Union

import numpy as np
import pytest
from lab.environment import plain
from tree import SOURCE

from .configurations import PYTHON, SECONDS

HERE = Path(__file__).resolve().parent
# Bytes of the file that is read.
BYTES = 1 << 24
# Seconds by which a state may be displaced: a part of a batch is somewhere in the batch, and bins
# blur by one.
SPREAD = 0.1
# Fraction of a sum by which the two measurements may differ.
PART = 0.1
# Seconds by which they may differ in addition.
SINGLE = 0.03
# Seconds of the long sample and of a computation in over_time.py.
STALL, SPIN = 0.8, 0.015
# States of a process that makes a batch, except calls on files.
OWN = ("computing", "ready", "waiting")

# A lane of the report's JSON.
Lane = dict[str, Any]
# Worker (None: the program), state, begin and end in seconds.
Span = tuple[Union[int, None], str, float, float]


def ran(build: Path, folder: Path, *command: str | Path) -> tuple[list[Span], dict[str, Any]]:
    """Runs over_time.py under `darshan run`. Returns the times that it printed, as seconds since
    the start of the run, and the report's JSON."""
    (folder / "sample").write_bytes(bytes(BYTES))
    done = subprocess.run(
        [build / "darshan", "run", *command, folder / "sample"],
        cwd=folder, env=plain(), capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    (log,) = (folder / "darshan-logs").glob("*.darshan")
    report = subprocess.run(
        [build / "darshan", "report", "--json", "-o", "-", log],
        capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(report.stdout)
    start = found["job"]["start"]
    told = json.loads(done.stdout.splitlines()[-1])
    return [(who, what, begin - start, end - start) for who, what, begin, end in told], found


def torch(workers: int, stay: int) -> list[str | Path]:
    """Returns a command that runs over_time.py with PyTorch. stay: 1 if workers persist."""
    return [PYTHON, "-B", "-W", "ignore", HERE / "over_time.py", str(workers), str(stay)]


@pytest.fixture
def standin(tmp_path: Path) -> list[str | Path]:
    """Returns a command that runs over_time.py with the stand-in for PyTorch."""
    packages = shutil.copytree(HERE / "standin", tmp_path / "packages")
    return ["/usr/bin/env", f"PYTHONPATH={packages}", "/usr/bin/python3", "-B",
            HERE / "over_time.py"]  # fmt: skip


def binned(told: list[Span], who: int | None, states: tuple[str, ...], edges: Any) -> Any:
    """Returns the seconds in each bin that the program printed for these states. who: the number of
    the worker, None for the program; edges: the n + 1 times, in seconds, between n bins."""
    found = np.zeros(len(edges) - 1)
    for worker, state, begin, end in told:
        if worker == who and state in states:
            found += np.diff(edges.clip(begin, end))
    return found


def recorded(lane: Lane, *states: str) -> Any:
    """Returns the seconds that a lane has for these states, in each bin."""
    return sum(np.array(lane["seconds"].get(state, 0.0)) for state in states)


def agree(
    told: list[Span], lane: Lane, width: float, *states: str, by: tuple[str, ...] = ()
) -> None:
    """Fails unless a lane has as much of some states as the program printed (for the states `by`,
    if given), and at the same time: the sums up to the end of each bin agree. A thread that slept
    or computed may have waited for a processor, which the program cannot measure. width: of a bin
    in seconds."""
    bins = len(next(iter(lane["seconds"].values())))
    edges = np.arange(bins + 1) * width
    expected = binned(told, lane["worker"], by or states, edges)
    found = recorded(lane, *states) + np.zeros(bins)
    assert expected.sum() > 0.1, "the program did so"
    allowed = SINGLE + PART * expected.sum()
    assert found.sum() == pytest.approx(expected.sum(), abs=allowed), (lane["worker"], states)
    differences = np.abs(np.cumsum(found) - np.cumsum(expected))
    assert differences.max() <= allowed + SPREAD, (lane["worker"], states, differences)
    assert found.max() <= width + 1e-9


def valid(report: dict[str, Any]) -> None:
    """Checks that the lanes in the report's JSON follow its schema; skips the test without
    jsonschema."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SOURCE / "doc/report.schema.json").read_text("utf-8"))
    part = {**schema["properties"]["training_lanes"], "$defs": schema["$defs"]}
    jsonschema.validate(report["training_lanes"], part)


def workers_agree(told: list[Span], report: dict[str, Any], lives: int) -> None:
    """Checks the lanes of two workers and their program against the times that the program printed.
    lives: how many processes each worker had."""
    valid(report)
    width, (program, sleeper, reader) = report["training_lanes"].values()
    assert [lane["worker"] for lane in (program, sleeper, reader)] == [None, 0, 1]
    assert {lane["of_process"] for lane in (program, sleeper, reader)} == {program["process"]}
    assert [len(lane["lives"]) for lane in (program, sleeper, reader)] == [1, lives, lives]
    agree(told, program, width, "stall")
    agree(told, program, width, "step")
    agree(told, sleeper, width, "waiting", "ready", by=("waiting",))
    agree(told, reader, width, "files")
    # Each did little else, and is idle for the rest of its life.
    assert recorded(sleeper, "files").sum() < 0.2 * recorded(sleeper, "waiting").sum()
    assert recorded(reader, "waiting").sum() < 0.2 * recorded(reader, "files").sum()
    for lane in (sleeper, reader):
        lived = sum(end - begin for begin, end in lane["lives"])
        whole = sum(sum(bins) for bins in lane["seconds"].values())
        assert whole == pytest.approx(lived, abs=lives * width), lane["lives"]
        busy = sum(end - begin for who, _, begin, end in told if who == lane["worker"])
        allowed = SINGLE + PART * busy + lives * width
        assert recorded(lane, "idle").sum() == pytest.approx(lived - busy, abs=allowed)
    stalled(told, program, sleeper, width)


def stalled(told: list[Span], program: Lane, sleeper: Lane, width: float) -> None:
    """Checks that during the long sample the program waits for data, and worker 0 waits for
    something else. The program begins to wait after it has used the batches that were made before.
    width: of a bin, in seconds."""
    for lane, state in ((program, "stall"), (sleeper, "waiting")):
        spans = [(end - begin, begin) for who, what, begin, end in told
                 if (who, what) == (lane["worker"], state)]  # fmt: skip
        length, begin = max(spans)
        assert length > STALL / 2
        inside = slice(int(begin / width) + 2, int((begin + length) / width) - 1)
        part = recorded(lane, state, "ready")[inside]
        assert len(part) >= 2
        assert part.min() >= 0.75 * width, (state, part)


def test_workers(build: Path, tmp_path: Path, standin: list[str | Path]) -> None:
    """With two workers of the stand-in, which are started again for each epoch, all lanes agree."""
    workers_agree(*ran(build, tmp_path, *standin, "2", "0"), lives=2)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("stay", [0, 1])
def test_workers_of_torch(build: Path, tmp_path: Path, stay: int) -> None:
    """With two workers of PyTorch, all lanes agree. stay: whether they persist over epochs."""
    workers_agree(*ran(build, tmp_path, *torch(2, stay)), lives=2 - stay)


def alone_agrees(told: list[Span], report: dict[str, Any]) -> None:
    """Checks the lane of a program without workers against the times that it printed: its wait for
    data is the time in which it makes batches."""
    valid(report)
    width, (program,) = report["training_lanes"].values()
    assert program["worker"] is None
    agree(told, program, width, "files")
    agree(told, program, width, *OWN, by=("waiting", "computing"))
    agree(told, program, width, "files", *OWN, "stall", by=("stall",))
    slept = sum(end - begin for _, state, begin, end in told if state == "waiting")
    spun = SPIN * sum(state == "computing" for _, state, _, _ in told)  # of processor time
    assert recorded(program, "waiting").sum() <= slept + SINGLE
    assert recorded(program, "computing").sum() == pytest.approx(spun, abs=SINGLE + PART * spun)
    agree(told, program, width, "step")
    assert recorded(program, "stall").sum() < 0.1 * recorded(program, "files").sum() + SINGLE


def test_alone(build: Path, tmp_path: Path, standin: list[str | Path]) -> None:
    """Without workers, the lane of a program with the stand-in agrees."""
    alone_agrees(*ran(build, tmp_path, *standin, "0", "0"))


@pytest.mark.needs("torch")
def test_alone_of_torch(build: Path, tmp_path: Path) -> None:
    """Without workers, the lane of a program with PyTorch agrees."""
    alone_agrees(*ran(build, tmp_path, *torch(0, 0)))


@pytest.mark.needs("torch")
def test_third_worker(build: Path, tmp_path: Path) -> None:
    """The lane of a third worker, which computes, shows its computing and is that worker's."""
    told, report = ran(build, tmp_path, *torch(3, 1))
    lanes = report["training_lanes"]
    agree(told, lanes["lanes"][3], lanes["bin_seconds"], "computing", "ready", by=("computing",))


def test_switched_off(build: Path, tmp_path: Path, standin: list[str | Path]) -> None:
    """With the module TRAINING_TIME switched off, the report has no lanes, but still has the
    training."""
    command = [standin[0], "DARSHAN_MOD_DISABLE=TRAINING_TIME", *standin[1:], "2", "0"]
    _, report = ran(build, tmp_path, *command)
    assert report["training_lanes"] is None
    assert len(report["training"]) == 1
