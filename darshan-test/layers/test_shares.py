"""The I/O share (the fraction of a run's time in I/O) is the same in every output of Darshan that
prints it. Each output has two shares: of file I/O, and of all layers such as HDF5 and MPI-IO."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished

from .program import Program

SECONDS = 60
# The words for the two fractions on the screen and on the page.
FILES, ALL = "in file I/O", "in I/O of all layers"
# Computes for a given time, between small writes that go to the system one by one.
WRITES = """
import os, time
fd = os.open("out", os.O_WRONLY | os.O_CREAT, 0o600)
for i in range(400000):
    os.write(fd, b"0123456789")
until = time.monotonic() + 1
while time.monotonic() < until:
    pass
"""
# Nested shells.
SHELLS = 8
Share = str  # as printed: "4.3 %"
# Runs a command of `darshan`.
Tool = Callable[..., str]
Told = dict[str, tuple[Share, Share]]  # by output: in file I/O, in I/O of all layers


@pytest.fixture
def tool(build: Path, tmp_path: Path) -> Tool:
    """Returns a function that runs a `darshan` command, which must succeed, and returns its stdout
    and stderr."""

    def run(*arguments: str | Path) -> str:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DARSHAN_", "LD_"))}
        journals = tmp_path / "left"
        journals.mkdir(exist_ok=True)
        more = {"DARSHAN_PYTHON": sys.executable, "DARSHAN_MMAP_LOGPATH": str(journals)}
        done = finished(
            [build / "darshan", *arguments],
            cwd=tmp_path,
            env={**kept, **more, "LC_ALL": "C.UTF-8"},
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return run


def log_of(tool: Tool, folder: Path, *command: str) -> Path:
    """Runs a command by `darshan run` with its logs in the folder, and returns the path of its only
    log."""
    tool("run", "-o", folder, "--", *command)
    (log,) = folder.rglob("*.darshan")
    return log


def nested(depth: int, command: list[str]) -> list[str]:
    """Returns a command of `depth` nested shells that wait for each other; the innermost one runs
    the command."""
    for _ in range(depth):
        command = ["sh", "-c", '"$@"; true', "sh", *command]
    return command


def _share(pattern: str, text: str) -> Share:
    """Returns the fraction that a pattern finds in a text, as printed. The pattern must match."""
    found = re.search(pattern, text)
    assert found, (pattern, text[:2000])
    return found[1]


def of_stat(screen: str) -> tuple[Share, Share]:
    """Returns the shares of file I/O and of all layers, as text, from the output of `darshan
    stat`."""
    files = _share(rf"{FILES} \(([^)]*%)\)", screen)
    return files, _share(r"all layers ([^,\n]*%)", screen) if "all layers" in screen else files


def of_text(text: str) -> tuple[Share, Share]:
    """Returns the shares of file I/O and of all layers, as text, from the report as text, or from
    the report on many jobs."""
    flat = " ".join(text.split())
    files = _share(r"(< 0\.1 %|[\d.]+ %) of the (?:run|working) time went into file I/O", flat)
    both = ", (< 0.1 %|[\\d.]+ %) into I/O of all layers"
    return files, _share(both, flat) if "into I/O of all layers" in flat else files


def of_page(page: str) -> tuple[Share, Share]:
    """Returns the shares of file I/O and of all layers, as text, from the figures of an HTML
    report."""
    figures = [
        (html.unescape(value), words)
        for value, words in re.findall(r"<b>([^<]*)</b> <span>([^<]*)</span>", page)
    ]
    files = next(value for value, words in figures if FILES in words)
    return files, next((value for value, words in figures if ALL in words), files)


def of_pair(page: str) -> tuple[Share, Share]:
    """Returns the shares of file I/O and of all layers, as text, from a page that compares two
    logs, which are the same log here."""
    found = re.findall(r"<span>(in [^<]*):</span> <b>([^<]*) \u2192 ([^<]*)</b>", page)
    assert found and all(before == after for _, before, after in found)
    told = {words.partition(",")[0]: html.unescape(value) for words, value, _ in found}
    return told[FILES], told.get(ALL, told[FILES])


def of_seconds(row: dict[str, Any], files: str, layers: str, work: str) -> tuple[Share, Share]:
    """Returns the shares of file I/O and of all layers, as text, computed from a row of data.
    files, layers, work: the columns with the seconds of both and of the whole run."""

    def told(name: str) -> Share:
        part = 100 * float(row[name]) / float(row[work])
        return "< 0.1 %" if 0 < part < 0.1 else f"{part:.{1 if part < 99.95 else 0}f} %"

    return told(files), told(layers)


def outputs(tool: Tool, log: Path) -> Told:
    """Returns the shares of file I/O and of all layers that each output prints for one log, by the
    output's name."""
    report = ("report", "-o", "-")
    data = json.loads(tool(*report, "--json", log))["io"]
    columns = "io_seconds", "all_layers_seconds", "process_seconds"
    jobs = json.loads(tool(*report, "--campaign", "--json", log))["jobs"]
    rows = list(csv.DictReader(io.StringIO(tool(*report, "--campaign", "--csv", log))))
    pair = tool(*report, "--compare", "--html", log, log)
    names = "file_io_seconds", "all_layers_seconds", "working_seconds"
    return {
        "stat": of_stat(tool("stat", "-r", log)),
        "text": of_text(tool("report", "--text", log)),
        "page": of_page(tool(*report, "--html", log)),
        "data": of_seconds(data, *names),
        "campaign": of_text(tool("report", "--campaign", "--text", log)),
        "campaign page": of_page(tool(*report, "--campaign", "--html", log)),
        "campaign data": of_seconds(jobs[0], *columns),
        "campaign table": of_seconds(rows[0], *columns),
        "compare": of_pair(pair),
        "lake": of_lake(tool, log),
    }


def of_lake(tool: Tool, log: Path) -> tuple[Share, Share]:
    """Returns the shares of file I/O and of all layers, as text, from a new lake that contains only
    this log."""
    lake = log.parent / "lake"
    tool("collect", "--into", lake, log)
    asked = tool("ask", lake, "--json", "--sql", "SELECT * FROM jobs")
    row = json.loads(asked)
    row = row[0] if isinstance(row, list) else row
    return of_seconds(row, "io_seconds", "all_layers_seconds", "process_seconds")


def test_one_process(tool: Tool, tmp_path: Path) -> None:
    """For a program without HDF5 or MPI, all outputs have the same share, which is equal for file
    I/O and all layers."""
    told = outputs(tool, log_of(tool, tmp_path / "logs", sys.executable, "-c", WRITES))
    assert len(set(told.values())) == 1, told
    assert len(set(told["stat"])) == 1, told


# Eight threads read files of their own in long calls. Overlapping calls on one file count once.
THREADS = """
import os, threading
with open("data", "wb") as data:
    data.write(bytes(64 << 20))
room = bytearray(64 << 20)
def work(name):
    os.link("data", name)
    fd = os.open(name, os.O_RDONLY)
    for i in range(8):
        os.preadv(fd, [room], 0)
    os.unlink(name)
threads = [threading.Thread(target=work, args=(f"data{i}",)) for i in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
os.unlink("data")
"""


def test_threads(tool: Tool, tmp_path: Path) -> None:
    """For a program with several threads in I/O, all outputs have the same share, which is above
    100 %; `darshan stat`, the text and the page explain it."""
    log = log_of(tool, tmp_path / "logs", sys.executable, "-c", THREADS)
    told = outputs(tool, log)
    assert len(set(told.values())) == 1, told
    assert float(told["stat"][0].strip("< %")) > 120
    text = " ".join(tool("report", "--text", log).split())
    assert "above 100 % (" in text and "calls of several threads" in text
    assert "threads added up" in tool("stat", "-r", log)
    assert "threads added up" in tool("report", "-o", "-", "--html", log)


def test_shells(tool: Tool, tmp_path: Path) -> None:
    """All outputs print the same fraction for a writing program inside of nested shells."""
    command = nested(2, [sys.executable, "-c", WRITES])
    told = outputs(tool, log_of(tool, tmp_path / "logs", *command))
    assert len(set(told.values())) == 1, told


def test_hdf5(program: Program, tool: Tool) -> None:
    """For a program that spends most time in HDF5, the shares of file I/O and of all layers differ,
    and all outputs have the same two."""
    told = outputs(tool, program.run("timing").log)
    assert len(set(told.values())) == 1, told
    files, layers = (float(share.strip("< %")) for share in told["stat"])
    assert files < layers


def test_waiting_shells_do_not_dilute(tool: Tool, tmp_path: Path) -> None:
    """A program has the same I/O share and the same finding alone and within eight shells that only
    wait for it."""
    program = [sys.executable, "-c", WRITES]
    alone, within = (
        json.loads(tool("report", "--json", "-o", "-", log))
        for log in (
            log_of(tool, tmp_path / "alone", *program),
            log_of(tool, tmp_path / "within", *nested(SHELLS, program)),
        )
    )
    problems = [[f["name"] for f in one["findings"] if f["kind"] == "problem"][:1]
                for one in (alone, within)]  # fmt: skip
    assert problems[0] == problems[1] != []
    tree = within["processes"]
    assert tree["lived_seconds"] > SHELLS * within["job"]["run_seconds"] / 2
    assert within["io"]["working_seconds"] < 1.1 * within["job"]["run_seconds"]
    first = within["findings"][0]["stake"]
    assert first["of_run_seconds"] == pytest.approx(within["job"]["run_seconds"], rel=0.05)
    assert first["run_seconds"] == pytest.approx(first["seconds"], rel=0.05)


def test_stakes_are_wall_time(tool: Tool, tmp_path: Path) -> None:
    """For four parallel programs with the same problem, the potential saving in wall time is less
    than half of the sum over the programs, and at most the run time."""
    script = 'for i in 1 2 3 4; do mkdir $i; (cd $i; "$0" -c "$1") & done; wait'
    log = log_of(tool, tmp_path / "logs", "sh", "-c", script, sys.executable, WRITES)
    told = json.loads(tool("report", "--json", "-o", "-", log))
    stake = next(f["stake"] for f in told["findings"] if f["kind"] == "problem")
    assert stake["run_seconds"] < 0.5 * stake["seconds"]
    assert stake["run_seconds"] <= stake["of_run_seconds"] <= told["job"]["run_seconds"] * 1.001


def test_stakes_of_programs_side_by_side(tool: Tool, tmp_path: Path) -> None:
    """For two programs that work in parallel and then sleep for most of the run, the potential
    saving is relative to the working time of one program, as for one program alone."""
    script = 'for i in 1 2; do mkdir $i; (cd $i; "$0" -c "$1") & done; wait'
    sleeping = WRITES + "time.sleep(6)\n"
    log = log_of(tool, tmp_path / "logs", "sh", "-c", script, sys.executable, sleeping)
    told = json.loads(tool("report", "--json", "-o", "-", log))
    stake = next(f["stake"] for f in told["findings"] if f["kind"] == "problem")
    work = told["io"]["working_seconds"]
    assert work < told["job"]["run_seconds"]
    assert stake["of_run_seconds"] == pytest.approx(work / 2, rel=0.2)
    of_all = stake["seconds"] / stake["of_seconds"]
    assert stake["run_seconds"] / stake["of_run_seconds"] == pytest.approx(of_all, rel=0.05)


@pytest.mark.parametrize("wait", ["time.sleep(1)", "select.select([], [], [], 1)", "thread.join()"])
def test_waiting_does_not_dilute(tool: Tool, tmp_path: Path, wait: str) -> None:
    """The time in which a process sleeps, polls, or waits for a sleeping thread is not in the
    report's working time, for a process alone and for one with a parent that waits."""
    thread = "import select, threading\nthread = threading.Thread(target=time.sleep, args=(1,))\n"
    program = [sys.executable, "-c", f"{WRITES}\n{thread}thread.start()\n{wait}\n"]
    for place, command in enumerate((program, nested(2, program))):
        log = log_of(tool, tmp_path / f"logs{place}", *command)
        told = json.loads(tool("report", "--json", "-o", "-", log))
        assert told["io"]["working_seconds"] < told["job"]["run_seconds"] - 0.7
        assert told["io"]["working_seconds"] > told["io"]["file_io_seconds"]
