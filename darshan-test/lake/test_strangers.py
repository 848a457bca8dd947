"""Links and names from users do no harm to a lake, not even in a spreadsheet. Lakes of earlier
releases, with columns whose names SQL cannot distinguish, can be read."""

from __future__ import annotations

import collections
import csv
import hashlib
import io
import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from darshan_report import units
from darshan_report.lake import columns
from darshan_report.lake.read import files

from .conftest import Run
from .rows import committed, identity, make_logs, rows, whole

COLLECT = ("collect", "--into", "lake", "--workers", "1", "--settle", "0")
# User ids.
JANE, BOB = 12_345, 12_346


def _link(path: Path, target: Path, owner: int) -> None:
    """Makes a link that belongs to another user."""
    path.symlink_to(target)
    os.lchown(path, owner, -1)


@pytest.mark.needs("root")
def test_links_to_files_of_others(darshan: Run, tmp_path: Path) -> None:
    """A user's symbolic link to a file of another user reveals nothing about that file, whether it
    is a log or not. Links of root are followed, and links of a user to own files."""
    hidden = tmp_path / "hidden"
    secret, of_bob, of_jane, of_root = make_logs(hidden, 4)
    secret.write_bytes(b"root:$6$secret:" * 123)
    os.chown(of_bob, BOB, -1)
    os.chown(of_jane, JANE, -1)
    folder = tmp_path / "logs"
    folder.mkdir()
    _link(folder / "shadow.darshan", secret, JANE)
    _link(folder / "bob.darshan", of_bob, JANE)
    _link(folder / "own.darshan", of_jane, JANE)
    _link(folder / "linked.darshan", of_root, 0)
    for _ in range(2):
        assert darshan(*COLLECT, "logs").returncode == 0
    lake = tmp_path / "lake"
    whole(lake, [of_jane, of_root])
    told = rows(lake, "problems")
    assert {Path(r["path"]).name: r["problem"] for r in told} == dict.fromkeys(
        ("shadow.darshan", "bob.darshan"), "Is a link to a file of another user"
    )
    for path in (secret, of_bob):
        content = path.read_bytes()
        assert str(len(content)) not in str(told)
        assert hashlib.sha256(content).hexdigest()[:16] not in str(told)


@pytest.mark.needs("root")
def test_a_folder_that_becomes_a_link(darshan: Run, tmp_path: Path) -> None:
    """A log is not read if its owner differs from the one that the search for logs saw: somebody
    may have replaced it meanwhile."""
    [own] = make_logs(tmp_path / "jane", 1)
    os.chown(own, JANE, -1)
    found = files.named(str(own))
    [other] = make_logs(tmp_path / "bob", 1, first=3)
    os.chown(other, BOB, -1)
    other.replace(own)
    from darshan_report.lake.commit import storage  # noqa: PLC0415 - of one test
    from darshan_report.lake.write.part import Options, make  # noqa: PLC0415

    storage.make(str(tmp_path / "lake"), {})
    part = make([found], Options(str(tmp_path / "lake")))
    assert (part.unread, part.took) == (1, {})


def test_cells_are_no_formulas(darshan: Run, tmp_path: Path) -> None:
    """In CSV output, a spreadsheet interprets no text from a log as a formula, and numbers stay
    numbers."""
    made = make_logs(tmp_path / "logs", 4)
    names = ("=cmd|' /C calc'!A1", "+1+1", "-1+2", "@SUM(1)")
    for path, name in zip(made, names):
        path.rename(path.with_name(f"{name.replace('/', '')}_p_id1-1_1-1-1-1_1.darshan"))
    assert darshan(*COLLECT, "--no-findings", "logs").returncode == 0
    sql = 'SELECT "user", -1.5 AS less, -(2::HUGEINT ** 100) AS far FROM jobs'
    done = darshan("ask", "lake", "--sql", sql, "--csv")
    cells = list(csv.reader(io.StringIO(done.stdout)))[1:]
    assert len(cells) == len(names) and all(row[0][0] == "'" for row in cells), done
    assert {row[1] for row in cells} == {"-1.5"} and all(row[2][0] == "-" for row in cells)
    users = json.loads(darshan("ask", "lake", "--sql", sql, "--json").stdout)
    assert sorted(row["user"] for row in users) == sorted(row[0][1:] for row in cells)
    done = darshan("ask", "lake", "--sql", 'SELECT 1 AS "=1+1"', "--csv")
    assert done.stdout.startswith("'=1+1")


def test_no_two_columns_differ_by_case_only() -> None:
    """SQL does not distinguish upper and lower case, so no two tables have columns whose names
    differ by case only."""
    spelled = collections.defaultdict(set)
    for table in columns.tables().values():
        for name in table.names:
            spelled[name.lower()].add(name)
    assert not [names for names in spelled.values() if len(names) > 1]


def _as_before(lake: Path, file: str) -> str:
    """Rewrites a file of the table jobs as an earlier release wrote it: with the earlier names of
    columns and without those about owners. Returns a text that identifies this set of columns."""
    was = {c.name: c.was for c in columns.JOBS.columns if c.was}
    whole_table = pq.read_table(lake / file, partitioning=None)
    drop = ["owner", "named", "forged"]
    renamed = whole_table.drop_columns(drop)
    pq.write_table(
        renamed.rename_columns([was.get(n, n) for n in renamed.column_names]), lake / file
    )
    return "earlier"


def test_columns_of_before(darshan: Run, tmp_path: Path) -> None:
    """Files with the earlier column names give the same query results as before: alone, together
    with new files, and after compaction."""
    made = make_logs(tmp_path / "logs", 4)
    lake = tmp_path / "lake"
    sql = "SELECT log, bytes_read_posix, seconds_stdio, owner FROM jobs ORDER BY log"
    ask = ("ask", "lake", "--sql", sql, "--json")
    assert darshan(*COLLECT, "--no-findings", *made[:3]).returncode == 0
    want = json.loads(darshan(*ask).stdout)
    assert all(row["bytes_read_posix"] is not None for row in want)
    commit = lake / "_commits" / "000000000001.json"
    said = json.loads(commit.read_text())
    for file in said["add"]:
        if file["table"] == "jobs":
            file["shape"] = _as_before(lake, file["path"])
            file["bytes"] = (lake / file["path"]).stat().st_size
    commit.write_text(json.dumps(said))
    for row in want:
        row["owner"] = None
    assert json.loads(darshan(*ask).stdout) == want
    assert darshan(*COLLECT, "--no-findings", made[3]).returncode == 0
    both = json.loads(darshan(*ask).stdout)
    assert [row for row in both if row["log"] != identity(made[3])] == want and len(both) == 4
    assert darshan("lake", "compact", "lake").returncode == 0
    assert json.loads(darshan(*ask).stdout) == both
    assert committed(lake)["jobs"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0 s"),
        (35_999, "35,999 s"),
        (36_000, "10.0 h"),
        (57_110_909, "15,864 h"),
        (None, units.UNKNOWN),
    ],
)
def test_long_times_are_hours(value: float | None, said: str) -> None:
    """A sum of seconds over many processes is printed in hours from 36,000 s on. said: the expected
    text."""
    assert units.time_spent(value) == said
