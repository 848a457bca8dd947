"""Reports of real runs show the programs of a shell's loop, of a build and of a pool of workers,
with their bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import Finding
from darshan_report.measure.processes.processes import processes
from darshan_report.report import terminal
from darshan_report.report.context import Context
from place import needs

LOOP = """
for file in part-*; do
  cat $file | tr a b >> all
done
grep nothing all
exit 0
"""
BUILD = """
all: one.o two.o three.o
%.o: %.c
\tcc -c -o $@ $<
"""
POOL = """
import multiprocessing, sys

def started(all_workers):
    global together
    together = all_workers

def work(number):
    together.wait()  # each worker gets one of three tasks
    with open(f"out-{number}", "wb", buffering=0) as file:
        for i in range(4000):
            file.write(b"few")
    return number

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(3, started, [multiprocessing.Barrier(3)]) as pool:
        print(sum(pool.map(work, range(12), 1)))
        pool.close()
        pool.join()
"""


def ranks(log: Path) -> int:
    """Returns the number of processes in a log."""
    with open_log(log) as opened:
        return opened.info.nprocs


def ran(build: Path, folder: Path, *command: str) -> Path:
    """Runs a command by `darshan run`. Returns the log with the most processes, because a process
    that outlives the run, for example Python's resource tracker, leaves a separate log."""
    work, logs = folder / "work", folder / "logs"
    subprocess.run(
        [build / "darshan", "run", "-o", logs, "--", *command],
        cwd=work, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return max(logs.glob("*.darshan"), key=ranks)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Returns an empty folder for programs."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def screen(log: Path) -> tuple[list[str], list[Finding]]:
    """Returns the lines of the text report, and the findings."""
    with open_log(log) as opened:
        context = Context(opened)
        return list(terminal.lines(context)), context.findings


def row(lines: list[str], start: str) -> str:
    """Returns the row of the tree that begins with this text and indentation."""
    return next(line for line in lines if line.startswith(f"{start} "))


def test_loop(build: Path, work: Path, tmp_path: Path) -> None:
    """A loop of a shell has one row for each program, with the number of its processes."""
    for number in range(20):
        (work / f"part-{number}").write_bytes(bytes(1000))
    (work / "loop.sh").write_text(LOOP)
    lines, _ = screen(ran(build, tmp_path, "bash", "loop.sh"))
    assert lines[0].startswith("loop.sh ran for ") and "42 processes" in lines[0]
    assert row(lines, "bash loop.sh")
    assert "19.5 KiB" in row(lines, "  cat \u00d7 20")
    assert row(lines, "  tr \u00d7 20")
    assert not any("nded badly" in line for line in lines)  # a grep without a match


def test_pipes(build: Path, work: Path, tmp_path: Path) -> None:
    """The report has exactly the bytes that programs wrote into pipes, and mentions no reads from
    pipes if there were none."""
    lines, _ = screen(ran(build, tmp_path, "sh", "-c", "seq 3; seq 3; true"))
    text = " ".join(lines)
    assert "they wrote 12 B to them, in " in text
    assert "0 B from them" not in text and "were read" not in text


def test_build(build: Path, work: Path, tmp_path: Path) -> None:
    """A build has one row for each program that make and the compiler start, and no process starts
    before the run."""
    needs("program:make")
    for name in ("one", "two", "three"):
        (work / f"{name}.c").write_text(f"int {name}(void) {{ return 1; }}\n")
    (work / "Makefile").write_text(BUILD)
    log = ran(build, tmp_path, "make", "-j2")
    lines, _ = screen(log)
    assert lines[0].startswith("make ran for ")
    assert row(lines, "make -j2") and row(lines, "  cc \u00d7 3")
    assert row(lines, "    as \u00d7 3")
    with open_log(log) as opened:
        tree = processes(opened)
    assert tree is not None
    # A run has one clock: no process starts before the run or lives longer.
    assert float(tree.start.min()) >= 0 and float(tree.lives.max()) == float(tree.lives[0])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pool(method: str, build: Path, work: Path, tmp_path: Path) -> None:
    """Worker processes are shown below their program, whether they were forked or spawned, with the
    bytes that they wrote. A finding about small writes, if there is one, names the workers."""
    (work / "pool.py").write_text(POOL)
    log = ran(build, tmp_path, "/usr/bin/python3", "pool.py", method)
    lines, findings = screen(log)
    assert lines[0].startswith("pool.py ran for ")
    assert "141 KiB" in row(lines, "  pool.py's 3 workers")
    small = [f.programs for f in findings if f.name == "small-accesses-write"]
    assert set(small) <= {"pool.py's 3 workers"}
