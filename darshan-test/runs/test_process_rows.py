"""The PROCESS records of a run: they include the time of operations on files without a record, but
no waits at named pipes, and their names shorten a long chain of programs. A launcher leaves no log
of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.binding import processes, rows
from mpi.launch import MPIS, Mpi
from place import needs

HERE = Path(__file__).resolve().parent
PROGRAM = """
import os, sys
for i in range(2000):
    os.path.lexists(f"{sys.argv[1]}/none{i}")
    os.listdir(sys.argv[1])
"""


def test_names_without_a_file(build: Path, tmp_path: Path) -> None:
    """The time in look-ups of missing names and in listings is part of the process's time."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "ask.py").write_text(PROGRAM)
    ask = f"{sys.executable} ask.py folder; cat ask.py >copied"
    command = [build / "darshan", "run", "-o", tmp_path / "logs", "--", "sh", "-c", ask]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (log,) = (tmp_path / "logs").iterdir()
    every = processes(log)
    (asking,) = (row for name, row in every.items() if name.endswith("ask.py folder"))
    extension = rows(log, "POSIX_EXT")
    assert sum(row["POSIX_EXT_MISSES"] for row in extension) >= 2000
    listing = sum(row["POSIX_EXT_F_LIST_TIME"] for row in extension)
    files = sum(row["POSIX_F_META_TIME"] for row in rows(log, "POSIX"))
    whole = sum(row["PROCESS_F_META_TIME"] for row in every.values())
    assert whole >= (files + listing) * (1 - 1e-9)
    assert asking["PROCESS_F_META_TIME"] > listing / 2


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_the_last_of_many_programs(build: Path, tmp_path: Path, count: int) -> None:
    """If a process runs several programs by exec, the name of its PROCESS record has the first and
    the last program."""
    (tmp_path / "in").write_text("some\n" * 1000)
    for i in range(count):
        after = f"exec sh ./step{i + 1}" if i < count - 1 else "exec cat"
        rest = f"'{'x' * 150}'" if i < count - 1 else "in"
        (tmp_path / f"step{i}").write_text(f"{after} {rest}\n")
    command = [build / "darshan", "run", "-o", tmp_path / "logs", "--", "sh", "./step0"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (log,) = (tmp_path / "logs").iterdir()
    ((name, row),) = processes(log).items()
    steps = name.split(" -> ")
    assert steps[0] == "sh ./step0"
    assert steps[-1] == "cat in"
    assert row["PROCESS_PROGRAMS"] == count + 1
    assert len(name) <= 1000
    assert ("..." in steps) == (len(steps) < count + 1)


@pytest.mark.parametrize("mpi", MPIS, ids=lambda mpi: mpi.name)
def test_launchers_alone_have_no_log(mpi: Mpi, build: Path, tmp_path: Path) -> None:
    """`darshan run mpirun` leaves one log, that of the job, and no temporary files."""
    needs(f"mpi:{mpi.name}")
    (tmp_path / "tmp").mkdir()
    compiler = mpi.command("mpicc")
    subprocess.run([compiler, "-o", tmp_path / "ranks", HERE / "ranks.c"], check=True)
    job = mpi.launch(["-n", "2", str(tmp_path / "ranks"), str(tmp_path), "all"])
    command = [build / "darshan", "run", "-o", tmp_path / "logs", "--", *job]
    root = {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}
    folder = {"TMPDIR": str(tmp_path / "tmp")} | root
    done = subprocess.run(
        command, cwd=tmp_path, check=True, capture_output=True, text=True,
        env=os.environ | folder,
    )  # fmt: skip
    (log,) = (tmp_path / "logs").iterdir()
    assert done.stderr.splitlines()[-1] == f"darshan: log: {log}"
    assert {row["rank"] for row in rows(log, "POSIX")} >= {-1, 0, 1}
    assert not list((tmp_path / "tmp").glob("darshan-*"))


def test_waits_at_a_named_pipe_are_no_io(build: Path, tmp_path: Path) -> None:
    """The time that a process waits for the writer of a named pipe is not counted as I/O; `darshan
    stat` and the report say how long it waited."""
    os.mkfifo(tmp_path / "pipe")
    script = "(sleep 1.5; echo some >pipe; sleep 0.1) & cat pipe >copied; cat copied"
    command = [build / "darshan", "run", "-o", tmp_path / "logs", "--", "sh", "-c", script]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (log,) = (tmp_path / "logs").iterdir()
    waiting = next(row for name, row in processes(log).items() if name.endswith("cat pipe"))
    times = ("PROCESS_F_READ_TIME", "PROCESS_F_WRITE_TIME", "PROCESS_F_META_TIME")
    assert sum(waiting[time] for time in times) < 0.7
    assert waiting["PROCESS_BYTES_READ"] == 0
    assert waiting["PROCESS_BYTES_WRITTEN"] == len("some\n")
    for tool in (("stat", "-r"), ("report", "--text"), ("report", "--html", "-o", "-")):
        command = [build / "darshan", *tool, log]
        told = subprocess.run(command, check=True, capture_output=True, text=True)
        said = told.stdout + told.stderr
        assert re.search(r"\d s at named pipes|Waits at named pipes took \S+ s", said), told
