"""A process that ends late, while the merger closes and removes the run directory or after that, is
in exactly one log."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab.binding import of_file
from lab.command import finished
from lab.compile import compile_c
from lab.environment import settings
from sample import turning

from .conftest import Program
from .events import Run

Case = tuple[str, int]
SECONDS = 60
STOPPED = "stopped by SIGSTOP"
SCRIPTS = ("exec cat in", "cat in; exit 0")


@dataclass
class Late:
    """A run of `darshan run` with one process, which has ended and left a part. base: the folder of
    all files. merger: the command that makes the run's log. environment: the variables that
    `darshan run` gives to processes of the run."""

    base: Path
    merger: tuple[object, ...]
    environment: Mapping[str, str]


@pytest.fixture
def late(build: Path, program: Program, tmp_path: Path) -> Late:
    """Returns a run whose merger, or one of whose processes, can be stopped."""
    (tmp_path / "in").write_text("five\n")
    (tmp_path / "other").touch()
    (tmp_path / "merged").mkdir()
    run = Run(tmp_path / "darshan-run.0.x")
    run.process(51, (51, 61), "cat")
    run.packed(program("cat", tmp_path / "other"), 51, 51)
    places = settings(build, tmp_path / "logs", run.folder)
    environment = os.environ | places | {"DARSHAN_ENABLE_NONMPI": str(run.folder)}
    merger = (build / "darshan-merge", "--run", run.folder, "--logs", tmp_path / "merged")
    return Late(tmp_path, merger, environment)


class Stopped:
    """A command that strace stops by SIGSTOP in one system call. case: the system call, and which
    one of each process, from 1 on."""

    def __init__(self, base: Path, case: Case, *command: object, env: Mapping[str, str]) -> None:
        call, number = case
        self.trace = base / "trace"
        inject = f"inject={call}:signal=STOP:when={number}"
        under = ["strace", "-f", "-o", self.trace, "-e", f"trace={call}", "-e", inject]
        words = [str(word) for word in (*under, *command)]
        self.process = subprocess.Popen(words, env=env, cwd=base, stdout=subprocess.DEVNULL)

    def stopped(self) -> list[int]:
        """Returns the pids of the processes that were stopped so far."""
        lines = self.trace.read_text().splitlines() if self.trace.exists() else []
        return [int(line.split()[0]) for line in lines if STOPPED in line]

    def wait(self) -> None:
        """Waits until a process is stopped, or all have ended."""
        end = time.monotonic() + SECONDS
        while not self.stopped() and self.process.poll() is None:
            assert time.monotonic() < end, self.trace
            time.sleep(0.005)

    def go_on(self) -> None:
        """Lets the stopped processes continue, and waits until all have ended."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, self.trace
            for pid in self.stopped():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            time.sleep(0.005)


def until_stopped(pid: int) -> None:
    """Waits until a process is stopped."""
    end = time.monotonic() + SECONDS
    while Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "T":
        assert time.monotonic() < end, pid
        time.sleep(0.005)


def opens(late: Late, name: str) -> list[int]:
    """Returns for each log that has this file how often the log says that it was opened."""
    logs = [log for folder in ("merged", "logs") for log in (late.base / folder).rglob("*.darshan")]
    return [int(row["POSIX_OPENS"]) for log in logs for row in of_file(log, late.base / name)]


# System calls that change the run directory, and how often the merger makes them.
CHANGES = {"renameat": 3, "unlinkat": 20, "linkat": 1, "flock": 4, "rmdir": 1}
# The merger stops at each of these calls.
CASES = [(call, 1 + i) for call, most in CHANGES.items() for i in range(most)]


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("case", turning(CASES, 0.2, "late while a merger is stopped"))
@pytest.mark.parametrize("script", (*SCRIPTS, "kill -STOP $$; cat in; exit 0"))
def test_a_process_while_a_merger_works(late: Late, script: str, case: Case) -> None:
    """A process starts, or continues, while the merger is stopped at one of its changes of the run
    directory: the process is in exactly one log."""
    command = ["sh", "-c", script]
    was_there = "STOP" in script
    if was_there:
        process = subprocess.Popen(command, env=late.environment, cwd=late.base)
        until_stopped(process.pid)
    merger = Stopped(late.base, case, *late.merger, env=os.environ)
    merger.wait()
    if was_there:
        process.send_signal(signal.SIGCONT)
    else:
        process = subprocess.Popen(command, env=late.environment, cwd=late.base)
    assert process.wait(SECONDS) == 0
    merger.go_on()
    assert (opens(late, "in"), opens(late, "other")) == ([1], [1])


# System calls of the processes below, and how often one of them makes them.
CALLS = {"openat": 20, "newfstatat": 20, "write": 8, "flock": 1, "unlinkat": 1, "execve": 1}
MOMENTS = [(call, 1 + i) for call, most in CALLS.items() for i in range(most)]


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("case", turning(MOMENTS, 0.2, "stopped while a merger works"))
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_merger_while_a_process_is_stopped(late: Late, script: str, case: Case) -> None:
    """The merger makes the log while a process of the run is stopped at one of its calls: the
    process is in exactly one log."""
    process = Stopped(late.base, case, "sh", "-c", script, env=late.environment)
    process.wait()
    finished([str(word) for word in late.merger], timeout=SECONDS)
    process.go_on()
    assert (opens(late, "in"), opens(late, "other")) == ([1], [1])


# System calls of the command, and how often it makes them.
ENDING = {"openat": 30, "getdents64": 12, "flock": 3, "unlinkat": 3, "rmdir": 2}
STOPS = [(call, 1 + i) for call, most in ENDING.items() for i in range(most)]


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("case", turning(STOPS, 0.2, "late while the command is stopped"))
@pytest.mark.parametrize("program", ["writes no rows", "cat /dev/null", "false"])
def test_a_process_while_the_command_ends(
    build: Path, tmp_path: Path, program: str, case: Case
) -> None:
    """A process of the run starts while `darshan run` is stopped at one of its last calls, and ends
    after it: the process is in exactly one log. program: the run's first program, for which the
    merger may be needed or not."""
    (tmp_path / "in").write_text("five\n")
    static = compile_c(tmp_path, "int main(void) { return 0; }\n", "-static")
    command = [static] if program == "writes no rows" else program.split()
    places = {"DARSHAN_MMAP_LOGPATH": str(tmp_path)}
    words = (build / "darshan", "run", "-o", tmp_path / "logs", *command)
    run = Stopped(tmp_path, case, *words, env=os.environ | places)
    run.wait()
    folder = next(tmp_path.glob("darshan-run.0.*"), tmp_path / "gone")
    own = next((tmp_path / "logs").glob("run-*"), tmp_path / "logs" / "run-removed")
    in_run = settings(build, own, folder) | {"DARSHAN_ENABLE_NONMPI": str(folder)}
    late = Late(tmp_path, (), os.environ | in_run)
    script = ["sh", "-c", "exec 3<in; kill -STOP $$; exit 0"]
    process = subprocess.Popen(script, env=late.environment, cwd=tmp_path)
    until_stopped(process.pid)
    run.go_on()
    process.send_signal(signal.SIGCONT)
    assert process.wait(SECONDS) == 0
    assert opens(late, "in") == [1]
