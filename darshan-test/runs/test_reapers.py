"""A subreaper, or process 1, inherits only orphans that the program started; the runtime's own
helper processes never appear as its children."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from lab import watch
from lab.compile import compile_c
from lab.environment import instrumented, through_env
from lab.log import read_logs
from lab.watch import SECONDS
from place import needs, runs

HERE = Path(__file__).parent

# Starts children that start children, and a process that outlives the command and ends the run.
SCRIPT = "sh -c 'cat /etc/hostname > f; cat f >> g'; (sleep 0.2; cat f > h; true) & exit 3"


@pytest.fixture(scope="module")
def reaper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program reaper.c; returns its path."""
    return compile_c(tmp_path_factory.mktemp("reaper"), (HERE / "reaper.c").read_text())


def run(
    build: Path, folder: Path, reaper: list[str | Path], script: str = SCRIPT
) -> tuple[bytes, bytes, list[str]]:
    """Runs the script below reaper.c without the runtime, then instrumented; the reaper itself is
    never instrumented. Returns both outputs of the reaper, and the lines on stderr and names of
    files that the instrumented run left."""
    said = []
    journals = folder / "journals"
    for name in ("bare", "work", "logs", "journals"):
        (folder / name).mkdir(mode=0o755)
    for work, variables in (
        ("bare", {}),
        ("work", instrumented(build, folder / "logs", journals)),
    ):
        (folder / work / "f").write_text("text\n")
        command = [*reaper, *through_env(variables), "sh", "-c", script]
        done = watch.run(command, folder / work)
        assert done.status == 0
        said.append((done.stdout, done.stderr))
    left = sorted(path.name for path in journals.iterdir())
    return said[0][0], said[1][0], [*said[1][1].decode().splitlines(), *left]


@pytest.mark.parametrize("how", ["wait", "waitpid", "waitid"])
def test_subreaper(build: Path, tmp_path: Path, reaper: Path, how: str) -> None:
    """For a process that adopts orphans (subreaper), the output of reaper.c is equal with and
    without the runtime, and the run has one log with all processes."""
    bare, watched, left = run(build, tmp_path, [reaper, how])
    assert b"the command" in bare
    assert b"others: 1\n" in bare
    assert watched == bare
    assert left == []
    (log,) = (tmp_path / "logs").glob("**/*.darshan")
    records = read_logs(build / "darshan-parser", log).records
    work = tmp_path / "work"
    assert records["POSIX", str(work / "h")]["POSIX_OPENS"] >= 1
    assert sum(row.get("PROCESS_COUNT", 0) for row in records.values()) == 7


def test_process_1(build: Path, tmp_path: Path, reaper: Path) -> None:
    """For the first process of a PID namespace, which becomes the parent of all orphans, the output
    of reaper.c is equal with and without the runtime, and the run has one log."""
    front = ("unshare", "--pid", "--fork", "--mount-proc")
    needs(runs(*front))
    command: list[str | Path] = [*front, reaper, "waitpid"]
    bare, watched, left = run(build, tmp_path, command)
    assert b"others: 1\n" in bare
    assert watched == bare
    assert left == []
    assert len(list((tmp_path / "logs").glob("**/*.darshan"))) == 1


def test_merger_that_takes_long(build: Path, tmp_path: Path, reaper: Path) -> None:
    """If the merger does not finish, the last process of the run kills it and exits; a line names
    `darshan recover`, which then writes the log."""
    beside = tmp_path / "beside"
    beside.mkdir()
    shutil.copy(build / "libdarshan.so", beside)
    slow = beside / "darshan-merge"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    bare, watched, left = run(beside, tmp_path, [reaper, "waitpid"])
    assert watched == bare
    assert [line for line in left if "darshan recover" in line], left
    (folder,) = (tmp_path / "journals").iterdir()
    command = [build / "darshan", "recover", "-o", tmp_path / "logs", tmp_path / "journals"]
    subprocess.run(command, check=True, timeout=SECONDS, capture_output=True)
    (log,) = (tmp_path / "logs").glob("**/*.darshan")
    records = read_logs(build / "darshan-parser", log).records
    assert records["POSIX", str(tmp_path / "work" / "h")]["POSIX_OPENS"] >= 1
    assert not folder.exists()
