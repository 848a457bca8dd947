"""Lakes with very many commits: few files are open at a time, and no reader reads all commits."""

from __future__ import annotations

import contextlib
import io
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from darshan_report.lake.commands import arguments
from darshan_report.lake.commands.collect import Collector
from darshan_report.lake.commit import seen, storage
from darshan_report.lake.commit.commits import Change, File, Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.sweep import sweep
from darshan_report.lake.write.arrow import schema_of, shape
from logs.content import standard_log
from logs.encode import encode
from sample import everything

from .conftest import Run
from .rows import make_logs, rows, table, whole

BEGUN = 1_700_000_000
# Files that the test's process may have open.
OPEN = 256
# Commits that follow the newest state file at most.
MOST_STATE = 64


@contextlib.contextmanager
def few_open() -> Iterator[None]:
    """Limits the open files of this process to OPEN within the context."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _commit_often(lake: Path, number: int) -> None:
    """Makes `number` commits. Each adds a file with the rows of an existing one of jobs or layers,
    and every second one also adds an identity to the known ones."""
    snapshot = Snapshot(str(lake))
    known = [*snapshot.of("jobs"), *snapshot.of("layers")]
    for count in range(number):
        file = known[count % len(known)]
        path = f"{file.table}/month={file.month}/{storage.new_name()}.parquet"
        os.link(lake / file.path, lake / path)
        row = np.array([(count, count, count)], seen.ROW)
        change = Change("collect", [File(**{**vars(file), "path": path})])
        change.seen = [seen.write(str(lake), row)] if count % 2 == 0 else []
        assert snapshot.commit(change)


def test_compaction_of_many_commits(darshan: Run, tmp_path: Path) -> None:
    """Compaction of a lake of very many commits has few files open at a time, loses no row, and
    leaves one small file for each month."""
    made = make_logs(tmp_path / "logs", 2)
    lake = tmp_path / "lake"
    assert darshan("collect", "--into", lake, "--no-findings", *made).returncode == 0
    _commit_often(lake, 50_000 if everything() else 1_500)
    before = Snapshot(str(lake))
    counted = {name: sum(f.rows for f in before.of(name)) for name in before.tables}
    assert len(before.of("jobs")) > 2 * OPEN and len(before.seen) > 2 * OPEN
    with few_open():
        compact(str(lake), schema_of, shape)
    after = Snapshot(str(lake))
    assert {name: sum(f.rows for f in after.of(name)) for name in after.tables} == counted
    assert len(table(lake, "jobs")) == counted["jobs"]
    parts = [(f.table, f.month) for f in after.files.values()]
    assert len(parts) == len(set(parts))
    done = darshan("lake", "check", lake)
    assert done.returncode == 0, done.stderr
    days = table(lake, "jobs")["day"].to_pylist()
    assert len(days) == counted["jobs"] and set(days) == {r["day"] for r in rows(lake, "jobs")}


def test_a_reader_reads_few_commits(darshan: Run, tmp_path: Path) -> None:
    """Every so many commits the list of all files is stored in a state file, so that a reader needs
    only the commits after it."""
    made = make_logs(tmp_path / "logs", 1)
    lake = tmp_path / "lake"
    assert darshan("collect", "--into", lake, "--no-findings", *made).returncode == 0
    _commit_often(lake, 3 * MOST_STATE)
    whole_lake = Snapshot(str(lake))
    states = [int(p.name[:12]) for p in (lake / "_commits").glob("*.state.json")]
    assert max(states) > whole_lake.number - MOST_STATE
    for path in (lake / "_commits").glob("*.json"):
        if int(path.name[:12]) < max(states):
            path.unlink()
    again = Snapshot(str(lake))
    assert (again.files, again.seen) == (whole_lake.files, whole_lake.seen)


def test_a_collector_compacts_a_little(darshan: Run, tmp_path: Path) -> None:
    """After many commits, a collector without --compact combines some small files with each further
    commit; all logs stay in the lake once, and are recognized."""
    lake = tmp_path / "lake"
    made = []
    for number in range(40):
        # Days of one month, and a part for each log, as a collector that runs often makes them.
        [path] = make_logs(tmp_path / "new", 1, first=number)
        begun = (BEGUN + number, 0)
        log = standard_log({"POSIX": 4}, seed=number, start=begun, end=(BEGUN + 60, 0))
        path.write_bytes(encode(log))
        made.append(path)
    with contextlib.redirect_stderr(io.StringIO()):
        for path in made:
            collect(lake, path)
    files = Snapshot(str(lake)).of("jobs")
    assert len(files) < len(made) / 2, files
    whole(lake, made)
    done = darshan("collect", "--into", lake, "new")
    assert f"{len(made)} already collected" in done.stderr, done.stderr
    assert darshan("lake", "check", "--deep", lake).returncode == 0


def collect(lake: Path, path: Path) -> None:
    """Collects a log by the code of `darshan collect` in this process, because starting Python
    would take longer."""
    options = arguments.collect(["--into", str(lake), "--workers", "1", "--no-findings", str(path)])
    assert Collector(options, None).run() == 0


def test_removed_files_are_forgotten(darshan: Run, tmp_path: Path) -> None:
    """The state file names replaced files as long as they exist, and not longer."""
    lake = tmp_path / "lake"
    for path in make_logs(tmp_path / "logs", 2):
        assert darshan("collect", "--into", lake, "--no-findings", path).returncode == 0
    compact(str(lake), schema_of, shape)
    snapshot = Snapshot(str(lake))
    assert snapshot.replaced and all((lake / path).exists() for path in snapshot.replaced)
    sweep(snapshot, 0.0)
    snapshot.write_state()
    assert Snapshot(str(lake)).replaced == {}
