"""darshan-merge --run: one log of what the processes of a run left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from darshan_report import open_log

from .conftest import Program
from .events import SECOND, Kind, Run, here

Merge = Callable[..., "subprocess.CompletedProcess[str]"]

COPY = """
import sys
with open(sys.argv[1], "rb", buffering=0) as a, open(sys.argv[2], "wb", buffering=0) as b:
    while block := a.read(1000):
        b.write(block)
"""


@pytest.fixture
def merge(build: Path) -> Merge:
    def run(*arguments: object, timeout: int = 60) -> subprocess.CompletedProcess[str]:
        command = [str(x) for x in (build / "darshan-merge", *arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)

    return run


@pytest.fixture
def copied(program: Program, tmp_path: Path) -> Path:
    """The log of a program that reads 5000 bytes of data and writes them to copy."""
    (tmp_path / "data").write_bytes(bytes(5000))
    return program(sys.executable, "-c", COPY, tmp_path / "data", tmp_path / "copy")


def rows(log: Path, module: str) -> list[dict[str, float]]:
    with open_log(log) as opened:
        array = opened.records(module).array
        return [{name: row[name].item() for name in array.dtype.names} for row in array]


def names(log: Path) -> dict[int, str]:
    with open_log(log) as opened:
        return dict(opened.names())


def of_file(log: Path, path: Path, module: str = "POSIX") -> list[dict[str, float]]:
    known = names(log)
    return [row for row in rows(log, module) if known[int(row["id"])] == str(path)]


def test_two_processes_three_seconds_apart(merge: Merge, copied: Path, tmp_path: Path) -> None:
    run = Run(tmp_path / "darshan-run.100.x")
    half = SECOND // 2
    run.process(100, (0, 8 * half), "sh")
    run.process(101, (half, 2 * half), "python3", parent=100)
    run.process(102, (7 * half, 8 * half), "python3", parent=100, status=7)
    run.part(copied, 101, half)
    run.part(copied, 102, 7 * half)
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log, "--print")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{log}\n", "")
    assert not run.folder.exists()
    with open_log(log) as opened:
        info = opened.info
    assert info.nprocs == 3
    assert (info.start, info.end) == (run.base / SECOND, run.base / SECOND + 4)
    assert ("processes", "3") in info.metadata

    (before,) = of_file(copied, tmp_path / "data")
    (after,) = of_file(log, tmp_path / "data")
    assert (after["rank"], after["POSIX_OPENS"], after["POSIX_BYTES_READ"]) == (-1, 2, 10000)
    for name, shift in (("OPEN_START", 0.5), ("READ_END", 3.5), ("CLOSE_END", 3.5)):
        moved = before[f"POSIX_F_{name}_TIMESTAMP"] + shift
        assert after[f"POSIX_F_{name}_TIMESTAMP"] == pytest.approx(moved, abs=2e-6)
    (shared,) = [row for row in rows(log, "SHARED") if row["id"] == after["id"]]
    assert (shared["SHARED_RANKS"], shared["SHARED_LOWEST_RANK"]) == (2, 1)

    shell, first, second = rows(log, "PROCESS")
    known = names(log)
    assert known[int(shell["id"])] == f"{here()}: sh"
    assert known[int(first["id"])].startswith(f"{here()}: {sys.executable} -c ")
    assert [r["PROCESS_PID"] for r in (shell, first, second)] == [100, 101, 102]
    assert [r["PROCESS_PARENT_RANK"] for r in (shell, first, second)] == [-1, 0, 0]
    assert [r["PROCESS_STATUS"] for r in (shell, first, second)] == [0, 0, 7]
    assert [r["PROCESS_ENDED"] for r in (shell, first, second)] == [1, 1, 1]
    assert [r["PROCESS_FAILED"] for r in (shell, first, second)] == [0, 0, 1]
    assert (second["PROCESS_F_START_TIMESTAMP"], second["PROCESS_F_END_TIMESTAMP"]) == (3.5, 4)
    assert shell["PROCESS_BYTES_READ"] == 0
    (posix,) = of_file(copied, tmp_path / "copy")
    assert first["PROCESS_BYTES_WRITTEN"] == posix["POSIX_BYTES_WRITTEN"] == 5000


def test_who_became_another_program_is_one_process(
    merge: Merge, copied: Path, tmp_path: Path
) -> None:
    run = Run(tmp_path / "darshan-run.0.x")
    run.row(Kind.START, 50, 0, program="sh")
    run.row(Kind.FORKING, 50, SECOND, token=9)
    run.row(Kind.START, 51, SECOND + 1, parent=50, token=9, program="sh")
    run.row(Kind.EXEC, 51, SECOND + 2, parent=50)
    run.row(Kind.START, 51, SECOND + 3, parent=50, program="env")
    run.row(Kind.EXEC, 51, SECOND + 4, parent=50)
    run.row(Kind.START, 51, SECOND + 5, parent=50, program="python3")
    run.row(Kind.END, 51, 2 * SECOND, parent=50)
    run.row(Kind.START, 51, 3 * SECOND, parent=50, program="later")
    run.part(copied, 51, SECOND + 1)
    run.part(copied, 51, SECOND + 5)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    shell, chain, later = rows(log, "PROCESS")
    assert (chain["PROCESS_PROGRAMS"], chain["PROCESS_PARENT_RANK"]) == (3, 0)
    assert names(log)[int(chain["id"])].startswith(f"{here()}: env -> {sys.executable} ")
    assert names(log)[int(later["id"])] == f"{here()}: later"
    (data,) = of_file(log, tmp_path / "data")
    assert (data["rank"], data["POSIX_OPENS"], data["POSIX_BYTES_READ"]) == (1, 2, 10000)
    assert (shell["PROCESS_ENDED"], chain["PROCESS_ENDED"]) == (0, 1)
