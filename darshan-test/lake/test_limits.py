"""Files, folders and users that are made to cause harm do not prevent the collection of other
logs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, make
from logs.content import standard_log
from logs.encode import encode
from sample import everything

from .conftest import SECONDS, Run
from .rows import committed, identity, logs, make_logs, rows, whole
from .test_manners import collecting

COLLECT = ("collect", "--into", "lake", "--workers", "1", "--no-findings", "--settle", "0")
HUGE = 8 << 40
# Number of nested folders: more than Python's calls may be nested.
DEEP = 1_200  # folders: deeper than Python's calls may be nested
JANE, BOB = 12_345, 12_346  # numbers of users


def test_huge_files_are_not_read(darshan: Run, tmp_path: Path) -> None:
    """Sparse files of 8 TiB in the folder of logs are not read, whether or not they begin like a
    log: computing their hash would take a day."""
    made = make_logs(tmp_path / "logs", 3)
    other, large = (tmp_path / "logs" / f"a_{n}.darshan" for n in ("other", "large"))
    other.touch()
    shutil.copy(made[0], large)
    for path in (other, large):
        os.truncate(path, HUGE)
    for _ in range(2):
        done = darshan(*COLLECT, "logs")
        assert done.returncode == 0, done.stderr
        whole(tmp_path / "lake", made)
        said = {Path(r["path"]).name: r["problem"] for r in rows(tmp_path / "lake", "problems")}
        assert said.keys() == {other.name, large.name}
        assert "--log-bytes" in said[large.name] and "--log-bytes" not in said[other.name]
    assert "4 already collected" in done.stderr


def test_the_size_of_a_log_is_limited(darshan: Run, tmp_path: Path) -> None:
    """A log above --log-bytes has a row of problems. If the limit is raised, the log is collected,
    and that row removed."""
    made = make_logs(tmp_path / "logs", 2)
    size = max(path.stat().st_size for path in made)
    done = darshan(*COLLECT, "--log-bytes", "1k", "logs")
    assert done.returncode == 0 and "2 could not be read" in done.stderr, done.stderr
    assert darshan(*COLLECT, "--log-bytes", str(size), "logs").returncode == 0
    whole(tmp_path / "lake", made)
    assert rows(tmp_path / "lake", "problems") == []
    for bad in ("big", "-1", "1.5G", "4EB"):
        assert darshan(*COLLECT, "--log-bytes", bad, "logs").returncode == 2


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Makes nested folders whose path is longer than the system allows in one call; removes them
    after the test."""
    top = here = tmp_path / "logs" / "deep"
    top.mkdir(parents=True)
    back = os.open(".", os.O_RDONLY)
    try:
        for _ in range(DEEP):
            os.chdir(here)
            here = Path("folder")
            here.mkdir()
    finally:
        os.fchdir(back)
        os.close(back)
    yield top
    subprocess.run(["rm", "-rf", top], check=True)  # which needs no long paths


def test_deep_trees_and_circles(darshan: Run, tmp_path: Path, deep: Path) -> None:
    """Very deep folders are searched as far as the system accepts their paths. A message names the
    first that cannot be opened, and symbolic links that lead back cause no loop."""
    made = make_logs(tmp_path / "logs", 2)
    made += make_logs(deep / "folder" / "folder", 1, first=2)
    (deep / "folder" / "up").symlink_to(tmp_path / "logs")
    os.mkfifo(deep / "pipe.darshan")
    done = darshan(*COLLECT, "logs")
    assert done.returncode == 1 and "File name too long" in done.stderr, done.stderr
    whole(tmp_path / "lake", made)


def test_names_need_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of 20,000 logs in a folder (200,000 in ./dev full) are read in groups, which needs
    little memory."""
    number = 200_000 if everything() else 20_000
    monkeypatch.setattr(files, "_AT_ONCE", 500)
    first = tmp_path / "0.darshan"
    first.touch()
    for place in range(1, number):
        if place % 20_000 == 0:  # file systems limit the names of a file
            first = tmp_path / f"{place}.darshan"
            first.touch()
        else:
            os.link(first, tmp_path / f"{place}.darshan")
    tracemalloc.start()
    try:
        assert sum(1 for _ in files.below(str(tmp_path), [])) == number
        assert files.count(str(tmp_path)) == number
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_slow_log_is_given_up(tmp_path: Path) -> None:
    """A log that takes longer than the limit has a row of problems and no others; the logs before
    and after it are complete."""
    made = make_logs(tmp_path / "logs", 4)
    slow = tmp_path / "logs" / "slow.darshan"
    slow.write_bytes(encode(standard_log({"POSIX": 4}, seed=1, files=3_000)))
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    order = [*made[:2], slow, *made[2:]]
    for number, path in enumerate(order):
        os.utime(path, (1_700_000_000 + number,) * 2)
    found = [files.named(str(path)) for path in order]
    options = Options(str(lake), findings=False, batch_bytes=100_000, log_seconds=0.0)
    part = make(found, options)
    Publisher(str(lake)).publish(part)
    whole(lake, made)
    [row] = rows(lake, "problems")
    assert row["log"] == identity(slow) and "--log-seconds" in row["problem"]
    for name in set(committed(lake)) - {"problems"}:
        assert identity(slow) not in {r["log"] for r in rows(lake, name)}, name
    other = tmp_path / "other"
    storage.make(str(other), {})
    Publisher(str(other)).publish(make([f for f in found if "slow" not in f.path], options))
    for name in committed(other):
        assert sorted(map(str, rows(lake, name))) == sorted(map(str, rows(other, name))), name


@pytest.mark.needs("root")
def test_a_user_has_a_share(darshan: Run, tmp_path: Path) -> None:
    """If the logs of a user exceed --user-bytes, the rest of them is collected in a later part of
    the same collection, after the logs of other users."""
    many = make_logs(tmp_path / "logs" / "a", 9)
    few = make_logs(tmp_path / "logs" / "b", 2, first=9)
    for path in many:
        os.chown(path, JANE, -1)
    for path in few:
        os.chown(path, BOB, -1)
    done = darshan(*COLLECT, "--user-bytes", "40k", "logs")  # a log counts as 16 KiB at least
    assert done.returncode == 0 and "share" not in done.stderr, done.stderr
    whole(tmp_path / "lake", [*many, *few])
    commits = sorted((tmp_path / "lake" / "_commits").glob("*.json"))
    first = Path(commits[0]).read_text()
    assert len(commits) >= 3
    assert '"logs":5' in first  # three of one user, two of the other one
    again = darshan(*COLLECT, "--user-seconds", "0", "--into", "none", "logs")
    assert "0 logs" in again.stderr and "11 above their user's share" in again.stderr


@pytest.mark.needs("root")
@pytest.mark.parametrize("large", [("other", "log"), ("log",), ("other",)])
def test_what_is_not_read_takes_no_share(
    large: tuple[str, ...], darshan: Run, tmp_path: Path
) -> None:
    """A file above the limits of size is not read, and is not counted towards its owner's limit,
    because another user may have linked it into the folder."""
    made = make_logs(tmp_path / "logs" / "b", 3)
    for name in large:
        path = tmp_path / "logs" / f"a_{name}.darshan"
        path.write_bytes(made[0].read_bytes() if name == "log" else b"")
        os.truncate(path, HUGE)
        os.chown(path, JANE, -1)
    for path in made:
        os.chown(path, JANE, -1)
    done = darshan(*COLLECT, "logs")
    assert done.returncode == 0 and "share" not in done.stderr, done.stderr
    whole(tmp_path / "lake", made)


@pytest.mark.needs("root")
def test_a_share_while_following(build: Path, tmp_path: Path) -> None:
    """With --follow, logs above the limit per user are collected in the next rounds, without a
    pause."""
    made = make_logs(tmp_path / "logs", 9)
    for path in made:
        os.chown(path, JANE, -1)
    options = ("--follow", "--every", "100000", "--user-bytes", "40k", "--workers", "1", "logs")
    command = collecting(build, tmp_path, *options)
    try:
        deadline = time.monotonic() + SECONDS
        while not (tmp_path / "lake" / "_commits").is_dir() or len(logs(tmp_path / "lake")) < 9:
            assert time.monotonic() < deadline and command.poll() is None
            time.sleep(0.05)
    finally:
        command.terminate()
        command.communicate(timeout=SECONDS)
    whole(tmp_path / "lake", made)
