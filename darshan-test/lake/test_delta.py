"""The Delta tables that `darshan lake publish` makes have the rows of the lake, with any number of
publishing processes, and at whatever time one of them is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from darshan_report.lake import columns
from darshan_report.lake.commands import arguments
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Change, File, Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.commit.sweep import sweep
from darshan_report.lake.delta import log as delta_log
from darshan_report.lake.delta import publish as delta_publish
from darshan_report.lake.delta import setting
from darshan_report.lake.read import files
from darshan_report.lake.write.arrow import schema_of, shape
from darshan_report.lake.write.part import Options, make
from logs.catalogue import good_cases
from logs.encode import encode
from sample import turning

from .conftest import Run
from .delta import Table, cells, rows_of
from .rows import committed, logs, make_logs, table, whole
from .test_commits import fill


def published(lake: Path) -> dict[str, Table]:
    """Returns the newest version of each Delta table of a lake, by the table's name."""
    return {path.parent.name: Table(path.parent) for path in lake.glob("*/_delta_log")}


def _sums(rows: pa.Table, kinds: dict[str, pa.DataType]) -> dict[str, Any]:
    """Returns for each column of numbers the sum of its values, for each other column the number of
    its values. kinds: the types of the columns."""
    found = {}
    for name in rows.column_names:
        column = rows[name].cast(kinds[name])
        is_number = pa.types.is_integer(column.type) or pa.types.is_decimal(column.type)
        if pa.types.is_floating(column.type):
            found[name] = sum(map(Fraction, column.drop_null().to_pylist()))  # has no rounding
        else:
            found[name] = pc.sum(column).as_py() if is_number else pc.count(column).as_py()
    return found


def equal(lake: Path, deep: bool = False) -> None:
    """Checks that each Delta table has the same files, as many rows and the same sums of all
    columns as the table of the lake. deep: whether to compare each cell."""
    found, snapshot = published(lake), Snapshot(str(lake))
    assert set(found) >= set(snapshot.tables)
    for name, one in found.items():
        some = [lake / file.path for file in snapshot.of(name)]
        assert set(one.paths) == set(some), name
        theirs = one.read()
        if not some:
            continue
        mine = pa.concat_tables(rows_of(path) for path in some)
        assert len(mine) == len(theirs)
        assert set(theirs.column_names) == {*mine.column_names, "month"}
        both = theirs.select(mine.column_names)
        assert _sums(both, one.columns) == _sums(mine, one.columns), name
        if deep:
            schema = pa.schema([(c, one.columns[c]) for c in mine.column_names])
            assert cells(both) == cells(mine.cast(schema)), name


def publish(lake: Path) -> setting.Made:
    """Publishes the Delta tables of a lake in this process. Returns how much was published."""
    return setting.publish(Snapshot(str(lake)))


@pytest.fixture(scope="module")
def every_module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of logs of all modules, with traces. Returns the lake's path."""
    folder = tmp_path_factory.mktemp("all")
    for case in good_cases():
        if not case.name.startswith(("good-many", "good-names-many")):
            (folder / case.name).write_bytes(encode(case.log))
    lake = tmp_path_factory.mktemp("lake") / "lake"
    storage.make(str(lake), {})
    found = [files.named(str(path)) for path in sorted(folder.iterdir())]
    Publisher(str(lake)).publish(make(found, Options(str(lake), traces=True)))
    return lake


def test_every_table_of_every_module(every_module: Path) -> None:
    """For a lake with all modules, each cell of the Delta tables is that of the lake; publishing
    again does nothing."""
    assert publish(every_module).tables == len(committed(every_module))
    equal(every_module, deep=True)
    kinds = {str(kind) for one in published(every_module).values() for kind in one.columns.values()}
    assert len(kinds) == 9  # each type of a lake occurs
    assert publish(every_module) == setting.Made()


def test_names_that_delta_accepts() -> None:
    """The columns of each table have names that Delta accepts: different without regard to case,
    and without blanks and the like."""
    for one in columns.tables().values():
        names = [name.lower() for name in (*one.names, "month")]
        assert len(set(names)) == len(names)
        assert not any(set(name) & set(" ,;{}()\n\t=") for name in names)


def _bound(value: Any, up: bool) -> Any:
    """Returns a value in the form of the statistics of Delta. up: whether a time is rounded up to
    milliseconds."""
    if value is None or not hasattr(value, "tzinfo"):
        return str(value) if hasattr(value, "year") else value
    milliseconds = -(-int(value.timestamp() * 10**6) // 1000) if up else int(
        value.timestamp() * 10**6) // 1000  # fmt: skip
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000))
    return f"{moment}.{milliseconds % 1000:03}Z"


def test_statistics(every_module: Path) -> None:
    """For each column, the minimum in the Delta log is not above the smallest value of the file,
    and the maximum not below the largest."""
    publish(every_module)
    seen = set()
    for one in published(every_module).values():
        for path, add in zip(one.paths, one.files.values()):
            said, rows = json.loads(add["stats"]), rows_of(path)
            for name, nulls in said["nullCount"].items():
                assert rows[name].null_count == nulls
            for name, least in said["minValues"].items():
                plain = rows[name].cast(one.columns[name])
                both = pc.min_max(plain).as_py()
                assert _bound(both["min"], False) == least
                assert _bound(both["max"], True) == said["maxValues"][name]
                seen.add(name)
    assert seen == {"day", "user", "program", "started", "job_id"}


def test_collected_and_compacted(darshan: Run, tmp_path: Path) -> None:
    """While logs are collected and files compacted, each version that a reader finds has all of its
    files and each log once."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 20)
    fill(lake, made[:4])
    setting.switch_on(str(lake), 0.0)
    publish(lake)
    wrong: list[BaseException] = []
    done = threading.Event()

    def write() -> None:
        try:
            for first in range(4, 20, 4):
                fill(lake, made[first : first + 4])
                setting.Due(str(lake)).publish()
                if first % 8 == 0:
                    compact(str(lake), schema_of, shape)
                    publish(lake)
                    sweep(Snapshot(str(lake)), grace=3600)
        except BaseException as error:
            wrong.append(error)
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    before, versions = 0, set()
    while not done.is_set() or before < len(made):
        one = Table(lake / "jobs")
        found = one.read()["log"].to_pylist()
        assert len(found) == len(set(found)) >= before
        before = len(found)
        versions.add(one.version)
        assert not wrong
    writer.join()
    assert not wrong and len(versions) > 2
    whole(lake, made)
    equal(lake)


_RACER = """
import sys
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.delta import setting
for _ in range(int(sys.argv[2])):
    setting.publish(Snapshot(sys.argv[1]))
"""


def _run(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Starts Python code with arguments. Returns the process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_publishers_at_once(tmp_path: Path) -> None:
    """While two processes publish and a third one collects, none of them fails; afterwards the
    Delta tables equal the lake."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 10)
    fill(lake, made[:2])
    running = [_run(_RACER, lake, 6) for _ in range(2)]
    for first in range(2, 10, 2):
        fill(lake, made[first : first + 2])
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    publish(lake)
    equal(lake)


def test_who_comes_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another process has just written the next version, this one publishes the missing files in
    the version after it; if it knows fewer commits than the other, it publishes nothing."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 6)
    fill(lake, made[:2])
    old = Snapshot(str(lake))
    create = delta_log.Log.create
    inside = []

    def second(self: delta_log.Log, number: int, actions: list[Any]) -> bool:
        if not inside:
            inside.append(number)
            publish(lake)
            fill(lake, made[2:4])
            publish(lake)
        return create(self, number, actions)

    with monkeypatch.context() as patch:
        patch.setattr(delta_log.Log, "create", second)
        publish(lake)
    assert inside == [0]
    equal(lake)
    with monkeypatch.context() as patch:
        patch.setattr(Snapshot, "refresh", lambda _: set())
        assert setting.publish(old) == setting.Made()
    equal(lake)


_KILLED = """
import os, signal, sys
number, lake = sys.argv[1:]
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.delta import publish, setting
publish._EACH_CHECKPOINT = 1
publish.KEPT = -60.0
step = 0
def count(event, arguments):
    global step
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
    if writes or event in ("os.rename", "os.link", "os.remove", "os.mkdir"):
        if any(lake in str(a) for a in arguments if isinstance(a, (str, bytes))):
            step += 1
            if step == int(number):
                os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
setting.publish(Snapshot(lake))
print(step)
"""


@pytest.mark.parametrize("step", turning(range(1, 110), 0.02, "delta kills"))
def test_killed_at_any_step(step: int, tmp_path: Path) -> None:
    """After a publishing process is killed before any change of the file system, each table can be
    read in its old or its new version, and the next publishing process completes it."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 6)
    fill(lake, made[:3])
    publish(lake)
    before = {name: one.version for name, one in published(lake).items()}
    fill(lake, made[3:])
    process = _run(_KILLED, step, lake)
    said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL or int(said[0]) < step, said[1]
    for name, one in published(lake).items():
        assert one.version - before[name] in (0, 1)
        rows = one.read()["log"].to_pylist()
        assert len(rows) in ((3, 6) if name == "jobs" else range(1, 500))
    publish(lake)
    equal(lake)


def _cut(path: Path) -> None:
    """Removes the second half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


# Ways to damage the Delta log of a table.
DAMAGE: dict[str, Callable[[Path], None]] = {
    "half a version": lambda log: _cut(log / f"{10:020}.json"),
    "an empty version": lambda log: (log / f"{10:020}.json").write_text(""),
    "no JSON": lambda log: (log / f"{10:020}.json").write_bytes(b"\0\xff" * 100),
    "other JSON": lambda log: (log / f"{10:020}.json").write_text('{"add": [1]}\n7\n'),
    "a lost version": lambda log: (log / f"{10:020}.json").rename(log / f"{12:020}.json"),
    "half a checkpoint": lambda log: _cut(log / f"{9:020}.checkpoint.parquet"),
    "a stranger's protocol": lambda log: (log / f"{11:020}.json").write_text(
        '{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7}}\n'
    ),
    "a stranger's rows": lambda log: (log / f"{11:020}.json").write_text(
        '{"add": {"path": "x.parquet", "partitionValues": {"month": "2026-11"}, "size": 7}}\n'
    ),
}


@pytest.fixture(scope="module")
def of_versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake whose Delta tables have the versions 0 to 10, and a checkpoint at version 9.
    Returns the lake's path."""
    lake = tmp_path_factory.mktemp("versions") / "lake"
    for number, path in enumerate(make_logs(lake.parent / "logs", 11)):
        fill(lake, [path])
        publish(lake)
        assert Table(lake / "jobs").version == number
    assert (lake / "jobs" / "_delta_log" / f"{9:020}.checkpoint.parquet").exists()
    return lake


@pytest.mark.parametrize("what", turning(list(DAMAGE), 0.3, "delta damage"))
def test_a_damaged_log_is_made_anew(what: str, of_versions: Path, tmp_path: Path) -> None:
    """If the Delta log of a table is damaged, the next publishing process writes a new one from the
    lake, and no file of the lake is removed before."""
    lake = tmp_path / "lake"
    shutil.copytree(of_versions, lake)
    equal(lake)
    DAMAGE[what](lake / "jobs" / "_delta_log")
    held = [path for path in lake.glob("jobs/month=*/*.parquet")]
    sweep(Snapshot(str(lake)), grace=3600)
    assert all(path.exists() for path in held)
    assert publish(lake).tables == 1
    equal(lake)
    assert publish(lake) == setting.Made()


@pytest.mark.parametrize("what", turning(list(DAMAGE), 0.3, "delta damage and a user"))
def test_a_damaged_log_keeps_no_name(what: str, of_versions: Path, tmp_path: Path) -> None:
    """If the Delta log of a table is damaged when a user is removed, no old version stays, and the
    next publishing process writes a new one."""
    lake = tmp_path / "lake"
    shutil.copytree(of_versions, lake)
    log = lake / "jobs" / "_delta_log"
    DAMAGE[what](log)
    delta_publish.forget(Snapshot(str(lake)))
    assert len(list(log.glob("*.json"))) <= 1
    assert publish(lake).tables == 1
    equal(lake)


def test_versions_and_checkpoints_expire(
    of_versions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old versions before a checkpoint are removed, and so are the entries of files that left the
    table long ago."""
    lake, log = tmp_path / "lake", tmp_path / "lake" / "jobs" / "_delta_log"
    shutil.copytree(of_versions, lake)
    compact(str(lake), schema_of, shape)
    publish(lake)
    assert Table(lake / "jobs", 3).version == 3 and len(Table(lake / "jobs").gone) == 11
    monkeypatch.setattr(delta_publish, "KEPT", -1.0)
    more = make_logs(tmp_path / "logs", 9, first=11)
    for path in more:
        fill(lake, [path])
        publish(lake)
    assert sorted(path.name for path in log.iterdir()) == sorted(
        [*(f"{n:020}.json" for n in (19, 20)), f"{19:020}.checkpoint.parquet", "_last_checkpoint"]
    )
    assert json.loads((log / "_last_checkpoint").read_text())["version"] == 19
    assert not Table(lake / "jobs").gone
    equal(lake)


def test_readers_keep_their_files(tmp_path: Path) -> None:
    """The sweep removes old files, except those of the newest published version, and those that
    were in a version within the grace time."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 8)
    for path in made:
        fill(lake, [path])
    publish(lake)
    compact(str(lake), schema_of, shape)
    one = Table(lake / "jobs")
    sweep(Snapshot(str(lake)), grace=-1)
    assert len(one.read()) == 8  # of the version before the compaction
    publish(lake)
    sweep(Snapshot(str(lake)), grace=3600)
    assert len(one.read()) == 8
    sweep(Snapshot(str(lake)), grace=-1)
    assert not any(path.exists() for path in one.paths)
    equal(lake)
    left = lake / "jobs" / "_delta_log" / ".half"
    left.write_bytes(b"{")
    sweep(Snapshot(str(lake)))
    assert left.exists()
    os.utime(left, (time.time() - 90_000,) * 2)
    sweep(Snapshot(str(lake)))
    assert not left.exists()
    equal(lake)


def test_a_user_is_forgotten(darshan: Run, of_versions: Path, tmp_path: Path) -> None:
    """After `darshan lake prune --user`, no version or checkpoint in the Delta logs contains the
    user's name."""
    lake = tmp_path / "lake"
    shutil.copytree(of_versions, lake)
    setting.switch_on(str(lake), 3600.0)
    assert darshan("lake", "prune", "lake", "--user", "user1").returncode == 0
    whole_text = ""
    for path in lake.glob("*/_delta_log/*"):
        is_checkpoint = path.suffix == ".parquet"
        whole_text += str(pq.read_table(path).to_pylist()) if is_checkpoint else path.read_text()
    assert "user1" not in whole_text and "user2" in whole_text
    equal(lake)
    assert len(Table(lake / "jobs").read()) == 11 - len(range(1, 11, 3))


def test_files_of_an_earlier_release(tmp_path: Path) -> None:
    """Columns that had another name in an earlier release keep their values: files with the old
    names are rewritten before they are published."""
    lake = tmp_path / "lake"
    fill(lake, make_logs(tmp_path / "logs", 4))
    before = table(lake, "jobs")
    renamed = {c.name: c.was for c in columns.tables()["jobs"].columns if c.was}
    assert renamed
    file = Snapshot(str(lake)).of("jobs")[0]
    rows = rows_of(lake / file.path)
    old = rows.rename_columns([renamed.get(name, name) for name in rows.column_names])
    path = f"jobs/month={file.month}/{storage.new_name()}.parquet"
    pq.write_table(old, lake / path)
    more = {**vars(file), "path": path, "bytes": (lake / path).stat().st_size, "hash": ""}
    assert Snapshot(str(lake)).commit(Change("old", [File(**more)], [file]))
    publish(lake)
    equal(lake)
    found = Table(lake / "jobs").read()
    for name in renamed:
        assert sorted(map(str, found[name].to_pylist())) == sorted(
            map(str, before[name].to_pylist())
        )


def test_the_command(darshan: Run, tmp_path: Path) -> None:
    """`darshan lake publish` publishes and starts regular publication; a collector then publishes
    when an hour has passed since the last time; `publish --off` ends that."""
    lake = tmp_path / "lake"
    collect = ["collect", "--into", "lake", "--no-findings", "--workers", "1"]
    made = make_logs(tmp_path / "logs", 3)
    assert darshan(*collect, made[0]).returncode == 0
    assert not published(lake)
    done = darshan("lake", "publish", "lake")
    assert done.returncode == 0 and "8 Delta tables" not in done.stdout, done
    assert f"{len(committed(lake))} Delta tables have a new version" in done.stdout
    equal(lake)
    assert darshan(*collect, made[1]).returncode == 0
    assert len(Table(lake / "jobs").read()) == 1  # less than an hour ago
    mark = json.loads((lake / "_delta.json").read_text())
    (lake / "_delta.json").write_text(json.dumps({**mark, "time": mark["time"] - 3601}))
    assert darshan(*collect, made[2]).returncode == 0
    equal(lake)
    assert "published as Delta tables" in darshan("lake", "info", "lake").stdout
    Table(lake / "jobs").paths[0].rename(tmp_path / "away")
    done = darshan("lake", "check", "lake")
    assert done.returncode == 1 and "a Delta table names it" in done.stderr
    (tmp_path / "away").rename(Table(lake / "jobs").paths[0])
    for wrong in (["publish", "--every", "6h", "--off"], ["info", "--off"]):
        with pytest.raises(SystemExit):
            arguments.lake([*wrong, "lake"])
    assert darshan("lake", "publish", "--off", "lake").returncode == 0
    assert not published(lake)
    setting.Due(str(lake)).publish()
    assert not published(lake) and len(logs(lake)) == 3


@pytest.mark.needs("root", "ordinary-user")
def test_who_may_only_read(tmp_path: Path) -> None:
    """A user who may only read the lake cannot publish: a message says why, and the lake stays as
    it is. A collector that cannot publish collects nevertheless."""
    lake, other = tmp_path / "lake", tmp_path / "other"
    for one in (lake, other):
        fill(one, make_logs(tmp_path / f"logs of {one.name}", 2))
    log = delta_log.Log(str(lake / "jobs"))
    code = (
        "import os, sys\n"
        "from darshan_report.lake.commands import main\n"
        # Imports what publishing needs while the user may still read the environment of root.
        f"main.main('lake', ['publish', {str(other)!r}])\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        f"sys.exit(main.main('lake', ['publish', {str(lake)!r}]))\n"
    )
    for folder in (lake, *lake.parents):
        folder.chmod(folder.stat().st_mode | 0o055)
        if folder == tmp_path.parent.parent:
            break
    for path in lake.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    process = _run(code)
    said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Permission denied" in said[1] and said[1].count("\n") == 1, said
    assert log.newest() == -1


def test_collecting_goes_on(darshan: Run, tmp_path: Path) -> None:
    """If the tables cannot be published, logs are collected nevertheless, and a message says that
    publication failed."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 2)
    fill(lake, made[:1])
    setting.switch_on(str(lake), 0.0)
    (lake / "jobs" / "_delta_log").write_text("no folder")
    done = darshan("collect", "--into", "lake", "--no-findings", "logs")
    assert done.returncode == 0 and "cannot publish Delta tables" in done.stderr
    whole(lake, made)
