"""`darshan lake` compacts, prunes and checks a lake without losing or restoring rows, also if other
processes change it."""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path

from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.prune import Which, prune
from darshan_report.lake.commit.sweep import sweep
from darshan_report.lake.write.arrow import schema_of, shape
from sample import turning

from .conftest import Run
from .rows import committed, identity, logs, make_logs, rows, whole
from .test_commits import fill


def everything(lake: Path) -> dict[str, list[str]]:
    """Returns all rows of each table as texts, sorted."""
    return {name: sorted(map(str, rows(lake, name))) for name in committed(lake)}


def test_compaction_keeps_every_row(tmp_path: Path) -> None:
    """Compaction makes fewer files with the same rows, ordered by program and user; the replaced
    files are kept for the grace time."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 40)
    for first in range(0, 40, 8):
        fill(lake, made[first : first + 8][::-1])
    before, files = everything(lake), sum(map(len, committed(lake).values()))
    reader = Snapshot(str(lake))
    done = compact(str(lake), schema_of, shape)
    assert done.before > done.after and not done.given_up
    assert everything(lake) == before
    assert sum(map(len, committed(lake).values())) < files
    for paths in committed(lake).values():
        assert len({Path(path).parent for path in paths}) == len(paths)  # one a month
        for path in paths:
            read = table_of(lake, path)
            order = [
                (r["program"], r["user"], r["day"]) for r in read if r["log"] != read[-1]["log"]
            ]
            assert order == sorted(order)  # of few rows; the last log stays last
    for file in reader.files.values():
        assert (lake / file.path).is_file()
    sweep(Snapshot(str(lake)), grace=3600)
    assert all((lake / file.path).is_file() for file in reader.files.values())
    sweep(Snapshot(str(lake)), grace=-1)
    assert not any((lake / file.path).is_file() for file in reader.files.values())
    assert sorted(Snapshot(str(lake)).files) == sorted(p for v in parquet(lake) for p in v)
    whole_by_state(lake, made)


def parquet(lake: Path) -> list[list[str]]:
    """Returns the Parquet files of the lake, as one list of paths in a list."""
    return [[str(p.relative_to(lake)) for p in lake.glob("*/month=*/*.parquet")]]


def table_of(lake: Path, path: str) -> list[dict[str, object]]:
    """Returns the rows of a file of the lake."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - of one file

    found: list[dict[str, object]] = pq.read_table(lake / path, partitioning=None).to_pylist()
    return found


def whole_by_state(lake: Path, made: list[Path]) -> None:
    """Checks that, after commits were removed, the state file has the same files and known logs.
    made: the logs of the lake."""
    snapshot = Snapshot(str(lake))
    assert not (lake / "_commits" / "000000000001.json").exists()
    there = {r["log"] for f in snapshot.of("jobs") for r in table_of(lake, f.path)}
    assert there == {identity(path) for path in made}
    assert fill(lake, made) == 0  # they are still known


def test_a_user_is_forgotten(darshan: Run, tmp_path: Path) -> None:
    """`darshan lake prune --user` removes a user from every table and from every file on the disk,
    including files that compaction replaced."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 20)
    (tmp_path / "logs" / "user1_x_id1-1_1-1-1-1_1.darshan").write_bytes(b"damaged")
    for first in range(0, 20, 5):
        fill(lake, [*made[first : first + 5], *(tmp_path / "logs").glob("user1_x*")])
    compact(str(lake), schema_of, shape)
    done = darshan("lake", "prune", "lake", "--user", "user1")
    assert done.returncode == 0, done.stderr
    left = [path for path in made if not path.name.startswith("user1_")]
    assert f"{len(made) - len(left)} logs of user1" in done.stdout
    whole(lake, left)
    for path in lake.glob("*/month=*/*.parquet"):
        assert all(row["user"] != "user1" for row in table_of(lake, str(path))), path
    for file in Snapshot(str(lake)).files.values():  # compacted rows are not ordered by day
        days = [str(row["day"]) for row in table_of(lake, file.path)]
        assert (file.first, file.last) == (min(days), max(days)), file.path
    assert darshan("lake", "check", "--deep", "lake").returncode == 0
    assert fill(lake, made) == 0  # the next collection does not bring it back


def test_old_jobs_go(tmp_path: Path) -> None:
    """Pruning removes files all of whose jobs are old, and rewrites others without the old rows."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 20)
    fill(lake, made)
    days = {
        identity(p): r["day"] for p in made for r in rows(lake, "jobs") if r["log"] == identity(p)
    }
    cut = sorted(days.values())[7]
    assert isinstance(cut, datetime.date)
    gone = prune(str(lake), Which(before=cut))
    assert gone.logs == 7
    whole(lake, [path for path in made if days[identity(path)] >= cut])


def test_both_at_once(tmp_path: Path) -> None:
    """If another process prunes files that are being compacted, the compaction is abandoned, and no
    removed row comes back."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 12)
    for first in range(0, 12, 4):
        fill(lake, made[first : first + 4])

    def schema_late(name: str) -> object:
        if name == "jobs":
            prune(str(lake), Which(user="user2"))
        return schema_of(name)

    compact(str(lake), schema_late, shape)  # type: ignore[arg-type]
    whole(lake, [path for path in made if not path.name.startswith("user2_")])


def test_what_killed_collectors_left_is_swept(tmp_path: Path) -> None:
    """Files that belong to no commit are removed if they are old; younger ones stay, because a
    collector may be about to commit them."""
    lake = tmp_path / "lake"
    made = make_logs(tmp_path / "logs", 3)
    fill(lake, made)
    month = (lake / committed(lake)["jobs"][0]).parent
    left = [lake / "_work" / "x", month / "orphan.parquet", lake / "_seen" / "orphan"]
    left[0].mkdir()
    for path in left[1:]:
        path.write_bytes(b"x")
    left.append(lake / "_commits" / ".half")
    left[-1].write_bytes(b"{")
    sweep(Snapshot(str(lake)), grace=0)  # a collector may be about to commit them
    assert all(path.exists() for path in left)
    for path in left:
        os.utime(path, (time.time() - 90_000,) * 2)
    sweep(Snapshot(str(lake)))
    assert not any(path.exists() for path in left)
    whole(lake, made)


def test_check_finds_what_is_wrong(darshan: Run, tmp_path: Path) -> None:
    """`darshan lake check` names missing, truncated and changed files."""
    lake = tmp_path / "lake"
    fill(lake, make_logs(tmp_path / "logs", 3))
    assert darshan("lake", "check", "lake").returncode == 0
    assert "jobs" in darshan("lake", "info", "lake").stdout
    path = lake / committed(lake)["files_posix"][0]
    content = path.read_bytes()
    worse = (None, content[:-100], content[:1000] + b"\0" * 64 + content[1064:])
    for bad in turning(worse, 0.3, "lake files"):
        path.unlink()
        if bad is not None:
            path.write_bytes(bad)
        done = darshan("lake", "check", "--deep", "lake")
        assert done.returncode == 1 and path.name in done.stderr, done
        path.write_bytes(content)
    assert darshan("lake", "check", "nowhere").returncode == 1
    assert logs(lake)
