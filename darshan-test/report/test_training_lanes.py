"""The diagrams of a training, which have a row (lane) for each process: their data, from logs that
the tests write, and the page in a browser."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report.diagnose.limits import Limits
from darshan_report.diagnose.training.loading import verdicts
from darshan_report.log import open_log
from darshan_report.measure.processes.processes import processes
from darshan_report.measure.training_time import Lanes, lanes
from darshan_report.report.context import Context
from darshan_report.report.sections import training_lanes
from logs.model import Heatmap, Module
from place import needs

from .browser import Browser, browser
from .diagnose.build import Job, Row, number_of, row, write
from .diagnose.cases_training import LOADER
from .pages import text_of
from .test_browser import CUT, OVER

# Seconds of a bin, and the number of bins.
WIDTH, BINS = 0.1, 100
# Start and end of a worker, in seconds.
LIFE = (1.0, 9.0)
# Milliseconds by index of the bin.
Times = dict[int, int]
# A heat map: rank, the name behind "heatmap:", and its two lists of times, of which the second one
# is a part of the first.
Record = tuple[int, str, Times, Times]


def process(rank: int, parent: int, life: Sequence[float] = LIFE, **more: float) -> Row:
    """Returns the PROCESS record of a process of the training. life: seconds of its start and
    end."""
    start, end = life if parent >= 0 else (0.0, 10.0)
    values = {"COUNT": 1, "PROGRAMS": 1, "PID": 10 + rank, "PARENT_RANK": parent,
              "F_START_TIMESTAMP": start, "F_END_TIMESTAMP": end, "WORLD_RANK": -1}  # fmt: skip
    return row("PROCESS", "host: python3 train.py", rank, **{**values, **more})


def bins(times: Times) -> list[int]:
    """Returns the values of all bins. times: those that are not 0, by bin."""
    return [times.get(place, 0) for place in range(BINS)]


def job(tree: Sequence[Row], records: Sequence[Record], width: float = WIDTH) -> Job:
    """Returns the log of a training of ten seconds. tree: its PROCESS records; records: its heat
    maps; width: of a bin, in seconds."""
    made = [
        Heatmap(number_of(f"heatmap:{name}"), rank, width, bins(whole), bins(part))
        for rank, name, whole, part in records
    ]
    loader = row("TRAINING", LOADER.name, **{**LOADER.values, "WORKERS": 2,
                                             "LOADER": number_of(LOADER.name)})  # fmt: skip
    names = tuple({f"heatmap:{name}" for _, name, _, _ in records})
    extra = (Module("TRAINING_TIME", 1, list(made)),)
    return Job((loader, *tree), nprocs=len(tree), extra=extra, names=names)


# A program with an epoch from 1.0 s on, which waits for data for 0.1 s and then works for 0.05 s.
PROGRAM: list[Record] = [(0, "epochs", {10: 100, 11: 50}, {10: 100})]
WORKER: list[Record] = [
    (1, "batches:0", {10: 80}, {10: 30}),
    (1, "processors:0", {10: 40}, {10: 10}),
]


def read(one: Job, path: Path) -> Lanes:
    """Returns the lanes of a job, which must have some."""
    with open_log(write(one, path / "a.darshan")) as log:
        found = lanes(log, processes(log))
        assert found is not None
        return found


def test_states(tmp_path: Path) -> None:
    """The time of each bin is divided into states: files, computing, ready, waiting and idle for a
    worker, stall and step for the program. The rest of a worker's lifetime is idle time."""
    found = read(job([process(0, -1), process(1, 0)], [*PROGRAM, *WORKER]), tmp_path)
    program, worker = found.lanes
    assert (found.width, found.bins, program.worker, worker.worker) == (WIDTH, BINS, None, 0)
    assert program.sums == pytest.approx({"stall": 0.1, "step": 0.05})
    spent = {state: times[10] for state, times in worker.spent.items()}
    expected = {"files": 0.03, "computing": 0.03, "ready": 0.01, "waiting": 0.01, "idle": 0.02}
    assert spent == pytest.approx(expected)
    assert sum(worker.sums.values()) == pytest.approx(LIFE[1] - LIFE[0])


def test_a_program_without_workers(tmp_path: Path) -> None:
    """If a program makes its batches itself, its lane has the states of making batches during its
    waits for data."""
    made = [(0, name.partition(":")[0], whole, part) for _, name, whole, part in WORKER]
    (program,) = read(job([process(0, -1)], [*PROGRAM, *made]), tmp_path).lanes
    assert program.sums == pytest.approx(
        {"files": 0.03, "computing": 0.03, "ready": 0.01, "waiting": 0.01, "stall": 0.02,
         "step": 0.05}
    )  # fmt: skip


@pytest.mark.parametrize(("second", "lives"), [((5.0, 9.0), [2]), ((3.0, 9.0), [1, 1])])
def test_the_same_worker(tmp_path: Path, second: tuple[float, float], lives: list[int]) -> None:
    """Processes with the same worker number have one lane if they lived one after another; workers
    of two loaders, which live at the same time, have separate lanes."""
    tree = [process(0, -1), process(1, 0, (1.0, 4.0)), process(2, 0, second)]
    again = [(2, name, whole, part) for _, name, whole, part in WORKER]
    found = read(job(tree, [*PROGRAM, *WORKER, *again]), tmp_path)
    assert [len(lane.spans) for lane in found.lanes[1:]] == lives
    assert all(lane.parent == 0 for lane in found.lanes)


def test_workers_of_two_loops(tmp_path: Path) -> None:
    """If two loops have persistent workers, the names of the lanes have the line of the loop."""
    again = [(2, name, whole, part) for _, name, whole, part in WORKER]
    one = job([process(0, -1), process(1, 0), process(2, 0)], [*PROGRAM, *WORKER, *again])
    other = "DataLoader;/work/train.py:44:validate"
    rows = [row("TRAINING", other, **{**LOADER.values, "WORKERS": 2, "LOADER": number_of(other)})]
    for rank, loader in ((1, other), (2, LOADER.name)):
        values = {"KIND": 3, "WORKER": 0, "RANK": -1, "LOADER": number_of(loader)}
        rows.append(row("TRAINING", f"worker 0 of {rank}", rank, **values))
    made = replace(one, rows=(*one.rows, *rows))
    with open_log(write(made, tmp_path / "a.darshan")) as log:
        context = Context(log, Limits())
        found = training_lanes.shown(context)
        assert found is not None
        assert found.labels == ("program", "train.py:44 worker 0", "train.py:31 worker 0")
        data, loops = training_lanes.data(context), verdicts(context.facts)
    assert data is not None
    lines = [loops[lane["loop"]].loader.line for lane in data["lanes"][1:]]
    assert lines == ["train.py:44", "train.py:31"]
    assert data["lanes"][0]["loop"] is None


def test_a_rank_of_many_processes(tmp_path: Path) -> None:
    """If several workers share a rank, so that the log lacks their single lifetimes, each worker
    has a lane, and none has idle time."""
    other = [(rank, name.replace(":0", ":1"), whole, part) for rank, name, whole, part in WORKER]
    tree = [process(0, -1), process(1, 0, COUNT=5)]
    found = read(job(tree, [*PROGRAM, *WORKER, *other]), tmp_path)
    assert [lane.worker for lane in found.lanes] == [None, 0, 1]
    for lane in found.lanes[1:]:
        assert "idle" not in lane.sums
        assert sum(lane.sums.values()) == pytest.approx(0.08)


def test_many_ranks(tmp_path: Path) -> None:
    """If there are too many lanes, the diagram has the ranks that waited longest, with all their
    workers."""
    ranks, workers = 15, 2
    tree, records = [], []
    for rank in range(ranks):
        first = rank * (1 + workers)
        tree.append(process(first, -1, WORLD_RANK=rank))
        records.append((first, "epochs", {10: 100}, {10: rank}))
        for number in range(workers):
            tree.append(process(first + 1 + number, first, WORLD_RANK=rank))
            records.append((first + 1 + number, f"batches:{number}", {10: 50}, {}))
    with open_log(write(job(tree, records), tmp_path / "a.darshan")) as log:
        context = Context(log, Limits())
        found = training_lanes.shown(context)
        assert found is not None
        expected = [
            name for rank in range(14, 1, -1) for name in (f"rank {rank}", "worker 0", "worker 1")
        ]
        assert list(found.labels) == expected
        assert found.left_out == (ranks - 13) * 3
        assert "6 more lanes, of processes that waited less" in training_lanes.caption(found)
        data = training_lanes.data(context)
    assert data is not None and len(data["lanes"]) == ranks * 3
    assert {lane["of_process"] for lane in data["lanes"]} == {3 * rank for rank in range(ranks)}


@pytest.mark.parametrize(
    "records",
    [
        [(0, "epochs", {10: -5, 11: 1 << 62}, {10: 1 << 62, 11: -(1 << 62)})],
        [(1, "batches:0", {10: 5, 11: 300}, {10: 900}), (1, "processors:0", {9: 90}, {9: 95})],
        [(7, "batches:0", {10: 5}, {}), *PROGRAM],
        [(0, "batches:99999999999", {10: 5}, {}), *PROGRAM],
        [(0, "batches:", {10: 5}, {}), (0, "POSIX", {10: 5}, {}), *PROGRAM],
        [(-1, "batches", {10: 5}, {}), *PROGRAM],
    ],
)
def test_damage(tmp_path: Path, records: list[Record]) -> None:
    """Damaged values never cause a state with a time below 0 or above the width of the bin."""
    found = read(job([process(0, -1), process(1, 0)], records), tmp_path)
    for lane in found.lanes:
        whole = sum(lane.spent.values())
        assert all((times >= 0).all() and (times <= WIDTH).all() for times in lane.spent.values())
        assert (whole <= WIDTH + 1e-9).all()


@pytest.mark.parametrize("width", [math.nan, math.inf, -1.0, 0.0, 1e300])
def test_damaged_width(tmp_path: Path, width: float) -> None:
    """With an impossible width of the bins, there are no lanes. width: in seconds."""
    one = job([process(0, -1)], PROGRAM, width)
    with open_log(write(one, tmp_path / "a.darshan")) as log:
        assert lanes(log, processes(log)) is None
        assert training_lanes.shown(Context(log, Limits())) is None


def full(tmp_path: Path) -> Path:
    """Returns the path of a log with a program and two workers."""
    again = [
        (2, name.replace(":0", ":1"), {place + 20: ms for place, ms in whole.items()}, {})
        for _, name, whole, _ in WORKER
    ]
    tree = [process(0, -1), process(1, 0), process(2, 0)]
    return write(job(tree, [*PROGRAM, *WORKER, *again]), tmp_path / "a.darshan")


def test_in_a_pdf(build: Path, tmp_path: Path) -> None:
    """The PDF has the lanes of the program and of its workers."""
    log = full(tmp_path)
    subprocess.run([build / "darshan", "report", "-o", tmp_path / "a.pdf", log], check=True)
    text = text_of(tmp_path / "a.pdf")
    assert "Program and workers over time" in text
    for words in ("waiting for data", "worker 1", "no times of single batches"):
        assert words in text


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yields a browser's window."""
    needs("program:chromium", "program:chromedriver")
    with browser(tmp_path_factory.mktemp("browser")) as made:
        yield made


# Height of a lane in pixels.
LANE = 32


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True])
def test_on_a_page(build: Path, tmp_path: Path, window: Browser, width: int, dark: bool) -> None:
    """If the pointer is over a lane, the page shows the state of the process at this time. No text
    is cut, and each state has its own colour."""
    log, page = full(tmp_path), tmp_path / "a.html"
    subprocess.run([build / "darshan", "report", "--html", "-o", page, log], check=True)
    window.dark(dark)
    window.open(page, width)
    window.until("return document.documentElement.dataset.ready")
    chart = "#r0-training-lanes .u-over"
    window.until(f"return document.querySelector('{chart}') !== null")
    across = window.run(f"return document.querySelector('{chart}').clientWidth")
    said = []
    for lane, seconds in ((0, 1.05), (0, 1.15), (1, 1.05), (2, 3.05), (2, 0.55), (0, 5.05)):
        window.mouse(chart, [(across * seconds / 10, LANE * (lane + 0.5))])
        said.append(
            window.run("return document.querySelector('#r0-training-lanes .said').textContent")
        )
    assert said == [
        "program, 1.0 s to 1.1 s: waiting for data 100 ms",
        "program, 1.1 s to 1.2 s: the program's own work 50 ms",
        "worker 0, 1.0 s to 1.1 s: calls on files 30 ms, computing 30 ms, "
        "ready without a processor 10 ms, other waiting 10 ms, idle 20 ms",
        "worker 1, 3.0 s to 3.1 s: computing 40 ms, other waiting 40 ms, idle 20 ms",
        "worker 1, 0.5 s to 0.6 s: not there",
        "program, 5.0 s to 5.1 s: outside of epochs",
    ]
    assert window.run(OVER) <= 0
    assert window.run(CUT) == []
    assert window.complaints() == []
    keys = window.run(
        "return [...document.querySelectorAll('#r0-training-lanes .key')].map((key) =>"
        " getComputedStyle(key, '::before').backgroundColor)"
    )
    assert len(keys) == len(set(keys)) == 7
    drawn = window.run(
        "const c = document.querySelector('#r0-training-lanes canvas'), x = c.getContext('2d');"
        "const p = x.getImageData(0, 0, c.width, c.height).data; const seen = new Set();"
        "for (let i = 0; i < p.length; i += 4)"
        " if (p[i + 3] === 255) seen.add(`rgb(${p[i]}, ${p[i + 1]}, ${p[i + 2]})`);"
        "return [...seen];"
    )
    assert set(keys) <= set(drawn)
    window.dark(False)
