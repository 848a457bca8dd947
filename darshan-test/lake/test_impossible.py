"""Logs with impossible values: query results for other logs do not change, and the impossible
values are kept in the table problems."""

from __future__ import annotations

import json
import math
import random
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from darshan_report.lake import columns
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import QUESTIONS, Filters, query
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.serve.server import Site
from darshan_report.lake.write.part import Options, make
from logs.content import AWKWARD, EXTREMES, standard_log
from logs.encode import encode
from logs.model import Counted, Log
from place import needs
from sample import everything, seed, turning
from tree import real_log_paths

from .conftest import Run
from .questions import VALUES, equal_rows
from .rows import identity, make_logs, rows, table

BEGUN = 1_700_000_000
HUGE = (1 << 63) - 1
QUESTION_VALUES = {**VALUES, "date": "2023-11-16", "from": "2023-11-01", "to": "2030-01-01"}
# Queries whose rows belong to a program or a user, and the column with its name: rows of other
# owners must not change.
BY_OWNER = {"programs": "program", "losses": "program", "small-writes": "program", "users": "user"}


def _log(number: int) -> Log:
    """Returns a log with possible values. number: its seed."""
    versions = {"POSIX": 4, "STDIO": 2}
    return standard_log(versions, seed=number, start=(BEGUN, 0), end=(BEGUN + 60, 0))


def mutated(rng: random.Random, number: int) -> Log:
    """Returns a log in which some counters have extreme values, and sometimes also its begin, its
    end or its number of processes. number: the seed of the unchanged log."""
    log = _log(number)
    if rng.random() < 0.2:
        log.start = (rng.choice((-5, 77, BEGUN * 50, HUGE)), 0)
    if rng.random() < 0.2:
        log.end = (rng.choice((-5, 77, BEGUN * 50, HUGE)), 0)
    if rng.random() < 0.2:
        log.nprocs = rng.choice((-3, 0, 1 << 40, HUGE))
    counted = [r for module in log.modules for r in module.records if isinstance(r, Counted)]
    for record in rng.sample(counted, min(3, len(counted))):
        for name in rng.sample(sorted(record.counters), 12):
            record.counters[name] = rng.choice(EXTREMES)
        for name in rng.sample(sorted(record.fcounters), 4):
            record.fcounters[name] = rng.choice(AWKWARD)
    return log


def _collected(lake: Path, paths: list[Path], **more: Any) -> None:
    """Makes a lake of some logs. more: options of the collection."""
    storage.make(str(lake), {})
    part = make([files.named(str(path)) for path in paths], Options(str(lake), **more))
    Publisher(str(lake)).publish(part)


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Makes a lake of correct logs, and one that also has mutated logs of user and program mallory.
    Returns both paths."""
    top = tmp_path_factory.mktemp("impossible")
    honest = make_logs(top / "logs", 8)
    rng = random.Random(seed())
    bad = []
    for number in range(2000 if everything() else 60):
        path = top / f"mallory_bad_id{number}-1_1-1-1-1_1.darshan"
        log = mutated(rng, 10_000 + number)
        log.exe = b"/home/mallory/bad"
        path.write_bytes(encode(log))
        bad.append(path)
    _collected(top / "honest", honest)
    _collected(top / "mixed", [*honest, *bad])
    return top / "honest", top / "mixed"


def _answers(lake: Path, user: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of each ready query. user: only of this user; None for all."""
    found = {}
    with Asked(lake) as asked:
        for question in QUESTIONS:
            sql, values = query(question, Filters(user=user), QUESTION_VALUES)
            found[question.name] = asked.sql(sql, values).rows()
    return found


def _pair(row: dict[str, Any]) -> tuple[str, ...]:
    """Returns the two programs of a row of the query `producers`, with their users."""
    return tuple(row[name] for name in ("producer", "produced_by", "consumer", "read_by"))


def test_answers_of_others_are_the_same(lakes: tuple[Path, Path]) -> None:
    """On the lake with mutated logs, each predefined query succeeds without NaN and has the same
    rows for other users as on the lake without them."""
    honest, mixed = lakes
    for user in turning(("user0", "user1", "user2"), 0.5, "honest users"):
        want, got = _answers(honest, user), _answers(mixed, user)
        for name, found in want.items():
            if name == "producers":  # a mutated log may claim to have written what others read
                pairs = {_pair(r) for r in got[name] if r["produced_by"] != "mallory"}
                assert pairs <= {_pair(r) for r in found}, (name, seed())
                continue
            equal_rows([[*r.values()] for r in got[name]], [[*r.values()] for r in found], name)
    want, got = _answers(honest), _answers(mixed)
    for name, found in got.items():
        for row in found:
            numbers = [v for v in row.values() if isinstance(v, float)]
            assert all(map(math.isfinite, numbers)), (name, row, seed())
        if name in BY_OWNER:
            owners = {row[BY_OWNER[name]] for row in want[name]}
            others = [[*r.values()] for r in found if r[BY_OWNER[name]] in owners]
            by_place = [[*r.values()] for r in want[name]]
            equal_rows(others, by_place, name)


def test_every_sum_can_be_made(lakes: tuple[Path, Path]) -> None:
    """No column whose values are added up has a value that would make a sum useless: NaN, infinity,
    a negative or a far too large number."""
    _, mixed = lakes
    now = time.time()
    for name, kind in columns.tables().items():
        found = table(mixed, name)
        for column in kind.columns if len(found) else ():
            values = [v for v in found[column.name].to_pylist() if v is not None]
            if column.type == columns.NUMBER:
                assert all(map(math.isfinite, values)), (name, column.name, seed())
            if column.rule.startswith("sum") and column.unit in ("bytes", "count", "seconds"):
                assert min(values, default=0) >= 0, (name, column.name, seed())
                assert max(values, default=0) <= 1 << 60, (name, column.name, seed())
            if column.type == columns.TIME:
                assert all(946_684_800 <= v.timestamp() <= now + 86_400 for v in values)


def test_pages_and_the_week(lakes: tuple[Path, Path], darshan: Run) -> None:
    """Each page and the digest of a week can be made, without NaN."""
    _, mixed = lakes
    with Asked(mixed) as asked:
        site = Site(asked, "test")
        for page in ("", "week?week=2023-W46", "programs", "users", "file-systems", "jobs"):
            days = "" if "week" in page else "?since=2023-11-01&until=2023-11-30"
            text = site.page(f"/{page}{days}").decode()
            assert "mallory" in text or page not in ("users", "jobs"), page
    done = darshan("digest", mixed, "--week", "2023-W46")
    assert done.returncode == 0 and "mallory" in done.stdout, done.stderr
    assert " nan" not in done.stdout.lower() and " inf" not in done.stdout.lower()


def test_the_raw_value_is_kept(darshan: Run, tmp_path: Path) -> None:
    """An impossible value is null in the record's row and in all sums; the table problems has the
    value from the log."""
    log = _log(1)
    record = next(r for m in log.modules if m.name == "POSIX" for r in m.records)
    assert isinstance(record, Counted)
    record.counters |= {"POSIX_BYTES_WRITTEN": HUGE, "POSIX_OPENS": -7}
    record.fcounters |= {"POSIX_F_META_TIME": math.nan}
    path = tmp_path / "jane_p_id1-1_1-1-1-1_1.darshan"
    path.write_bytes(encode(log))
    assert darshan("collect", "--into", "lake", path).returncode == 0
    kept = {r["counter"]: (r["value"], r["records"]) for r in rows(tmp_path / "lake", "problems")}
    assert kept["POSIX_BYTES_WRITTEN"] == (str(HUGE), 1)
    assert kept["POSIX_OPENS"] == ("-7", 1) and kept["POSIX_F_META_TIME"] == ("nan", 1)
    for name in ("POSIX_BYTES_WRITTEN", "POSIX_OPENS", "POSIX_F_META_TIME"):
        records = table(tmp_path / "lake", "files_posix")[name]
        assert records.null_count == 1 and len(records) > 1
        assert table(tmp_path / "lake", "totals_posix")[name].to_pylist() == [None]
    [job] = rows(tmp_path / "lake", "jobs")
    assert job["bytes_written_posix"] is None and job["bytes_read_posix"] is not None
    assert job["partial"] and job["log"] == identity(path)


def test_what_ranks_did_not_record(darshan: Run, tmp_path: Path) -> None:
    """Earlier runtimes write -1 for a counter that they do not record, and reducing a shared file
    adds these: minus the number of ranks means unknown, and is not reported as damage."""
    log = _log(1)
    log.nprocs = 4
    records = [r for m in log.modules if m.name == "POSIX" for r in m.records]
    counters = [r.counters for r in records if isinstance(r, Counted)]
    counters[0] |= {"POSIX_MMAPS": -4, "POSIX_OPENS": -5}
    path = tmp_path / "jane_p_id1-1_1-1-1-1_1.darshan"
    path.write_bytes(encode(log))
    assert darshan("collect", "--into", "lake", path).returncode == 0
    assert [r["counter"] for r in rows(tmp_path / "lake", "problems")] == ["POSIX_OPENS"]
    for name in ("POSIX_MMAPS", "POSIX_OPENS"):
        negative = sum(c[name] < 0 for c in counters)
        assert table(tmp_path / "lake", "files_posix")[name].null_count == negative
        assert table(tmp_path / "lake", "totals_posix")[name].to_pylist() == [None]


def test_more_processes_than_a_job_has(darshan: Run, tmp_path: Path) -> None:
    """An impossible number of processes is null, so that no sum has the hours of 2^40 processes."""
    log = _log(1)
    log.nprocs = 1 << 40
    path = tmp_path / "jane_p_id1-1_1-1-1-1_1.darshan"
    path.write_bytes(encode(log))
    assert darshan("collect", "--into", "lake", path).returncode == 0
    [job] = rows(tmp_path / "lake", "jobs")
    assert job["nprocs"] is None and job["process_seconds"] is None
    assert str(1 << 40) in [r["value"] for r in rows(tmp_path / "lake", "problems")]


def test_real_logs_are_not_damaged(darshan: Run, tmp_path: Path) -> None:
    """The real logs were made by programs, so no value in them is reported as impossible."""
    needs("real-logs")
    paths = real_log_paths()
    assert darshan("collect", "--into", "lake", *paths).returncode == 0
    found = rows(tmp_path / "lake", "problems")
    assert not [(r["path"], r["counter"], r["value"]) for r in found if r["counter"]]


def test_the_rate_is_a_setting(darshan: Run, tmp_path: Path) -> None:
    """If --process-rate is lower, more numbers of bytes are impossible for the run time, and become
    null; 0 is refused."""
    made = make_logs(tmp_path / "logs", 1)
    for lake, more in (("all", ()), ("none", ("--process-rate", "1e-9"))):
        assert darshan("collect", "--into", lake, *more, *made).returncode == 0
    whole, less = (table(tmp_path / n, "files_posix")["POSIX_BYTES_READ"] for n in ("all", "none"))
    assert whole.null_count == 0 and less.null_count > 0
    refused = darshan("collect", "--into", "all", "--process-rate", "0", *made)
    assert refused.returncode == 2 and "--process-rate" in refused.stderr


def test_a_lake_of_before(darshan: Run, tmp_path: Path) -> None:
    """Files of the table problems from earlier releases, which do not have the newer columns, are
    read and compacted."""
    made = make_logs(tmp_path / "logs", 2)
    made[0].write_bytes(b"no log")
    assert darshan("collect", "--into", "lake", "--settle", "0", made[0]).returncode == 0
    lake = tmp_path / "lake"
    [old] = (lake / "problems").rglob("*.parquet")
    pq.write_table(
        pq.read_table(old, partitioning=None).drop_columns(["counter", "value", "records"]), old
    )
    commit = lake / "_commits" / "000000000001.json"
    said = json.loads(commit.read_text())
    for file in said["add"]:
        if file["table"] == "problems":
            file |= {"bytes": old.stat().st_size, "shape": "earlier", "hash": ""}
    commit.write_text(json.dumps(said))
    assert darshan("collect", "--into", "lake", "--settle", "0", made[1]).returncode == 0
    made[1].write_bytes(b"no log, either")
    assert darshan("collect", "--into", "lake", "--settle", "0", made[1]).returncode == 0
    for command in (["lake", "check", "--deep"], ["lake", "compact"], ["lake", "check", "--deep"]):
        done = darshan(*command, "lake")
        assert done.returncode == 0, (command, done.stderr)
        asked = darshan("ask", "lake", "--sql", "SELECT log, counter FROM problems", "--json")
        assert asked.returncode == 0 and len(json.loads(asked.stdout)) == 2, asked.stderr
