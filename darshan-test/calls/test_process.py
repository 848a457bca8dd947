"""The log of a process is right if the process dies, handles signals, has children, or uses
timers."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from lab.environment import plain, settings
from place import needs
from run_case import (
    HERE,
    Run,
    case_names,
    disagreements,
    one_log,
    parse,
    read_expectations,
    run_case,
)

DEATHS = {
    "die_of_sigkill": -signal.SIGKILL,
    "die_of_sigterm": -signal.SIGTERM,
    "die_of_sigint": -signal.SIGINT,
    "die_of_sigsegv": -signal.SIGSEGV,
    "die_of_sigbus": -signal.SIGBUS,
    "die_of_abort": -signal.SIGABRT,
    "die_of_exit_group": 0,
    "die_of_syscall": 0,
}
ROUNDING = 1e-5  # seconds, of printed and of logged times


def test_every_special_case_is_run() -> None:
    """The tests of this folder name each special case of the program `calls`."""
    tests = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    assert [name for name in case_names("SPECIAL") if f'"{name}"' not in tests] == []


@pytest.mark.parametrize("name", DEATHS)
def test_death_leaves_everything(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """A process that ends in one of these ways, such as by a signal, leaves one log or journal with
    all that it did."""
    run = run_case(build, name, tmp_path)
    assert (run.status, run.stdout, run.stderr) == (DEATHS[name], b"", b"")
    (path,) = run.logs + run.journals
    log = parse(parser, path)
    if run.journals:
        log.header["run time"] = "1"  # a journal has no end time
    found = disagreements(log, read_expectations(run.out))
    assert not found, "\n".join(found)


def test_journal_of_a_running_program(build: Path, parser: Path, tmp_path: Path) -> None:
    """The journal of a running program can be read, and has all that the program has done. At its
    end the program leaves a log in place of the journal."""
    work, logs, journals = (tmp_path / name for name in ("work", "logs", "journals"))
    for path in (work, logs, journals):
        path.mkdir()
    program = build / "darshan-test" / "calls" / "calls"
    with subprocess.Popen(
        [program, "wait_to_be_looked_at", work, tmp_path / "expected"],
        env=plain() | settings(build, logs, journals),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        (journal,) = journals.iterdir()
        log = parse(parser, journal)
        process.communicate(b"\n", timeout=30)
    log.header["run time"] = "1"
    expected = read_expectations(tmp_path / "expected")
    # The file is still open.
    expected.rows = [row for row in expected.rows if "CLOSE" not in row[1]]
    found = disagreements(log, expected)
    assert not found, "\n".join(found)
    assert process.returncode == 0
    assert list(journals.iterdir()) == []
    assert len(list(logs.iterdir())) == 1


def test_io_in_signal_handler(build: Path, parser: Path, tmp_path: Path) -> None:
    """I/O in a signal handler is recorded, or counted as dropped in the log's metadata; the I/O
    that the handler interrupts is recorded."""
    run = run_case(build, "io_in_signal_handler", tmp_path)
    log = one_log(parser, run)
    did = {
        (row[3], row[1]): int(row[2]) for row in read_expectations(run.out).rows if row[0] == "="
    }
    dropped = int(log.metadata.get("dropped_in_signal_handlers", "0"))
    main, handler = str(run.work / "main"), str(run.work / "handler")
    assert log.value(main, "POSIX_WRITES") == did[main, "POSIX_WRITES"]
    opens = log.value(handler, "POSIX_OPENS")
    writes = log.value(handler, "POSIX_WRITES")
    assert log.value(handler, "POSIX_BYTES_WRITTEN") == 16 * writes
    missing = did[handler, "POSIX_OPENS"] - opens
    assert 0 <= missing <= dropped
    assert 0 <= did[handler, "POSIX_WRITES"] - writes <= dropped
    assert dropped <= 3 * did[handler, "POSIX_OPENS"]


def test_forked_child_names_its_parent(build: Path, parser: Path, tmp_path: Path) -> None:
    """The log of a forked child names its parent in its metadata; that of the parent names none."""
    run = run_case(build, "fork", tmp_path, extra={"DARSHAN_JOB_TREE": "0"})
    parents = [parse(parser, path).metadata.get("fork_parent") for path in run.logs]
    assert len(parents) == 2
    assert sum(parent is not None for parent in parents) == 1


@pytest.mark.parametrize("name", ["fork", "fork_tree"])
def test_fork_on_an_old_kernel(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """A fork is also detected on a kernel that cannot wipe memory at fork: each process of the case
    writes its own log."""
    needs("seccomp")
    start = build / "darshan-test" / "calls" / "old-kernel"
    # The launcher's own journal does not matter, and its filter allows all calls that the runtime
    # needs. Each process writes its own log, so the log of a child that takes itself for its parent
    # would be missing.
    extra = {
        "DARSHAN_APP_EXCLUDE": "old-kernel$",
        "DARSHAN_FILTER_CALLS": "*",
        "DARSHAN_JOB_TREE": "0",
    }
    run = run_case(build, name, tmp_path, under=[start], extra=extra)
    assert (run.status, run.stderr, run.journals) == (0, b"", [])
    logs = [path for path in run.logs if "_calls_" in path.name]
    assert len(logs) == {"fork": 2, "fork_tree": 3}[name]
    log = None
    for path in logs:
        log = parse(parser, path, log)
    assert log is not None
    found = disagreements(log, read_expectations(run.out))
    assert not found, "\n".join(found)


def seconds(run: Run) -> dict[str, float]:
    """Returns the durations that the program measured itself, by name."""
    return {k: float(v) for k, v in (line.split() for line in run.stdout.decode().splitlines())}


@pytest.mark.parametrize("name", ["slow_calls", "overlapping_reads"])
def test_timers(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """The logged times of slow and of overlapping calls are at most those that the program measured
    around them, and more than half of them."""
    run = run_case(build, name, tmp_path)
    assert run.status == 0, run.stderr.decode(errors="replace")
    log = None
    for path in run.logs:
        log = parse(parser, path, log)
    assert log is not None
    for counter, measured in seconds(run).items():
        # The program may be preempted between its clock reading and the call, so its time can be
        # longer than the logged time, but not shorter.
        assert measured >= 0.05
        assert measured / 2 < log.total(counter) <= measured + ROUNDING, counter


def test_many_processes_at_once(build: Path, parser: Path, tmp_path: Path) -> None:
    """Logs of processes that end in the same second do not collide."""
    logs, journals = tmp_path / "logs", tmp_path / "journals"
    logs.mkdir()
    journals.mkdir()
    program = build / "darshan-test" / "calls" / "calls"
    env = plain() | settings(build, logs, journals)
    started = []
    for number in range(20):
        work = tmp_path / str(number)
        work.mkdir()
        started.append(
            subprocess.Popen([program, "two_files", work, tmp_path / f"out{number}"], env=env)
        )
    deadline = time.monotonic() + 60
    assert [process.wait(deadline - time.monotonic()) for process in started] == [0] * 20
    paths = list(logs.iterdir())
    assert len(paths) == 20
    assert sum(parse(parser, path).total("POSIX_BYTES_WRITTEN") for path in paths) == 2000
