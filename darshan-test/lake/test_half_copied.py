"""A log that is collected while it is still being copied is counted once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, Part, make

from .conftest import Run
from .rows import committed, identity, make_logs, rows, whole

COLLECT = ("collect", "--into", "lake", "--workers", "1", "logs")


def _half(path: Path) -> bytes:
    """Truncates a log to half of its size; returns the whole content."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return content


def _age(path: Path) -> None:
    """Makes a file an hour old."""
    os.utime(path, (time.time() - 3600,) * 2)


def test_a_damaged_log_settles_first(darshan: Run, tmp_path: Path) -> None:
    """A damaged log whose file changed less than --settle seconds ago is skipped, because it may
    still be copied; an older one is recorded in the table problems at once."""
    made = make_logs(tmp_path / "logs", 3)
    content = _half(made[1])
    done = darshan(*COLLECT)
    assert done.returncode == 0 and "1 skipped" in done.stderr, done.stderr
    whole(tmp_path / "lake", [made[0], made[2]])
    assert rows(tmp_path / "lake", "problems") == []
    _age(made[1])
    done = darshan(*COLLECT)
    assert "1 of them damaged" in done.stderr, done.stderr
    made[1].write_bytes(content)
    assert darshan(*COLLECT).returncode == 0
    whole(tmp_path / "lake", made)
    assert darshan("collect", "--settle", "-1", "logs").returncode == 2


@pytest.mark.parametrize("key", ["", "hidden"])
def test_the_whole_log_replaces_the_half(darshan: Run, tmp_path: Path, key: str) -> None:
    """The commit that adds the complete log removes the rows of the truncated one from all tables;
    rows of other logs stay. key: whether names are anonymized."""
    made = make_logs(tmp_path / "logs", 5)
    made[1] = made[1].rename(tmp_path / "logs" / "run.darshan")
    options = ["--obfuscate"] if key else []
    contents = {made[0]: _half(made[0]), made[1]: _half(made[1])}
    done = darshan(*COLLECT, "--settle", "0", *options)
    assert "2 of them damaged" in done.stderr, done.stderr
    half = {identity(path) for path in contents}
    for path, content in contents.items():
        path.write_bytes(content)
    done = darshan(*COLLECT, *options)
    assert "2 logs" in done.stderr and "2 replaced older contents" in done.stderr, done.stderr
    lake = tmp_path / "lake"
    whole(lake, made)
    for name in committed(lake):
        assert not half & {row["log"] for row in rows(lake, name)}, name
    assert rows(lake, "problems") == []
    assert darshan("lake", "check", "--deep", "lake").returncode == 0
    assert "5 already collected" in darshan(*COLLECT, *options).stderr


def test_a_log_is_rewritten(darshan: Run, tmp_path: Path) -> None:
    """New contents of a job's log replace the rows of the old ones. But if the file's name does not
    identify a job, or if the old log was only moved, its rows stay."""
    made = make_logs(tmp_path / "logs", 6)
    reused = made[4].rename(tmp_path / "logs" / "latest.darshan")
    kept = {path: path.read_bytes() for path in (made[0], reused)}
    assert darshan(*COLLECT).returncode == 0
    made[0].rename(tmp_path / "logs" / "a_moved.darshan")
    made[5].replace(made[0])  # other contents under the name of a log that is now elsewhere
    [more] = make_logs(tmp_path / "new", 1, first=7)
    more.replace(reused)
    [again] = make_logs(tmp_path / "new", 1, first=8)
    again.replace(made[1])
    done = darshan(*COLLECT)
    assert "1 replaced older contents" in done.stderr, done.stderr
    moved, old = tmp_path / "logs" / "a_moved.darshan", tmp_path / "old"
    assert moved.read_bytes() == kept[made[0]]
    old.write_bytes(kept[reused])
    whole(tmp_path / "lake", [made[0], made[1], made[2], made[3], moved, reused, old])


def _part(lake: Path, path: Path) -> Part:
    """Returns new files of the lake with the rows of a log, which no commit has yet."""
    return make([files.named(str(path))], Options(str(lake), findings=False))


def test_the_slower_collector_does_not_bring_the_half_back(tmp_path: Path) -> None:
    """If a collector that read the truncated log commits after one that read the complete log, only
    the complete log is in the lake."""
    lake = tmp_path / "lake"
    [path] = make_logs(tmp_path / "logs", 1)
    content = _half(path)
    storage.make(str(lake), {})
    slow, fast = Publisher(str(lake)), Publisher(str(lake))
    half = _part(lake, path)
    assert len(half.took) == 1
    path.write_bytes(content)
    fast.publish(_part(lake, path))
    slow.publish(half)
    assert (len(half.took), half.left) == (0, 1)
    whole(lake, [path])
    assert rows(lake, "problems") == []
    assert not list((lake / "_work").iterdir())


def test_contents_that_come_back(tmp_path: Path) -> None:
    """If the contents of a log are replaced and later come back, they are collected again."""
    lake = tmp_path / "lake"
    [path, other] = make_logs(tmp_path / "logs", 2)
    storage.make(str(lake), {})
    publisher = Publisher(str(lake))
    first, second = path.read_bytes(), other.read_bytes()
    for content in (first, second, first):
        path.write_bytes(content)
        part = make([files.named(str(path))], Options(str(lake)), publisher.seen.has)
        publisher.publish(part)
        whole(lake, [path])


def test_lakes_of_before_know_their_logs(darshan: Run, tmp_path: Path) -> None:
    """Logs that an earlier release collected are recognized by its kind of keys: no log is read
    again."""
    made = make_logs(tmp_path / "logs", 3)
    assert darshan(*COLLECT).returncode == 0
    earlier = [files.earlier_key(files.named(str(path))) for path in made]
    [name] = (tmp_path / "lake" / "_seen").iterdir()
    index = np.fromfile(name, np.dtype([("high", "<u8"), ("low", "<u8"), ("key", "<u8")]))
    known = {identity(path)[:16]: key for path, key in zip(made, earlier)}
    for row in index:
        row["key"] = known[f"{int(row['high']):016x}"]
    name.write_bytes(index.tobytes())
    before = len(list((tmp_path / "lake" / "_commits").iterdir()))
    assert "3 already collected" in darshan(*COLLECT).stderr
    assert len(list((tmp_path / "lake" / "_commits").iterdir())) == before
