"""Small processes append their parts to one file of the run directory, `packed`, which mergers
change while they hold its lock."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from lab.binding import metadata, of_file, processes, rows
from lab.strace import read_trace
from sample import turning

from .conftest import Merge, Program
from .events import PACK, Run, packed_log, packed_parts

COUNT = 30
SCRIPT = f"i=0; while [ $i -lt {COUNT} ]; do cat in; i=$((i + 1)); done >out"


@pytest.fixture
def small(program: Program, tmp_path: Path) -> Path:
    """Returns the log of a program that reads a file of 100 bytes."""
    (tmp_path / "small").write_bytes(b"x" * 100)
    return program("cat", tmp_path / "small")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Returns the run directory of a shell with three children."""
    made = Run(tmp_path / "darshan-run.0.x")
    made.process(50, (0, 100), "sh")
    for pid in range(51, 54):
        made.process(pid, (pid, pid + 10), "cat")
    return made


def count_of(log: Path, path: Path) -> int:
    """Returns the number of opens of a file."""
    (row,) = of_file(log, path)
    return int(row["POSIX_OPENS"])


def run_script(build: Path, base: Path, script: str, *under: str) -> str:
    """Runs a shell script by `darshan run`, and returns its output. under: a command in front of
    `darshan run`."""
    (base / "in").write_text("five\n")
    for name in ("logs", "journals"):
        (base / name).mkdir()
    places = {"DARSHAN_LOGPATH": "logs", "DARSHAN_MMAP_LOGPATH": "journals"}
    done = subprocess.run(
        [*under, build / "darshan", "run", "sh", "-c", script],
        env=os.environ | {name: str(base / folder) for name, folder in places.items()},
        cwd=base,
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    return done.stdout


def log_of(base: Path) -> Path:
    """Returns the only log of a run, after checking that the run directory was removed."""
    assert list((base / "journals").glob("darshan-run.*")) == []
    (log,) = (base / "logs").rglob("*.darshan")
    return log


@pytest.mark.needs("ptrace")
def test_a_process_of_a_script_makes_one_file(build: Path, tmp_path: Path) -> None:
    """Each process of a script creates one file in the run directory, its journal. A child of the
    shell that only closes inherited descriptors creates none."""
    trace = tmp_path / "trace"
    run_script(build, tmp_path, SCRIPT, "strace", "-f", "-o", str(trace), "-e", "trace=openat")
    log = log_of(tmp_path)
    assert count_of(log, tmp_path / "in") == COUNT
    assert len(rows(log, "PROCESS")) == COUNT + 1
    made = [
        call.text
        for call in read_trace(trace)
        if call.name == "openat" and "O_CREAT|O_EXCL" in call.text and "/darshan-run." in call.text
    ]
    assert COUNT <= len(made) < COUNT + 12
    assert len([text for text in made if "/part." in text]) <= 1


def test_the_umask_does_not_close_the_file(build: Path, tmp_path: Path) -> None:
    """If the program's umask forbids all access, `packed` is nevertheless readable and writable by
    its owner."""
    folder = f"$(ls -d {tmp_path}/journals/darshan-run.*)"
    script = f"umask 0777; /bin/cat in; umask 022; stat -c %a {folder}/{PACK}"
    assert run_script(build, tmp_path, script) == "five\n600\n"
    assert count_of(log_of(tmp_path), tmp_path / "in") == 1


@pytest.mark.parametrize("held", [True, False])
def test_a_process_does_not_wait_for_a_merger(build: Path, tmp_path: Path, held: bool) -> None:
    """If another process holds the lock of `packed`, a process does not wait: it writes its part as
    a separate file. held: whether the lock is held."""
    folder = f"$(ls -d {tmp_path}/journals/darshan-run.*)"
    holds = f"exec 9<{folder}/packed; flock -n 9; " if held else ""
    files = run_script(build, tmp_path, f"cat in; {holds}cat in; cat in; ls {folder}")
    assert PACK in files.split()
    assert ("part." in files) == held
    assert count_of(log_of(tmp_path), tmp_path / "in") == 3


def test_parts_that_are_torn(merge: Merge, run: Run, small: Path, tmp_path: Path) -> None:
    """If a process is killed while it appends its part to `packed`, after any number of bytes, each
    of the other parts is counted once."""
    run.packed(small, 51, 51)
    whole = packed_log(small.read_bytes(), 54, run.base + 54)
    with (run.folder / PACK).open("ab") as file:
        file.write(whole[: len(whole) // 2])
    run.packed(small, 52, 52)
    with (run.folder / PACK).open("ab") as file:
        file.write(b"\xd7RUNPACK" * 3 + whole[:30])
    run.packed(small, 53, 53)
    run.part(small, 53, 53)  # it was not sure that the other one was complete
    with (run.folder / PACK).open("ab") as file:
        file.write(whole[:-1])
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log)
    assert (done.returncode, done.stderr) == (0, "")
    assert count_of(log, tmp_path / "small") == 3
    assert "parts_left_out" not in metadata(log)
    assert not run.folder.exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"x", bytes(100000), b"\xd7RUNPACK" * 9999, packed_log(b"x" * 99, 1, 1)],
    ids=["empty", "byte", "zeros", "magic", "no-log"],
)
def test_a_file_of_nobody(merge: Merge, run: Run, small: Path, tmp_path: Path, data: bytes) -> None:
    """A file of packed parts that is empty or damaged does not prevent the log. data: its
    content."""
    (run.folder / PACK).write_bytes(data)
    run.packed(small, 51, 51)
    log = tmp_path / "one.darshan"
    done = merge("--run", run.folder, "-o", log)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == (b"xxx" in data)
    assert count_of(log, tmp_path / "small") == 1
    assert not run.folder.exists()


def test_what_is_no_file(merge: Merge, run: Run, small: Path, tmp_path: Path) -> None:
    """If `packed` is a pipe or a symbolic link, the merger does not block, and does not change the
    link's target."""
    run.part(small, 51, 51)
    (tmp_path / "precious").write_bytes(packed_log(small.read_bytes(), 52, run.base + 52))
    before = (tmp_path / "precious").read_bytes()
    (run.folder / PACK).symlink_to(tmp_path / "precious")
    log = tmp_path / "one.darshan"
    assert merge("--run", run.folder, "-o", log, "--keep").returncode == 0
    assert count_of(log, tmp_path / "small") == 1
    (run.folder / PACK).unlink()
    os.mkfifo(run.folder / PACK)
    assert merge("--run", run.folder, "-o", tmp_path / "two.darshan").returncode == 0
    assert count_of(tmp_path / "two.darshan", tmp_path / "small") == 1
    assert (tmp_path / "precious").read_bytes() == before


@pytest.mark.parametrize("is_first", [True, False])
def test_a_process_that_stops_while_it_appends(
    merge: Merge, run: Run, small: Path, tmp_path: Path, is_first: bool
) -> None:
    """If a process stops while it appends its part, the merger does not wait forever. The part gets
    into a separate log later. is_first: whether it is the first part in `packed`."""
    add = run.part if is_first else run.packed
    add(small, 51, 51)
    log, pack = tmp_path / "one.darshan", run.folder / PACK
    with pack.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        begun = time.monotonic()
        assert merge("--run", run.folder, "-o", log).returncode == 0
        assert time.monotonic() - begun < 30
        assert count_of(log, tmp_path / "small") == 1
        file.write(packed_log(small.read_bytes(), 52, run.base + 52))
    assert packed_parts(run.folder)
    done = merge("--run", run.folder, "--logs", tmp_path / "later", "--print")
    assert done.returncode == 0
    (later,) = (tmp_path / "later").iterdir()
    assert count_of(later, tmp_path / "small") == 1
    assert "outlived" in metadata(later)
    assert not run.folder.exists()


# System calls that change the folder, and how often a merger of this run makes them, roughly.
CHANGES = {"renameat": 5, "unlinkat": 12, "openat": 40, "linkat": 2, "flock": 6}
CASES = [(call, number) for call, most in CHANGES.items() for number in range(1, most)]


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("case", turning(CASES, 0.1, "killed with packed parts"))
def test_a_merger_that_is_killed(
    merge: Merge, run: Run, small: Path, tmp_path: Path, case: tuple[str, int]
) -> None:
    """If the merger is killed at any change of the run directory, and another one follows, each
    part is in exactly one log."""
    run.part(small, 51, 51)
    run.packed(small, 52, 52)
    run.packed(small, 53, 53)
    place = tmp_path / "made"
    place.mkdir()
    inject = "inject={}:signal=KILL:when={}".format(*case)
    under = ("strace", "-o", "/dev/null", "-e", f"trace={case[0]}", "-e", inject)
    merge("--run", run.folder, "-o", place / "one.darshan", under=under)
    if run.folder.exists():
        merge("--run", run.folder, "-o", place / "two.darshan")
    assert sum(count_of(log, tmp_path / "small") for log in place.glob("*.darshan")) == 3
    assert not run.folder.exists()
    assert not list(place.glob("*partial*"))


def test_the_killed_leave_their_journal(build: Path, tmp_path: Path) -> None:
    """A child that is killed appends no part to `packed`; the merger reads its records from its
    journal."""
    writes = "exec 3>data; echo 12345 >&3; kill -9 $$"
    assert run_script(build, tmp_path, f"cat in; sh -c '{writes}'; cat in") == "five\nfive\n"
    log = log_of(tmp_path)
    (data,) = of_file(log, tmp_path / "data")
    assert data["POSIX_BYTES_WRITTEN"] == 6
    ends = [row["PROCESS_STATUS"] for row in processes(log).values() if row["PROCESS_ENDED"] == 2]
    assert ends == [signal.SIGKILL]
    assert count_of(log, tmp_path / "in") == 2


def test_a_process_that_outlives_its_run(build: Path, tmp_path: Path) -> None:
    """A process that ends after the run's log was written writes a separate log."""
    wait = "until ls logs/*.darshan; do sleep 0.1; done >names 2>&1"
    run_script(build, tmp_path, f"cat in; ({wait}; cat in >late) & exit 0")
    opened: list[int] = []
    end = time.monotonic() + 60
    while sum(opened) < 2 and time.monotonic() < end:
        time.sleep(0.05)
        logs = list((tmp_path / "logs").rglob("*.darshan"))
        opened = [count_of(log, tmp_path / "in") for log in logs if of_file(log, tmp_path / "in")]
    assert opened == [1, 1]
