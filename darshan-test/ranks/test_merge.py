"""From the journals of the ranks of a job, darshan-merge makes the log that the ranks would have
written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.command import finished_in_bytes
from lab.environment import settings, through_env
from mpi.launch import OPENMPI
from place import needs

from .conftest import Merge
from .model import merged
from .test_ranks import by_key, same


@pytest.fixture
def each(build: Path, tmp_path: Path) -> list[Path]:
    """Makes journals of nine ranks of a simulated job. Returns their paths."""
    folder = tmp_path / "each"
    folder.mkdir()
    play = build / "darshan-test" / "ranks" / "play"
    files = ("--shared", 5, "--own", 2, "--part", 8)
    command = (play, "--ranks", 9, *files, "--each", folder, tmp_path / "all.darshan")
    subprocess.run([str(x) for x in command], check=True, capture_output=True)
    return [folder / f"{n}.darshan" for n in range(9)]


def test_the_log_is_that_of_the_ranks(merge: Merge, each: list[Path], tmp_path: Path) -> None:
    """The merged log has the records and names of the log of all ranks, in any order of the
    journals."""
    log = tmp_path / "merged.darshan"
    done = merge("-o", log, *reversed(each))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    expected, found = merged(each), by_key(log)
    assert found.keys() == expected.keys()
    for key, records in expected.items():
        for have, want in zip(found[key], records):
            same(have, want)
    with open_log(log) as ours, open_log(tmp_path / "all.darshan") as theirs:
        assert ours.names() == theirs.names()
        assert ours.info.nprocs == 9


def test_records_can_be_kept_apart(merge: Merge, each: list[Path], tmp_path: Path) -> None:
    """With --no-shared-redux, the merged log has the record of each rank."""
    log = tmp_path / "merged.darshan"
    assert merge("--no-shared-redux", "--output", log, *each).returncode == 0
    ranks = [r.rank for records in by_key(log).values() for r in records]
    assert sorted(set(ranks)) == list(range(9))
    assert len(ranks) == sum(len(records) for path in each for records in by_key(path).values())


def test_missing_ranks_are_named(merge: Merge, each: list[Path], tmp_path: Path) -> None:
    """A message of one line, and the metadata, name the ranks whose journals are missing."""
    log = tmp_path / "merged.darshan"
    done = merge("-o", log, *each[1:4], *each[7:])
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1 and done.stderr.endswith(": 0,4-6\n")
    with open_log(log) as opened:
        assert ("missing_ranks", "0,4-6") in opened.info.metadata
        assert opened.info.nprocs == 9


def test_end_of_the_job_can_be_given(merge: Merge, each: list[Path], tmp_path: Path) -> None:
    """The end time in the merged log is that of --job-end-time."""
    log = tmp_path / "merged.darshan"
    assert merge("--shared-redux", "--job-end-time", 4321, "-o", log, *each).returncode == 0
    with open_log(log) as opened:
        assert opened.info.end == 4321


def test_what_cannot_be_merged_is_said_in_one_line(
    merge: Merge, each: list[Path], tmp_path: Path
) -> None:
    """Damaged, repeated and missing journals cause an error of one line and no log, and an existing
    file is not replaced. Wrong options are usage errors."""
    log = tmp_path / "merged.darshan"
    bad = tmp_path / "bad.darshan"
    bad.write_bytes(each[0].read_bytes()[:2000])
    twice = tmp_path / "twice.darshan"
    shutil.copy(each[3], twice)
    for arguments in (
        [bad],
        [*each, twice],
        [tmp_path / "not-there"],
        [tmp_path],
        [tmp_path / "all.darshan"],
    ):
        done = merge("-o", log, *arguments)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, arguments
        assert not log.exists()
    log.write_text("precious")
    done = merge("-o", log, *each)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert log.read_text() == "precious"
    for arguments in ([], ["--job-end-time", "soon", each[0]], ["--what", each[0]]):
        assert merge(*arguments).returncode == 2


def test_the_current_folder_was_removed(build: Path, each: list[Path], tmp_path: Path) -> None:
    """If darshan-merge gets a relative path for the log, and the current folder was removed, it
    exits with 1 and a message that gives this reason."""
    gone = tmp_path / "gone"
    for arguments in (["-o", "log"], ["--run", tmp_path, "-o", "log"]):
        gone.mkdir()
        command = [build / "darshan-merge", *arguments, *(each if len(arguments) == 2 else [])]
        script = 'rmdir "$0" && exec "$@"'
        done = subprocess.run(
            ["sh", "-c", script, gone, *command], cwd=gone, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 1 and done.stderr.count("\n") == 1
        assert done.stderr.endswith(": No such file or directory\n"), done.stderr


# A program that writes five times, and then kills itself.
KILLED = """
import os, signal, sys
with open(sys.argv[1], "wb", buffering=0) as f:
    for i in range(5):
        f.write(b"x" * 100)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_journal_of_a_killed_process(merge: Merge, build: Path, tmp_path: Path) -> None:
    """The journal of a killed process has no end time: in the log that darshan-merge makes, the run
    ends with the last operation, and the metadata says that the end was not seen."""
    environment = os.environ | settings(build, tmp_path, tmp_path)
    data = tmp_path / "data"
    command = [sys.executable, "-c", KILLED, str(data)]
    assert subprocess.run(command, env=environment, check=False).returncode == -9
    log = tmp_path / "merged.darshan"
    done = merge("--remove", "-o", log, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.glob("*_mmap-log-*"))
    with open_log(log) as opened:
        names, info = opened.names(), opened.info
        written = {
            names[int(r["id"])]: int(r["POSIX_BYTES_WRITTEN"])
            for r in opened.records("POSIX").array
        }
    assert written[str(data)] == 500
    assert info.run_time > 0
    assert ("end", "not seen; log merged from journals") in info.metadata


@pytest.mark.parametrize("flavour", ["mpich", "openmpi"])
def test_journals_of_an_mpi_job_with_a_killed_rank(
    merge: Merge, build: Path, tmp_path: Path, flavour: str
) -> None:
    """The journals of an MPI job become one log with all bytes of each rank, if one of the ranks
    was killed. flavour: the MPI."""
    needs(f"mpi:{flavour}")
    compiler, start = shutil.which(f"mpicc.{flavour}"), shutil.which(f"mpiexec.{flavour}")
    program, journals = tmp_path / "killed", tmp_path / "journals"
    journals.mkdir()
    source = Path(__file__).parent / "killed.c"
    subprocess.run([compiler, "-o", program, source], check=True)
    options = ["--allow-run-as-root", *OPENMPI] if flavour == "openmpi" else []
    front = through_env(settings(build, tmp_path, journals, mpi=True))
    command = [start, *options, "-n", "4", *front, str(program), str(tmp_path)]
    finished_in_bytes(command, timeout=100)
    log = tmp_path / "merged.darshan"
    done = merge("-o", log, *journals.glob(f"*_{program.name}_*"))
    assert done.returncode == 0, done.stderr
    with open_log(log) as opened:
        names, info = opened.names(), opened.info
        records = [r for r in opened.records("POSIX").array if "/file-" in names[int(r["id"])]]
    found = {(names[int(r["id"])], int(r["rank"])): int(r["POSIX_BYTES_WRITTEN"]) for r in records}
    expected = {(f"{tmp_path}/file-own-{n}", n): n + 1 for n in range(4)}
    assert found == expected | {(f"{tmp_path}/file-shared", -1): 1 + 2 + 3 + 4}
    assert info.nprocs == 4
