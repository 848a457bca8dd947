"""darshan-merge --run makes one log from the parts and the event file of a run directory."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.binding import metadata, names, of_file, processes, rows

from .conftest import Merge, Program
from .events import SECOND, Kind, Run, here

COPY = """
import sys
with open(sys.argv[1], "rb", buffering=0) as a, open(sys.argv[2], "wb", buffering=0) as b:
    while block := a.read(1000):
        b.write(block)
"""


@pytest.fixture
def copied(program: Program, tmp_path: Path) -> Path:
    """Returns the log of a program that reads 5,000 bytes of `data` in five reads and writes them
    to `copy`."""
    (tmp_path / "data").write_bytes(bytes(5000))
    return program(sys.executable, "-c", COPY, tmp_path / "data", tmp_path / "copy")


def test_two_processes_three_seconds_apart(merge: Merge, copied: Path, tmp_path: Path) -> None:
    """The log of a run has the records of both processes, each at its own time."""
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
    assert [r["PROCESS_FAILED"] for r in (shell, first, second)] == [0, 0, 0]  # sh exited normally
    assert (second["PROCESS_F_START_TIMESTAMP"], second["PROCESS_F_END_TIMESTAMP"]) == (3.5, 4)
    assert shell["PROCESS_BYTES_READ"] == 0
    (posix,) = of_file(copied, tmp_path / "copy")
    assert first["PROCESS_BYTES_WRITTEN"] == posix["POSIX_BYTES_WRITTEN"] == 5000


def test_who_became_another_program_is_one_process(
    merge: Merge, copied: Path, tmp_path: Path
) -> None:
    """A process that calls exec is one process with several programs."""
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


def test_a_parent_is_who_forked(merge: Merge, tmp_path: Path) -> None:
    """In a PROCESS record the parent is the process that forked, even if it has exited or its pid
    was used again."""
    run = Run(tmp_path / "darshan-run.0.x")
    run.row(Kind.START, 50, 0, program="sh")
    run.row(Kind.FORKING, 50, 1, token=7)
    run.row(Kind.START, 51, 2, parent=1, token=7, program="daemon")
    run.row(Kind.END, 51, 3, parent=1)
    run.row(Kind.SPAWNED, 52, 4, parent=51)
    run.row(Kind.SPAWNED, 53, 5, parent=50)
    run.row(Kind.START, 53, 6, parent=50, program="told")
    run.row(Kind.FORKING, 53, 7, token=8)
    run.row(Kind.FORK_FAILED, 53, 8, token=8)
    run.row(Kind.REAPED, 53, 9, parent=50, status=11)
    run.row(Kind.START, 53, 10, parent=50, program="again")
    run.row(Kind.REAPED, 54, 11, parent=50, status=3 << 8)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    found = {int(r["PROCESS_PID"]): r for r in rows(log, "PROCESS") if r["PROCESS_PID"] != 53}
    parents = {pid: row["PROCESS_PARENT_RANK"] for pid, row in found.items()}
    assert parents == {50: -1, 51: 0, 52: 1, 54: 0}
    assert (found[54]["PROCESS_ENDED"], found[54]["PROCESS_STATUS"]) == (1, 3)
    by_name = processes(log)
    told, again = by_name["told"], by_name["again"]
    assert (told["PROCESS_ENDED"], told["PROCESS_STATUS"], told["PROCESS_FAILED"]) == (2, 11, 1)
    assert (again["PROCESS_ENDED"], again["PROCESS_STATUS"]) == (0, -1)
    assert metadata(log)["processes"] == "6"


def test_each_process_counts_its_own_forks(merge: Merge, tmp_path: Path) -> None:
    """A child has the right parent, even if two processes number their children alike."""
    run = Run(tmp_path / "darshan-run.0.x")
    run.row(Kind.START, 50, 0, program="one")
    run.row(Kind.START, 51, 1, program="two")
    run.row(Kind.FORKING, 50, 2, token=1)
    run.row(Kind.FORKING, 51, 3, token=1)
    run.row(Kind.START, 61, 4, parent=50, token=1, program="one")
    run.row(Kind.START, 62, 5, parent=51, token=1, program="two", namespace=1)
    run.row(Kind.START, 63, 6, parent=1, token=1, program="two")
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    parents = {r["PROCESS_PID"]: r["PROCESS_PARENT_RANK"] for r in rows(log, "PROCESS")}
    assert parents == {50: -1, 51: -1, 61: 0, 62: 1, 63: 1}


def test_ranks_of_a_job_are_one_row(merge: Merge, copied: Path, tmp_path: Path) -> None:
    """The ranks of an MPI job are one row of the processes, and their launcher is another."""
    run = Run(tmp_path / "darshan-run.0.x")
    run.process(50, (0, SECOND), "mpiexec.hydra")
    for pid in range(60, 64):
        run.row(Kind.START, pid, pid, parent=50, program="sh")
        run.row(Kind.EXEC, pid, pid, parent=50)
        run.row(Kind.START, pid, pid + 10, parent=50, program="solver")
        run.row(Kind.JOB, pid, pid + 20, parent=50, status=4, job=99)
        run.row(Kind.END, pid, SECOND, parent=50)
        run.part(copied, pid, pid)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    launcher, job = rows(log, "PROCESS")
    assert (launcher["PROCESS_LAUNCHER"], launcher["PROCESS_JOB_RANKS"]) == (1, 0)
    assert (job["PROCESS_COUNT"], job["PROCESS_JOB_RANKS"], job["PROCESS_LAUNCHER"]) == (4, 4, 0)
    (data,) = of_file(log, tmp_path / "data")
    assert (data["rank"], data["POSIX_OPENS"]) == (1, 4)


def test_a_part_without_rows_is_a_process(merge: Merge, copied: Path, tmp_path: Path) -> None:
    """A part without events becomes a process of its own."""
    run = Run(tmp_path / "darshan-run.70.x")
    run.part(copied, 70, SECOND)
    run.part(copied, 71, 2 * SECOND)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    first, second = rows(log, "PROCESS")
    assert (first["PROCESS_PID"], second["PROCESS_PID"]) == (70, 71)
    assert second["PROCESS_F_START_TIMESTAMP"] == 1


def test_rows_that_are_no_rows_are_passed_by(merge: Merge, tmp_path: Path) -> None:
    """Damaged rows among the events are ignored, and the others count."""
    run = Run(tmp_path / "darshan-run.0.x")
    run.row(Kind.START, 50, 0, program="sh")
    whole = run.events.read_bytes()
    run.row(Kind.START, 51, 1, program="cut off by a full disk")
    run.events.write_bytes(run.events.read_bytes()[: len(whole) + 77])
    run.row(Kind.START, 52, 2, program="whole")
    foreign = bytearray(whole)
    foreign[0] ^= 1
    no_kind = bytearray(whole)
    no_kind[4] = 200
    no_pid = bytearray(whole)
    no_pid[8:12] = bytes(4)
    with run.events.open("ab") as file:
        file.write(foreign + no_kind + no_pid + whole[:50])
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    assert set(processes(log)) == {"sh", "whole"}


def test_damaged_parts_are_left_out_and_named(merge: Merge, copied: Path, tmp_path: Path) -> None:
    """A damaged part is left out of the log, with one line each."""
    run = Run(tmp_path / "darshan-run.0.x")
    good = run.part(copied, 50, 0)
    bad = [run.part(copied, pid, pid) for pid in range(51, 54)]
    data = good.read_bytes()
    bad[0].write_bytes(data[:1400])
    bad[1].write_bytes(b"")
    broken = bytearray(data)  # its last region, whose damage only reading finds
    (annex,) = struct.unpack_from("<Q", data, len(data) - 24)  # the annex's trailer ends the file
    broken[annex - 100 : annex] = bytes(100)
    bad[2].write_bytes(broken)
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log)
    assert done.returncode == 0
    assert done.stderr.count("\n") == len(bad) and "Traceback" not in done.stderr
    assert set(metadata(log)["parts_left_out"].split(",")) == {path.name for path in bad}
    assert len(rows(log, "PROCESS")) == 4
    (found,) = of_file(log, tmp_path / "data")
    assert (found["rank"], found["POSIX_OPENS"]) == (0, 1)
    assert not run.folder.exists()
    assert merge("--run", run.folder, "-o", log).returncode == 3


def test_thousands_of_processes_fold(merge: Merge, copied: Path, tmp_path: Path) -> None:
    """The first 4,032 processes have a rank each. All later processes of a program share one rank,
    for up to 63 programs; those of all further programs share one more. Sums are exact."""
    count, own, folded = 5000, 4032, 64
    run = Run(tmp_path / "darshan-run.0.x")
    run.process(1, (0, 2 * count), "sh", status=1)
    last = count - 1
    for i in range(2, count + 1):
        program = f"late{i % 100}" if i > last - 200 else "cat"
        run.process(i, (i, i + 1), program, parent=1, status=i % 2)
        if i % 10 == 0:
            run.part(copied, i, i)
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log)
    assert (done.returncode, done.stderr) == (0, "")
    found = rows(log, "PROCESS")
    assert len(found) == own + folded
    assert sum(r["PROCESS_COUNT"] for r in found) == count
    assert sum(r["PROCESS_FAILED"] for r in found) == 1 + sum(i % 2 for i in range(2, count + 1))
    of_one = sum(r["POSIX_BYTES_READ"] for r in rows(copied, "POSIX"))
    of_one += sum(r["STDIO_BYTES_READ"] for r in rows(copied, "STDIO"))
    assert sum(r["PROCESS_BYTES_READ"] for r in found) == of_one * (count // 10)
    assert {r["PROCESS_COUNT"] for r in found[:own]} == {1}
    shared = {name: row for name, row in processes(log).items() if row["PROCESS_COUNT"] > 1}
    assert shared["cat"]["PROCESS_COUNT"] == last - 200 - own
    assert (shared["cat"]["PROCESS_ENDED"], shared["cat"]["PROCESS_STATUS"]) == (0, -1)
    (data,) = of_file(log, tmp_path / "data")
    assert (data["rank"], data["POSIX_OPENS"]) == (-1, count // 10)


def test_names_do_no_harm(merge: Merge, tmp_path: Path) -> None:
    """Names of hosts and programs with control characters, or without end, are cleaned and
    shortened."""
    run = Run(tmp_path / "darshan-run.0.x", host="h\x1b[2Jost")
    run.row(Kind.START, 50, 0, program="a\nb\x07\u00e9" + "z" * 40)
    for at in range(1, 60):
        run.row(Kind.EXEC, 50, at)
        run.row(Kind.START, 50, at, program="y" * 39)
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log).returncode == 0
    ((_, name),) = names(log).items()
    assert name.startswith("h?[2Jost: a b?\u00e9zz") and len(name.encode()) <= 1000
    assert rows(log, "PROCESS")[0]["PROCESS_PROGRAMS"] == 60
