"""A file that could not be read has a row of problems until it is collected; the numbers in the
collector's summary are true."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.commit.seen import Seen
from darshan_report.lake.read import files
from darshan_report.lake.write.arrow import schema_of, shape
from darshan_report.lake.write.part import Options, make

from .conftest import Run
from .rows import committed, logs, make_logs, rows, whole


def unreadable(folder: Path) -> list[Path]:
    """Makes three files with names of logs that not even root can read: a pipe, a link to itself,
    and another pipe. Returns their paths. Tests replace the first two by logs later."""
    found = [folder / f"user_{kind}_id1-1_1-1-1-1_1.darshan" for kind in ("pipe", "link", "stays")]
    os.mkfifo(found[0])
    found[1].symlink_to(found[1])
    os.mkfifo(found[2])
    return found


@pytest.mark.parametrize("key", ["", "hidden"])
def test_a_problem_is_over_when_the_file_is_read(darshan: Run, tmp_path: Path, key: str) -> None:
    """When an unreadable file is replaced by a log, the commit that adds the log removes the row of
    problems, even if the same log was collected before from another path. key: whether names are
    anonymized."""
    made = make_logs(tmp_path / "logs", 3)
    (tmp_path / "logs" / "damaged.darshan").write_bytes(b"no log")
    pipe, link, stays = unreadable(tmp_path / "logs")
    command = ["collect", "--into", "lake", "--workers", "1", "--settle", "0", "logs"]
    command += ["--obfuscate"] if key else []

    def collect() -> str:
        done = darshan(*command)
        assert done.returncode == 0, done.stderr
        return done.stderr

    said = collect()
    assert "4 logs" in said and "1 of them damaged" in said and "3 could not be read" in said
    lake = tmp_path / "lake"
    assert len(rows(lake, "problems")) == 4
    before = committed(lake)
    commits = len(list((lake / "_commits").iterdir()))
    assert "0 logs, 0 records" in collect() and committed(lake) == before
    assert len(list((lake / "_commits").iterdir())) == commits  # no new log: no commit

    (new,) = make_logs(tmp_path / "later logs", 1, first=3)
    pipe.unlink()
    shutil.copy(new, pipe)
    link.unlink()
    shutil.copy(made[0], link)  # the lake already has this log
    said = collect()
    assert "1 logs" in said and "1 could not be read" in said, said
    left = [row["problem"] for row in rows(lake, "problems")]
    assert len(left) == 2 and left.count("Not a regular file") == 1
    if not key:
        paths = {row["path"] for row in rows(lake, "problems")}
        assert paths == {str(stays), str(tmp_path / "logs" / "damaged.darshan")}
    whole(lake, [*made, new])
    asked = json.loads(darshan("ask", "lake", "problems", "--json").stdout)
    assert sum(row["logs"] for row in asked) == 2
    assert darshan("lake", "check", "--deep", "lake").returncode == 0
    assert not list((lake / "_work").iterdir())


def test_two_bring_what_could_not_be_read(tmp_path: Path) -> None:
    """If two collectors commit the same logs, which could not be read before, each log is in the
    lake once, and its row of problems is removed."""
    lake, folder = tmp_path / "lake", tmp_path / "logs"
    made = make_logs(folder, 2)
    whole_of = [path.read_bytes() for path in made]
    storage.make(str(lake), {})

    def part() -> object:
        found = [files.named(str(path)) for path in made]
        return make(found, Options(str(lake), findings=False))

    for path in made:
        path.unlink()
        os.mkfifo(path)
    Publisher(str(lake)).publish(part())
    assert len(rows(lake, "problems")) == 2
    for path, content in zip(made, whole_of):
        path.unlink()
        path.write_bytes(content)
    publishers = [Publisher(str(lake)) for _ in range(2)]
    parts = [part(), part()]
    for publisher, one in zip(publishers, parts):
        publisher.publish(one)
    assert [len(one.took) for one in parts] == [2, 0]
    assert rows(lake, "problems") == []
    whole(lake, made)


def test_what_is_compacted_is_known_still(tmp_path: Path) -> None:
    """After compaction, the index of known files still distinguishes a file that could not be read
    from collected logs."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 2)
    pipe, *_ = unreadable(tmp_path / "logs")
    storage.make(str(lake), {})
    publisher = Publisher(str(lake))
    found = [files.named(str(path)) for path in (*made, pipe)]
    for some in (found[:1], found[1:]):
        one = make(some, Options(str(lake), findings=False))
        publisher.publish(one)
    assert compact(str(lake), schema_of, shape).after > 0
    seen = Seen(str(lake))
    seen.update(Snapshot(str(lake)).seen)
    unread = seen.unread(one.seen["high"], one.seen["low"])
    assert unread.tolist() == [False, True] and (one.unread, len(one.took)) == (1, 1)


def test_who_comes_second_says_so(tmp_path: Path) -> None:
    """If two collectors read the same logs, the summary of each has the number of logs that it
    added itself."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 5)
    (tmp_path / "logs" / "damaged.darshan").write_bytes(b"no log")
    made.append(tmp_path / "logs" / "damaged.darshan")
    storage.make(str(lake), {})
    found = [files.named(str(path)) for path in made]
    some = make(found[:3], Options(str(lake), findings=False))
    every = make(found, Options(str(lake), findings=False))
    records = every.records
    for one in (some, every):
        Publisher(str(lake)).publish(one)
    assert some.records + every.records == records and len(every.took) == 3
    assert sum(row["records"] for row in rows(lake, "layers")) > 0
    assert (some.damaged, every.damaged) == (0, 1)
    again = make(found, Options(str(lake), findings=False))
    Publisher(str(lake)).publish(again)
    assert (again.records, again.damaged, again.took) == (0, 0, {})
    assert len(logs(lake)) == 5


def test_who_is_removed_meanwhile_is_no_problem(tmp_path: Path) -> None:
    """A log that another collector removes (--remove-collected) between the search and the reading
    gets no row of problems; a link to a missing file gets one."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 3)
    storage.make(str(lake), {})
    found = [files.named(str(path)) for path in made]
    made[0].unlink()
    made[1].unlink()
    made[1].symlink_to("nothing")
    one = make(found, Options(str(lake), findings=False))
    Publisher(str(lake)).publish(one)
    (problem,) = rows(lake, "problems")
    assert problem["path"] == str(made[1])
    assert len(logs(lake)) == 1 and one.unread == 1
