"""A lake is consistent with any number of writers, and at whatever time one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, make
from lab.command import finished
from sample import turning

from .conftest import Run
from .rows import committed, identity, logs, make_logs, rows, whole

# A sample of the steps of a collector that change the file system, numbered over its whole run.
STEPS = turning(range(1, 60), 0.03, "lake kills")


def test_again_adds_nothing(darshan: Run, tmp_path: Path) -> None:
    """A log that was collected adds no rows if it is collected again: by another command, as a
    copy, under another name, or named twice."""
    made = make_logs(tmp_path / "logs", 7)
    assert darshan("collect", "--into", "lake", "logs", made[0]).returncode == 0
    whole(tmp_path / "lake", made)
    before = committed(tmp_path / "lake")
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    (tmp_path / "logs" / "copy.darshan").write_bytes(made[3].read_bytes())
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    assert committed(tmp_path / "lake") == before
    more = make_logs(tmp_path / "logs", 2, first=7)
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    whole(tmp_path / "lake", [*made, *more])


def fill(lake: Path, paths: list[Path]) -> int:
    """Collects logs in this process; makes the lake if necessary. Returns the number of new rows in
    jobs."""
    storage.make(str(lake), {"mode": "0640"})
    publisher = Publisher(str(lake))
    before = len(logs(lake))
    found = [files.named(str(path)) for path in paths]
    publisher.publish(make(found, Options(str(lake), findings=False), publisher.seen.has))
    return len(logs(lake)) - before


def _part(lake: Path, paths: list[Path]) -> object:
    """Returns new files of the lake with the rows of some logs, which no commit has yet."""
    return make([files.named(str(p)) for p in paths], Options(str(lake), findings=False))


def test_two_that_read_the_same_logs_double_nothing(tmp_path: Path) -> None:
    """If two collectors have read the same logs, the second one to commit recognizes those of the
    first, and no log is added twice."""
    made = make_logs(tmp_path / "logs", 12)
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    first, second, third = (Publisher(str(lake)) for _ in range(3))
    parts = [_part(lake, made[:8]), _part(lake, made[4:]), _part(lake, made[2:6])]
    assert [p.publish(part) for p, part in zip((first, second, third), parts)] == [0, 4, 4]
    whole(lake, made)
    assert not list((lake / "_work").iterdir())


def test_two_commands_at_once(build: Path, darshan: Run, tmp_path: Path) -> None:
    """Two commands collect the same folder at the same time: both succeed, and each log is in the
    lake once."""
    made = make_logs(tmp_path / "logs", 70)
    environment = {**os.environ, "DARSHAN_PYTHON": sys.executable}
    environment.pop("DARSHAN_READ_LIB", None)
    command = [build / "darshan", "collect", "--workers", "1", "--no-findings", "--into", "lake"]
    running = [
        subprocess.Popen([*command, "logs"], cwd=tmp_path, env=environment) for _ in range(2)
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    whole(tmp_path / "lake", made)


_KILLED = """
import os, signal, sys
number, lake, *paths = sys.argv[1:]
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, make
step = 0
def count(event, arguments):
    global step
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
    if writes or event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir"):
        if any(lake in str(a) for a in arguments if isinstance(a, (str, bytes))):
            step += 1
            if step == int(number):
                os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
storage.make(lake, {})
found = [files.named(p) for p in paths]
half = len(found) // 2
for some in (found[:half], found[half:]):
    publisher = Publisher(lake)
    publisher.publish(make(some, Options(lake, findings=False), publisher.seen.has))
print(step)
"""


def _killed_at(step: int, lake: Path, made: list[Path]) -> subprocess.CompletedProcess[str]:
    """Publishes logs in a process that is killed at this step. Returns its output and exit
    status."""
    command = [sys.executable, "-c", _KILLED, str(step), str(lake), *map(str, made)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return finished(command, env=environment, timeout=60)


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step(step: int, tmp_path: Path) -> None:
    """After a collector is killed before any change of the file system, the lake is consistent, and
    collecting again completes it."""
    made = make_logs(tmp_path / "logs", 4)
    lake = tmp_path / "lake"
    done = _killed_at(step, lake, made)
    if done.returncode == 0:
        assert step > int(done.stdout)
    else:
        assert done.returncode == -signal.SIGKILL, done.stderr
        if storage.is_lake(str(lake)) and (lake / "_commits").is_dir():
            there = [p for p in made if identity(p) in logs(lake)]
            whole(lake, there)
            assert len(there) in (0, 2, 4)
    done = _killed_at(0, lake, made)
    assert done.returncode == 0, done.stderr
    whole(lake, made)


@pytest.mark.parametrize("step", ["sync", "_take"])
def test_what_fails_after_the_commit(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal or a disk error after the link() by which a commit becomes visible does not remove
    the committed files."""
    made = make_logs(tmp_path / "logs", 3)
    lake = tmp_path / "lake"
    fill(lake, made[:1])
    failed = []

    def fail(original: Callable[..., object]) -> Callable[..., object]:
        def once(*arguments: object) -> object:
            there = (lake / "_commits" / "000000000002.json").exists()
            if there and not failed:
                failed.append(step)
                raise KeyboardInterrupt
            return original(*arguments)

        return once

    with monkeypatch.context() as patch:
        owner, name = (storage, "sync") if step == "sync" else (Snapshot, "_take")
        patch.setattr(owner, name, fail(getattr(owner, name)))
        with pytest.raises(KeyboardInterrupt):
            fill(lake, made)
    assert failed
    whole(lake, made)


def test_killed_command_leaves_no_worker(build: Path, tmp_path: Path) -> None:
    """If the command is killed or interrupted at any time, its workers end as well, and collecting
    again completes the lake."""
    made = make_logs(tmp_path / "logs", 150)
    environment = {**os.environ, "DARSHAN_PYTHON": sys.executable}
    environment.pop("DARSHAN_READ_LIB", None)
    command = [build / "darshan", "collect", "--into", "lake", "--workers", "2", "logs"]
    for number in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, start_new_session=True
        )
        deadline = time.monotonic() + 30
        while not list((tmp_path / "lake" / "_work").glob("*")) and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        os.kill(process.pid, number)
        assert process.wait(60) in (-number, 0)
        deadline = time.monotonic() + 30
        while _has_group(process.pid):
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
                pytest.fail("a worker stays after its collector")
            time.sleep(0.01)
        there = [p for p in made if identity(p) in logs(tmp_path / "lake")]
        whole(tmp_path / "lake", there)
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=60)
    whole(tmp_path / "lake", made)


def _has_group(group: int) -> bool:
    """Returns whether a process group has a process."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_lake_of_a_newer_release_is_refused(darshan: Run, tmp_path: Path) -> None:
    """If the first file or a commit of the lake was written by a newer release, the command prints
    an error of one line."""
    make_logs(tmp_path / "logs", 2)
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    for name in ("_lake.json", "_commits/000000000001.json"):
        path = tmp_path / "lake" / name
        before = path.read_text()
        path.write_text(before.replace('"version":1', '"version":2'))
        done = darshan("collect", "--into", "lake", "logs")
        assert done.returncode == 1
        assert "install a newer release" in done.stderr and done.stderr.count("\n") == 1
        path.write_text(before)


def test_a_lost_commit_is_said(darshan: Run, tmp_path: Path) -> None:
    """If a commit file is missing, readers raise an error instead of returning the other rows."""
    for number in range(2):
        make_logs(tmp_path / "logs", 1, first=number)
        assert darshan("collect", "--into", "lake", "logs").returncode == 0
    (tmp_path / "lake" / "_commits" / "000000000001.json").unlink()
    with pytest.raises(storage.LakeError, match="commit 1 is missing"):
        Snapshot(str(tmp_path / "lake"))


def test_damaged_logs_are_rows_of_problems(darshan: Run, tmp_path: Path) -> None:
    """Each damaged log has one row in the table problems, also after a second collection; the other
    logs are collected."""
    made = make_logs(tmp_path / "logs", 3)
    made[1].write_bytes(made[1].read_bytes()[:900])
    (tmp_path / "logs" / "empty.darshan").write_bytes(b"")
    (tmp_path / "logs" / "text.darshan").write_text("this is no log\n" * 100)
    for _ in range(2):
        done = darshan("collect", "--into", "lake", "--settle", "0", "logs")
        assert done.returncode == 0
    found = rows(tmp_path / "lake", "problems")
    assert {Path(row["path"]).name for row in found} >= {"empty.darshan", "text.darshan"}
    assert all(row["problem"] for row in found)
    assert {identity(made[0]), identity(made[2])} <= set(logs(tmp_path / "lake"))
    assert len(found) == len({(row["path"], row["module"]) for row in found})
