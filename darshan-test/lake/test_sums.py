"""The precomputed sums of a lake equal the sums over its rows, whatever happens to its files and to
the processes that compute sums."""

from __future__ import annotations

import datetime
import math
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from darshan_report.call_sites.measured import OBJECT
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.question import IO
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.prune import Which, prune
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.commit.sweep import sweep
from darshan_report.lake.look.week import of_day, rows, tell
from darshan_report.lake.read import files
from darshan_report.lake.serve.questions import CHANGES, PROGRAMS
from darshan_report.lake.sums.kinds import KINDS
from darshan_report.lake.sums.make import complete, there
from darshan_report.lake.write.arrow import schema_of, shape
from darshan_report.lake.write.part import Options, make
from lab.command import finished
from report.diagnose.build import row
from sample import turning
from tree import build_folder

from .conftest import Run
from .rows import make_logs
from .test_lines import job, site

_OF_RECORDS = """SELECT day, "user", program, mount, file_system, sum(n), sum(r), sum(w), sum(t),
  sum(m) FROM ({rows}) GROUP BY ALL ORDER BY ALL"""
_RECORDS = " UNION ALL ".join(
    f"""SELECT day, "user", program, mount, file_system, 1 AS n, {p}_BYTES_READ AS r,
  {p}_BYTES_WRITTEN AS w, {p}_F_READ_TIME + {p}_F_WRITE_TIME AS t, {p}_F_META_TIME AS m
  FROM files_{p.lower()}"""
    for p in ("POSIX", "STDIO")
)
_DIRECT = {
    "sums_files": _OF_RECORDS.format(rows=_RECORDS),
    "sums_jobs": f"""SELECT day, "user", program, count(*), sum(bytes_read), sum(bytes_written),
  sum({IO}), sum(greatest({IO}, coalesce(all_layers_seconds, 0))), sum(process_seconds),
  count(*) FILTER (WHERE partial), count(*) FILTER (WHERE problems IS NULL)
  FROM jobs GROUP BY ALL ORDER BY ALL""",
}
_LOSSES = """SELECT day, "user", program, {rule}, {jobs}, sum({lost}), max({most}) FROM ({rows})
  GROUP BY ALL ORDER BY ALL"""
_CLAIMS = """SELECT *, least(stake_seconds, nullif(of_seconds, 0)) AS lost FROM findings
  WHERE kind = 'problem' AND same_as IS NULL"""
_COSTS = f"SELECT * FROM ({_CLAIMS}) WHERE lost > 0"
_OF_RULES = f"""SELECT day, "user", program, rule, log, sum(lost) AS lost,
  max_by(sentence, row(coalesce(lost, -1), number)) AS sentence FROM ({_CLAIMS}) GROUP BY ALL"""
_EACH = f"""SELECT day, "user", program, log, least(sum(lost), max(nullif(of_seconds, 0))) AS lost
  FROM ({_COSTS}) GROUP BY ALL"""
_DIRECT["by rule"] = _LOSSES.format(
    rule="rule", jobs="count(DISTINCT log)", lost="lost", most="lost", rows=_OF_RULES
)
_DIRECT[
    "sentences"
] = f"""SELECT rule, max_by(sentence, row(coalesce(lost, -1), log)), lost > 0 AS l
  FROM ({_OF_RULES}) GROUP BY rule, lost > 0 ORDER BY ALL"""
_LINES = """SELECT day, "user", program, coalesce(file, object, {further}), line,
  CASE WHEN file IS NULL THEN address END, function, {build}, {jobs}, sum(seconds),
  sum(gap_seconds), sum(calls), sum(bytes_read), sum(bytes_written), max({most}),
  max_by(coalesce(called, ''), row(coalesce({most}, -1), coalesce(called, '')))
  FROM {rows} GROUP BY ALL ORDER BY ALL"""
_DIRECT["sums_lines"] = _LINES.format(
    further="CASE WHEN number IS NULL THEN 'further' END", build="build_id[:8]", rows="sites",
    jobs="count(DISTINCT log)", most="seconds",
)  # fmt: skip
_DIRECT["by job"] = _LOSSES.format(
    rule="NULL", jobs="count(DISTINCT log)", lost="lost", most="lost", rows=_EACH
)
_SUMMED = {
    **{
        name: _LOSSES.format(
            rule="rule",
            jobs="sum(jobs)",
            lost="lost_seconds",
            most="most_seconds",
            rows=f"SELECT * FROM sums_findings WHERE rule IS {is_not} NULL",
        )
        for name, is_not in (("by rule", "NOT"), ("by job", ""))
    },
    "sentences": """SELECT rule, max_by(sentence, row(coalesce(most_seconds, -1), log)),
  lost_seconds > 0 AS l FROM sums_findings WHERE rule IS NOT NULL GROUP BY rule, l ORDER BY ALL""",
    "sums_lines": _LINES.format(
        further="CASE WHEN further THEN 'further' END",
        build="build",
        rows="sums_lines",
        jobs="sum(jobs)",
        most="most_seconds",
    ),
    "sums_files": _OF_RECORDS.format(
        rows="""SELECT *, records AS n, bytes_read AS r, bytes_written AS w, transfer_seconds AS t,
  meta_seconds AS m FROM sums_files"""
    ),
    "sums_jobs": """SELECT day, "user", program, sum(jobs), sum(bytes_read), sum(bytes_written),
  sum(io_seconds), sum(all_layers_seconds), sum(process_seconds), sum(partial), sum(not_looked)
  FROM sums_jobs GROUP BY ALL ORDER BY ALL""",
}


def same(one: Any, other: Any) -> bool:
    """Returns whether two values are equal; numbers may differ by rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return bool(one == other)


def compare(lake: Path, user: str | None = None) -> int:
    """Checks that each table of sums equals the sum over the rows. user: for a connection that is
    limited to this user; None: all. Returns the number of jobs in the sums."""
    jobs = 0
    with Asked(lake, user) as asked:
        assert asked.has_sums()
        for table, direct in _DIRECT.items():
            want = [tuple(row) for row in asked.sql(direct)]
            found = [tuple(row) for row in asked.sql(_SUMMED[table])]
            assert len(want) == len(found), table
            for mine, theirs in zip(found, want):
                assert all(map(same, mine, theirs)), (table, mine, theirs)
            jobs = sum(row[3] for row in want) if table == "sums_jobs" else jobs
    return int(jobs)


def fill(lake: Path, paths: list[Path]) -> None:
    """Collects logs in this process, with findings."""
    storage.make(str(lake), {"mode": "0640"})
    publisher = Publisher(str(lake))
    found = [files.named(str(path)) for path in paths]
    publisher.publish(make(found, Options(str(lake)), publisher.seen.has))


def with_lines(folder: Path, number: int) -> Path:
    """Writes a log with call sites of Python, of a native program, and without a line. number: of
    the job. Returns the log's path."""
    native = row("SITES", "object 0000000a 0000000b /opt/x/code", KIND=OBJECT)
    some = [
        site(f"{call};/home/x/code.py:{1 + number % 2}:load", reads, F_READ_TIME=seconds)
        for call, reads, seconds in (("read", 5, number + 1.0), ("pread", 9, 2.0))
    ]
    some += [site("read;0000000a+12", F_READ_TIME=1.5), site("open", F_READ_TIME=0.25)]
    return job(folder, number, native, *some)


class Centre:
    """A lake, and functions for the events that may happen to it. seed: of the random choices."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.lake, self._logs = folder / "lake", folder / "logs"
        self._random, self._number = random.Random(seed), 0
        self._paths: list[Path] = []

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(str(self.lake))

    def collect(self) -> None:
        self._paths += make_logs(self._logs, 5, self._number)
        self._paths.append(with_lines(self._logs, self._number))
        self._number += 5
        fill(self.lake, self._paths[-6:])

    def replace(self) -> None:
        """Replaces the contents of a log that the lake has, and collects it again."""
        [other] = make_logs(self._logs.parent / "others", 1, self._number + 10_000)
        path = self._random.choice(self._paths)
        path.write_bytes(other.read_bytes())
        self._number += 1
        fill(self.lake, [path])

    def compact(self) -> None:
        compact(str(self.lake), schema_of, shape)

    def complete(self) -> None:
        complete(self.snapshot)

    def sweep(self) -> None:
        sweep(self.snapshot, grace=-1)

    def prune(self) -> None:
        prune(str(self.lake), Which(user=f"user{self._random.randrange(3)}"))

    def lose(self) -> None:
        for path in sorted(there(str(self.lake))):
            if self._random.random() < 0.3:
                (self.lake / path).unlink()

    def killed(self) -> None:
        """Runs a collector that is killed at its n-th rename of a file, for a random n; if it makes
        fewer renames, it ends normally."""
        more = make_logs(self._logs, 3, self._number)
        self._number += 3
        self._paths += more
        script = f"""
import os, signal, sys
sys.path.insert(0, {str(build_folder() / "python")!r})
left, rename = {self._random.randrange(1, 40)}, os.rename
def counted(*names, **more):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*names, **more)
os.rename = counted
sys.argv = ["collect", "--workers", "1", "--into", *sys.argv[1:]]
from darshan_report.command import collect
sys.exit(collect())
"""
        command = [sys.executable, "-c", script, self.lake, *more]
        done = finished(command, timeout=60)
        assert done.returncode in (0, -9), done.stderr

    def something(self) -> str:
        names = ("collect", "replace", "compact", "complete", "sweep", "lose", "prune", "killed")
        name = self._random.choices(names, (4, 4, 2, 4, 2, 2, 1, 1))[0]
        getattr(self, name)()
        return name


@pytest.mark.parametrize("seed", turning(range(1, 26), 0.04, "lake sums"))
def test_sums_are_those_of_the_rows(tmp_path: Path, seed: int) -> None:
    """The stored sums are those of the rows after collections, removals, interruptions and
    compactions in random order."""
    centre = Centre(tmp_path, seed)
    centre.collect()
    happened = []
    for _ in range(7):
        happened.append(centre.something())
        assert compare(centre.lake), happened
    centre.collect()  # what happened may have replaced every log with lines
    centre.killed()
    centre.complete()
    assert compare(centre.lake) and compare(centre.lake, "user1") < compare(centre.lake)
    centre.sweep()
    kept = [file for file in centre.snapshot.files.values() if file.table in KINDS]
    assert len(there(str(centre.lake))) == len(kept)
    with Asked(centre.lake) as asked:
        assert asked.sql("SELECT DISTINCT file FROM sums_lines").rows()
        rules = 'SELECT count(rule) AS "rules", count(*) AS "all" FROM sums_findings'
        [found] = asked.sql(rules).rows()
    assert 0 < found["rules"] < found["all"]


def test_a_week_by_sums_and_by_rows(
    darshan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest of a week and the pages are the same with precomputed sums and without."""
    made = make_logs(tmp_path / "logs", 9)
    made += [with_lines(tmp_path / "logs", number) for number in range(6)]
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    lake = tmp_path / "lake"
    assert there(str(lake))
    week = of_day(datetime.date(2023, 11, 20))

    user1 = Filters(user="user1")

    def told() -> str:
        with Asked(lake) as asked:
            found = tell(asked, week, 20, user1), tell(asked, week, 20)
            said: list[Any] = [
                (one.sums, one.file_systems, one.losers, one.newest) for one in found
            ]
            for question in (CHANGES, PROGRAMS, BY_NAME["lines"], BY_NAME["users"]):
                said += [rows(asked, question, who, top=100) for who in (Filters(), user1)]
        # Seconds are sums in another order.
        return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.9g}", str(said))

    summed = told()
    asked_for = []
    monkeypatch.setattr(Asked, "has_sums", lambda self: asked_for.append(self) or False)
    assert told() == summed and asked_for
    assert "'jobs': 3" in summed and len(made) == 15
    assert "/home/x/code.py:2" in summed and "'called': 'pread'" in summed, summed
    assert "/opt/x/code+" in summed and "'sentence': '" in summed


def test_damage_is_told(darshan: Run, tmp_path: Path) -> None:
    """`darshan lake check` names a damaged file of sums, and compaction makes a missing one
    anew."""
    make_logs(tmp_path / "logs", 3)
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    assert darshan("lake", "check", "lake").returncode == 0
    path = tmp_path / "lake" / sorted(there(str(tmp_path / "lake")))[0]
    content = bytearray(path.read_bytes())
    content[20] ^= 0x40
    path.write_bytes(content)
    done = darshan("lake", "check", "lake")
    assert done.returncode == 1 and path.name in done.stderr, done.stderr
    path.unlink()
    assert darshan("lake", "compact", "lake").returncode == 0
    assert darshan("lake", "check", "lake").returncode == 0
