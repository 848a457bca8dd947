"""In a run of very many processes, darshan-merge --fold combines the records of finished processes
into few parts while the run lasts, and the run's log is the same as without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from lab.binding import Row, names, rows
from lab.environment import settings
from sample import everything, turning

from .conftest import Merge
from .events import Run, packed_parts

# Most parts that may be in the run directory as files; each is of one program.
MOST_PARTS = 4096 + 2500
# Processes with ranks of their own, and further processes, which share ranks.
OWN, LATE = 4100, 150
TIMES = ("_F_", "TIMESTAMP")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, build: Path) -> Path:
    """Makes the run directory of a shell and its children. Every 500th child, and each of the last
    150, has a part in which it read a file; one of these also wrote a file. Half of the parts are
    separate files, the others are in `packed`. Returns its path."""
    base = tmp_path_factory.mktemp("many")
    made = {}
    for name in ("reads", "writes"):
        (base / "data").write_text("1234567\n" * 10)
        script = "with open('data') as f: f.read()\n"
        if name == "writes":
            script += "with open('own', 'w') as f: f.write('x' * 100)\n"
        (base / name).mkdir()
        environment = os.environ | settings(build, base / name, DARSHAN_JOB_TREE="0")
        subprocess.run([sys.executable, "-S", "-c", script], cwd=base, env=environment, check=True)
        (made[name],) = (base / name).iterdir()
    run = Run(base / "darshan-run.1.x")
    run.process(1, (0, 10**9), "sh")
    for i in range(2, OWN + LATE + 1):
        program = "even" if i % 2 == 0 else "odd"
        run.process(i, (i * 1000, i * 1000 + 10**6), program, status=i % 7 == 0)
        if i > OWN or i % 500 == 0:
            put = run.part if i // 2 % 2 else run.packed
            put(made["writes" if i == OWN + 1 else "reads"], i, i * 1000)
    return run.folder


@pytest.fixture
def folder(many: Path, tmp_path: Path) -> Path:
    """Returns a copy of the run directory."""
    copied = tmp_path / many.name
    shutil.copytree(many, copied)
    return copied


def said(log: Path) -> dict[tuple[str, str, float], Row]:
    """Returns the records of a log by (module, name, rank)."""
    known = names(log)
    every = [(m, row) for m in ("POSIX", "STDIO", "PROCESS", "SHARED") for row in rows(log, m)]
    return {(m, known[int(row["id"])], row["rank"]): row for m, row in every}


def same(one: Row, other: Row) -> bool:
    """Returns whether two records are equal; times and timestamps may differ by rounding."""
    close = {name for name in one if any(mark in name for mark in TIMES)}
    return one.keys() == other.keys() and all(
        one[name] == (pytest.approx(other[name], abs=1e-5) if name in close else other[name])
        for name in one
    )


@pytest.fixture(scope="module")
def whole(many: Path, build: Path) -> dict[tuple[str, str, float], Row]:
    """Returns the records of the log that is made without combining parts first, by (module, name,
    rank)."""
    log = many.parent / "whole.darshan"
    merger = build / "darshan-merge"
    subprocess.run([merger, "--run", many, "-o", log, "--keep"], check=True)
    return said(log)


def parts_in(folder: Path) -> list[str]:
    """Returns the names of all parts in a run directory."""
    return sorted([*(path.name for path in folder.glob("part.*")), *packed_parts(folder)])


def wrong(log: Path, whole: dict[tuple[str, str, float], Row]) -> list[tuple[str, str, float]]:
    """Returns the keys of the rows that differ from those of the whole log."""
    found = said(log)
    assert found.keys() == whole.keys()
    return [key for key, row in found.items() if not same(row, whole[key])]


def test_the_log_is_the_same(
    merge: Merge, folder: Path, tmp_path: Path, whole: dict[tuple[str, str, float], Row]
) -> None:
    """Combining the parts leaves few of them, and the log has the same rows."""
    before = parts_in(folder)
    assert len(before) > LATE
    done = merge("--fold", folder)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    after = parts_in(folder)
    assert len(after) == len(before) - LATE - (OWN - 4032) // 500 + 2
    merge("--fold", folder)
    assert parts_in(folder) == after
    log = tmp_path / "one.darshan"
    assert merge("--run", folder, "-o", log).returncode == 0
    assert wrong(log, whole) == []
    assert not folder.exists()
    assert sum(row["PROCESS_COUNT"] for row in rows(log, "PROCESS")) == OWN + LATE


# System calls that change the folder, and how often one call of darshan-merge --fold makes them,
# roughly.
CHANGES = {"renameat": 6, "unlinkat": LATE // 2 + 14, "write": 16, "openat": LATE + 44}
CASES = [
    (call, how, number)
    for call, most in CHANGES.items()
    for how in ("signal=KILL", "error=ENOSPC")
    for number in range(1, most)
]


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("case", turning(CASES, 0.005, "killed folding"))
def test_one_that_fails_at_any_change(
    merge: Merge,
    folder: Path,
    tmp_path: Path,
    whole: dict[tuple[str, str, float], Row],
    case: tuple[str, str, int],
) -> None:
    """If the process that combines parts is killed, or gets the error ENOSPC, at any change of a
    file, no byte is lost or counted twice, whether or not another process combines parts later."""
    call, how, number = case
    inject = f"inject={call}:{how}:when={number}"
    merge(
        "--fold", folder, under=("strace", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
    )
    if number % 2:
        merge("--fold", folder)
    log = tmp_path / "one.darshan"
    assert merge("--run", folder, "-o", log).returncode == 0
    assert wrong(log, whole) == []
    assert not folder.exists()


@pytest.mark.needs("ptrace")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_list_that_cannot_be_read(
    merge: Merge,
    folder: Path,
    tmp_path: Path,
    whole: dict[tuple[str, str, float], Row],
    number: int,
) -> None:
    """If the merger cannot read the file `folded`, which lists the combined parts, it combines no
    others and writes no log."""
    under = ("strace", "-o", "/dev/null", "-P", "folded", "-e", "trace=openat")
    merge("--fold", folder, under=(*under, "-e", f"inject=openat:error=EIO:when={number}"))
    log = tmp_path / "one.darshan"
    if (folder / "folded").exists():
        blind = merge("--run", folder, "-o", log, under=(*under, "-e", "inject=openat:error=EIO"))
        assert (blind.returncode, blind.stderr.count("\n"), log.exists()) == (1, 1, False)
    else:
        assert number == 1  # the check before any change
    assert merge("--run", folder, "-o", log).returncode == 0
    assert wrong(log, whole) == []
    assert not folder.exists()


@pytest.mark.needs("ptrace")
def test_what_cannot_be_removed_counts_once(
    merge: Merge, folder: Path, tmp_path: Path, whole: dict[tuple[str, str, float], Row]
) -> None:
    """If combined parts cannot be removed, they are counted once."""
    under = ("strace", "-o", "/dev/null", "-e", "trace=unlinkat")
    under = (*under, "-e", "inject=unlinkat:error=EPERM")
    before = set(folder.glob("part.*"))
    merge("--fold", folder, under=under)
    assert set(folder.glob("part.*")) > before
    log = tmp_path / "one.darshan"
    merge("--run", folder, "-o", log, "--keep", under=under)
    assert wrong(log, whole) == []
    assert merge("--run", folder, "-o", tmp_path / "two.darshan").returncode == 0
    assert wrong(tmp_path / "two.darshan", whole) == []
    assert not folder.exists()


def test_what_cannot_be_read_stays(merge: Merge, folder: Path, tmp_path: Path) -> None:
    """If a symbolic link, a pipe or another file has the name of a part, the merger does not block
    on it, leaves it in place, and does not change files outside the run directory."""
    precious = tmp_path / "precious"
    precious.write_text("precious")
    late = sorted(path for path in folder.glob("part.*") if int(path.name.split(".")[1]) > OWN)
    for path in late[:5]:
        path.unlink()
    late[0].symlink_to(precious)
    os.mkfifo(late[1])
    late[2].write_bytes(bytes(5000))
    late[3].touch()
    late[4].mkdir()
    (folder / "name.1").symlink_to(precious)
    (folder / "writing").symlink_to(precious)
    assert merge("--fold", folder).returncode == 3
    left = parts_in(folder)
    assert {path.name for path in late[:5]} <= set(left)
    assert len(left) < len(late) / 2
    log = tmp_path / "one.darshan"
    done = merge("--run", folder, "-o", log)
    assert done.returncode == 0
    assert len(set(done.stderr.splitlines())) == 5
    reads = sum(row["PROCESS_READS"] for row in rows(log, "PROCESS"))
    assert reads % (LATE + (OWN // 500) - 5) == 0
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("text", [b"", b"x", b"part.1.2.3\0../precious\0", b"/\0/\0", b"\0\0\0"])
def test_a_list_that_nobody_has_written(
    merge: Merge, folder: Path, tmp_path: Path, text: bytes
) -> None:
    """If the file `folded` has contents that no merger wrote, the merger removes no part because of
    it, and touches no file outside."""
    (tmp_path / "precious").write_text("precious")
    before = parts_in(folder)
    (folder / "folded").write_bytes(text)
    log = tmp_path / "one.darshan"
    assert merge("--run", folder, "-o", log, "--keep").returncode == 0
    assert parts_in(folder) == before
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (folder / "folded").exists()


def test_a_merger_waits_for_who_folds(merge: Merge, folder: Path, tmp_path: Path) -> None:
    """A merger waits while another process combines parts; otherwise the run would have no log,
    because no process would start a merger later."""
    holder = "flock {}/folding sh -c 'echo; sleep 0.5'"
    with subprocess.Popen(["sh", "-c", holder.format(folder)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert merge("--fold", folder).returncode == 3
        assert (tmp_path / "one.darshan").exists() is False
        assert merge("--run", folder, "-o", tmp_path / "one.darshan").returncode == 0
        assert process.wait() == 0
    assert not folder.exists()


COUNT = 9000 if everything() else 200  # programs; from about 4,100 on parts are aggregated


def test_a_run_of_short_processes(build: Path, tmp_path: Path) -> None:
    """In a real run of many short processes, the number of parts in the run directory stays
    limited, and the log has every byte."""
    for name in ("logs", "journals"):
        (tmp_path / name).mkdir()
    (tmp_path / "in").write_text("five\n")
    environment = os.environ | settings(build, tmp_path / "logs", tmp_path / "journals")
    script = f"yes in | head -n {COUNT} | xargs -P 2 -n 1 /bin/cat >/dev/null"
    command = ["sh", "-c", script]
    most, end = 0, None
    with subprocess.Popen(command, env=environment, cwd=tmp_path) as process:
        while end is None or (any((tmp_path / "journals").iterdir()) and time.monotonic() < end):
            with suppress(FileNotFoundError):
                most = max(most, sum(1 for _ in (tmp_path / "journals").glob("*/part.*")))
            if process.poll() is not None:
                end = end or time.monotonic() + 60
            time.sleep(0.2)
        assert process.returncode == 0
    assert most < MOST_PARTS
    (log,) = (tmp_path / "logs").iterdir()
    row = said(log)["POSIX", str(tmp_path / "in"), -1]
    assert (row["POSIX_OPENS"], row["POSIX_BYTES_READ"]) == (COUNT, 5 * COUNT)
    assert sum(one["PROCESS_COUNT"] for one in rows(log, "PROCESS")) == COUNT + 4
