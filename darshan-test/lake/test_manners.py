"""`darshan collect` does what its options say, and leaves a consistent lake after failures and
signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import Run
from .rows import committed, identity, logs, make_logs, rows, whole
from .test_commits import fill


def collecting(
    build: Path, where: Path, *arguments: str, start_new_session: bool = False
) -> subprocess.Popen[str]:
    """Starts `darshan collect`. arguments: of the command. Returns the process."""
    environment = {**os.environ, "DARSHAN_PYTHON": sys.executable}
    environment.pop("DARSHAN_READ_LIB", None)
    return subprocess.Popen(
        [build / "darshan", "collect", "--into", "lake", *arguments],
        cwd=where,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=start_new_session,
    )


@pytest.mark.needs("mount")
def test_a_full_disk(build: Path, tmp_path: Path) -> None:
    """If the disk is full, the command prints one line and exits with an error; the lake stays
    consistent, and a later run continues."""
    made = make_logs(tmp_path / "logs", 6)
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=900k", "none", disk], check=True)
    try:
        fill(disk / "lake", made[:2])
        (disk / "filling").write_bytes(b"x" * (_free(disk) - 60_000))
        command = collecting(build, disk, "--workers", "1", str(tmp_path / "logs"))
        said = command.communicate(timeout=60)[1]
        assert command.returncode == 1 and said.count("\n") == 1, said
        assert "No space left" in said and "is intact" in said
        whole(disk / "lake", made[:2])
        assert not list((disk / "lake" / "_work").iterdir())
        (disk / "filling").unlink()
        command = collecting(build, disk, "--workers", "1", str(tmp_path / "logs"))
        command.communicate(timeout=60)
        assert command.returncode == 0
        whole(disk / "lake", made)
    finally:
        subprocess.run(["umount", disk], check=True)


def _free(folder: Path) -> int:
    """Returns the free bytes of a folder's file system."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def test_follow_takes_what_comes_until_it_is_ended(build: Path, tmp_path: Path) -> None:
    """--follow collects new logs until a signal arrives, which then ends the process."""
    made = make_logs(tmp_path / "logs", 2)
    command = collecting(build, tmp_path, "--follow", "--every", "0.1", "--workers", "1", "logs")
    try:
        for count in (2, 3):
            deadline = time.monotonic() + 40
            while (
                not (tmp_path / "lake" / "_commits").is_dir()
                or len(logs(tmp_path / "lake")) < count
            ):
                assert time.monotonic() < deadline and command.poll() is None
                time.sleep(0.05)
            made += make_logs(tmp_path / "logs", 1, first=count)
    finally:
        command.send_signal(signal.SIGTERM)
        said = command.communicate(timeout=30)[1]
    assert command.returncode == -signal.SIGTERM, said
    assert "Traceback" not in said
    there = [path for path in made if identity(path) in logs(tmp_path / "lake")]
    whole(tmp_path / "lake", there)


def test_since(darshan: Run, tmp_path: Path) -> None:
    """`darshan collect --since` selects logs by their modification time."""
    made = make_logs(tmp_path / "logs", 3)
    os.utime(made[0], (time.time() - 10 * 86400,) * 2)
    assert darshan("collect", "--into", "lake", "--since", "7d", "logs").returncode == 0
    whole(tmp_path / "lake", made[1:])
    assert darshan("collect", "--into", "lake", "--since", "2020-01-01", "logs").returncode == 0
    whole(tmp_path / "lake", made)
    assert darshan("collect", "--since", "soon", "logs").returncode == 2


def test_names_are_hidden(darshan: Run, tmp_path: Path) -> None:
    """With --obfuscate, no file of the lake contains the names of users, programs and files.
    Another key gives other replacements, and a collection with plain names into the same lake is
    refused."""
    make_logs(tmp_path / "logs", 3)
    done = darshan("collect", "--into", "lake", "--obfuscate", "--traces", "logs")
    assert done.returncode == 0, done.stderr
    lake = tmp_path / "lake"
    words = {"/scratch", "user1", "program1", "/home", "app"}
    for name in committed(lake):
        for row in rows(lake, name):
            for column, value in row.items():
                if column in ("mount", "partial_modules"):
                    continue
                assert not any(word in str(value) for word in words), (name, column, value)
    for name in set(committed(lake)) - {"problems"}:  # a name has the same word in all tables
        assert {r["user"] for r in rows(lake, name)} == {r["user"] for r in rows(lake, "jobs")}
    files = {r["file"] for r in rows(lake, "findings")} - {None}
    assert files <= {r["name"] for t in ("posix", "stdio") for r in rows(lake, f"files_{t}")}
    assert darshan("collect", "--into", "lake", "logs").returncode == 1
    darshan("collect", "--into", "again", "logs", "--obfuscate")
    another = {"DARSHAN_LAKE_KEY": "another"}
    darshan("collect", "--into", "other", "logs", "--obfuscate", environment=another)
    names = [sorted({r["name"] for r in rows(tmp_path / n, "files_posix")} - {None}) for n in
             ("lake", "again", "other")]  # fmt: skip
    assert names[0] == names[1] and names[0] != names[2]
    assert len(names[0]) == len(names[2]) > 1


def test_what_was_collected_is_removed(darshan: Run, tmp_path: Path) -> None:
    """--remove-collected removes the logs that were collected, but not a damaged one."""
    made = make_logs(tmp_path / "logs", 3)
    bad = tmp_path / "logs" / "bad.darshan"
    bad.write_bytes(made[0].read_bytes()[:700])
    wanted = [identity(path) for path in made]
    done = darshan("collect", "--into", "lake", "--remove-collected", "logs")
    assert done.returncode == 0 and "3 removed" in done.stderr, done.stderr
    assert sorted(logs(tmp_path / "lake")) == sorted(wanted)
    assert [p.name for p in (tmp_path / "logs").iterdir()] == ["bad.darshan"]


def test_records_that_nobody_knows_stay(darshan: Run, tmp_path: Path) -> None:
    """With --remove-collected, a log with a module that this release does not know is not removed,
    because no table has its records."""
    [log] = make_logs(tmp_path / "logs", 1)
    content = bytearray(log.read_bytes())
    begin = content.index(b"3.41")
    where, versions = begin + 48, begin + 48 + 64 * 16  # regions, and versions of their records
    stdio, other = 9, 40
    content[where + other * 16 : where + other * 16 + 16] = content[
        where + stdio * 16 : where + stdio * 16 + 16
    ]
    content[where + stdio * 16 : where + stdio * 16 + 16] = bytes(16)
    content[versions + other * 4 : versions + other * 4 + 4] = (1).to_bytes(4, "little")
    log.write_bytes(content)
    for _ in range(2):
        done = darshan("collect", "--into", "lake", "--settle", "0", "--remove-collected", "logs")
        assert done.returncode == 0 and "removed" not in done.stderr, done.stderr
        assert log.exists()
    [row] = rows(tmp_path / "lake", "problems")
    assert row["problem"] == "has records of module 40, which this release does not know"
    assert logs(tmp_path / "lake") == [identity(log)]
    assert committed(tmp_path / "lake")["files_posix"]


def test_a_line_per_thousand_logs(darshan: Run, tmp_path: Path) -> None:
    """If stderr is not a terminal, a collection of fewer than a thousand logs prints one line, the
    summary, and a missing folder causes one line."""
    make_logs(tmp_path / "logs", 5)
    done = darshan("collect", "--into", "lake", "logs")
    assert done.stderr.count("\n") == 1 and "5 logs" in done.stderr
    done = darshan("collect", "--into", "lake", "nowhere")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_a_folder_of_others_is_no_lake(darshan: Run, tmp_path: Path) -> None:
    """A lake is not created in a folder that has other files."""
    make_logs(tmp_path / "logs", 1)
    done = darshan("collect", "--into", "logs", "logs")
    assert done.returncode == 1 and "is not a lake" in done.stderr
    assert not (tmp_path / "logs" / "_lake.json").exists()
    done = darshan("lake", "info", "logs")
    assert done.returncode == 1 and "is not a lake" in done.stderr


def test_a_log_that_cannot_be_read(darshan: Run, tmp_path: Path) -> None:
    """A circular link and a folder that have names of logs are no error: all logs are in the lake
    once, also after a second run."""
    made = make_logs(tmp_path / "logs", 2)
    (tmp_path / "logs" / "loop.darshan").symlink_to("loop.darshan")
    (tmp_path / "logs" / "pipe.darshan").mkdir()
    for _ in range(2):
        assert darshan("collect", "--into", "lake", "logs").returncode == 0
    whole(tmp_path / "lake", made)


def test_an_interrupted_command_ends_by_the_signal(build: Path, tmp_path: Path) -> None:
    """After Ctrl-C, the command ends by this signal without a message, and the lake is
    consistent."""
    made = make_logs(tmp_path / "logs", 80)
    command = collecting(build, tmp_path, "--workers", "2", "logs")
    deadline = time.monotonic() + 30
    while not (tmp_path / "lake" / "_lake.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    command.send_signal(signal.SIGINT)
    said = command.communicate(timeout=30)[1]
    assert command.returncode in (-signal.SIGINT, 0) and "Traceback" not in said, said
    whole(tmp_path / "lake", [p for p in made if identity(p) in logs(tmp_path / "lake")])


def test_a_signal_to_all_of_them(build: Path, tmp_path: Path) -> None:
    """If a batch system or systemd sends a signal to all processes of the command, the parent,
    which waits for workers, ends as well."""
    (made,) = make_logs(tmp_path / "logs", 1)
    for number in range(6000):  # more names than a pipe to the workers holds
        os.link(made, tmp_path / "logs" / f"user_program_id{number}-{number}_1-1-1-1_1.darshan")
    command = collecting(build, tmp_path, "--workers", "2", "logs", start_new_session=True)
    deadline = time.monotonic() + 30
    while not list((tmp_path / "lake" / "_work").glob("*")) and command.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.killpg(command.pid, signal.SIGTERM)
    try:
        said = command.communicate(timeout=30)[1]
    finally:
        command.kill()
    assert command.returncode == -signal.SIGTERM and "Traceback" not in said, said
