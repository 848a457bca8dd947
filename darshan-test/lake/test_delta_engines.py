"""Engines of other projects (deltalake, polars, DataFusion, DuckDB, Spark) read the Delta tables of
a lake by their folders; run by `./dev full`."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from darshan_report import lake as lakes
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.commit.sweep import sweep
from darshan_report.lake.delta import setting
from darshan_report.lake.read import files
from darshan_report.lake.write.arrow import schema_of, shape
from darshan_report.lake.write.impossible import MOST_BYTES, MOST_PROCESSES
from darshan_report.lake.write.part import Options, make
from lab.command import finished
from logs.catalogue import good_cases
from logs.content import standard_log
from logs.encode import encode
from sample import seed

from . import delta_engines
from .delta import Table, cells
from .rows import make_logs
from .test_commits import fill
from .test_impossible import BEGUN, mutated

_NEEDS = {"duckdb": "delta:duckdb", "spark": "delta:spark"}
ENGINES = [
    pytest.param(name, marks=pytest.mark.needs(_NEEDS.get(name, "delta:deltalake")))
    for name in delta_engines.ENGINES
]
SECONDS = 500
# Number of logs with impossible values, or with bytes whose sum over logs exceeds 64 bits.
FORGED = 40


def _command(engine: str, lake: Path, *rest: str | Path) -> tuple[list[str], dict[str, str]]:
    """Returns the command that runs delta_engines.py with an engine, and its environment."""
    beside = Path(sys.executable).parent.parent / f"{engine}-delta"
    environment = {**os.environ, "PYTHONPATH": str(beside) if beside.is_dir() else ""}
    environment.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    # Spark keeps Delta's jar there, whatever the user's own folders of Ivy and Maven have.
    environment["SPARK_SUBMIT_OPTS"] = f"-Duser.home={beside / 'home'}"
    script = Path(delta_engines.__file__)
    return [sys.executable, str(script), engine, str(lake), *map(str, rest)], environment


def _forged(folder: Path) -> list[Path]:
    """Makes the logs of a user who wants to spoil the sums of all users; returns their paths."""
    rng, paths = random.Random(seed()), []
    for number in range(FORGED):
        log = mutated(rng, number)
        if number % 2:
            log = standard_log({"POSIX": 4}, seed=number, start=(BEGUN, 0), end=(BEGUN + 86_400, 0))
            log.nprocs = MOST_PROCESSES
            for record in log.modules[0].records:
                each = MOST_BYTES // len(log.modules[0].records)
                record.counters["POSIX_BYTES_WRITTEN"] = each
        paths.append(folder / f"mallory_bad_id{number}-1_1-1-1-1_1.darshan")
        paths[-1].write_bytes(encode(log))
    return paths


def _of_folder(lake: Path) -> list[tuple[str, int, int]]:
    """Returns path, size and time of each file in a lake."""
    return sorted(
        (str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in lake.rglob("*") if p.is_file()
    )


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of all modules in two months, with compacted files, checkpoints, a table whose
    rows were all removed, and the logs of _forged. Returns the lake's path."""
    folder = tmp_path_factory.mktemp("engines")
    lake, made = folder / "lake", make_logs(folder / "logs", 24)
    for first in range(0, 24, 2):
        fill(lake, made[first : first + 2])
        setting.publish(Snapshot(str(lake)))
        if first == 16:
            compact(str(lake), schema_of, shape)
    for case in good_cases():
        if not case.name.startswith(("good-many", "good-names-many")):
            (folder / case.name).write_bytes(encode(case.log))
    paths = [*sorted(folder.glob("good-*")), *_forged(folder)]
    found = [files.named(str(path)) for path in paths]
    Publisher(str(lake)).publish(make(found, Options(str(lake), traces=True)))
    setting.publish(Snapshot(str(lake)))
    assert Table(lake / "jobs").version > 10
    return lake


def _same(mine: Any, theirs: Any) -> bool:
    """Returns whether two values are equal; numbers may differ by rounding."""
    if isinstance(mine, (int, float)) and theirs is not None:
        return math.isclose(float(mine), float(theirs), rel_tol=1e-12)
    return str(mine) == str(theirs)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_each_cell(engine: str, lake: Path, tmp_path: Path) -> None:
    """Each engine reads the same rows, cells and query results as the lake has, and writes
    nothing."""
    before = _of_folder(lake)
    names = sorted(path.parent.name for path in lake.glob("*/_delta_log"))
    if engine == "spark":  # takes seconds for each table: one of each type of column
        names = [n for n in names if n in ("dxt", "files_daos", "files_posix", "findings", "jobs")]
    command, environment = _command(engine, lake, tmp_path, *names)
    done = finished(command, cwd=tmp_path, env=environment, timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert _of_folder(lake) == before
    for name in names:
        one = Table(lake / name)
        mine = one.read()
        with pa.memory_map(str(tmp_path / f"{name}.arrow")) as source:
            theirs = pa.ipc.open_file(source).read_all()
        assert sorted(theirs.column_names) == sorted(mine.column_names), name
        assert len(theirs) == len(mine), name
        for column, kind in one.columns.items():
            schema = pa.schema([(column, kind)])
            found = cells(theirs.select([column]).cast(schema))
            assert found == cells(mine.select([column])), (name, column)
    answers = json.loads((tmp_path / "answers.json").read_text())
    with lakes.open(lake) as opened:
        for query, found in zip(delta_engines.QUERIES, answers):
            wanted = opened.sql(query).rows()
            spoilt = [row["bytes"] for row in wanted if row["user"] == "mallory" and "bytes" in row]
            assert all(found >= 1 << 63 for found in spoilt)
            assert len(wanted) == len(found) >= 2
            for want, row in zip(wanted, found):
                assert list(row) == list(want)
                assert all(_same(want[name], row[name]) for name in want), (want, row)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_meanwhile(engine: str, tmp_path: Path) -> None:
    """While logs are collected and files compacted, each engine always finds each committed log
    once."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 22)
    fill(lake, made[:2])
    setting.publish(Snapshot(str(lake)))
    command, environment = _command(engine, lake, "watch")
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout
        last = 2
        for first in range(2, 22, 2):
            process.stdin.write("again\n")
            process.stdin.flush()
            fill(lake, made[first : first + 2])
            if first % 4 == 0:
                compact(str(lake), schema_of, shape)
            setting.publish(Snapshot(str(lake)))
            sweep(Snapshot(str(lake)), grace=3600)
            rows, logs = map(int, process.stdout.readline().split())
            assert last <= rows == logs <= first + 2
            last = rows
        process.stdin.write("again\n")
        process.stdin.close()
        assert process.stdout.readline().split() == ["22", "22"]
        assert process.wait(SECONDS) == 0
