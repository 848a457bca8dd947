"""A column of a Delta table whose sum may have more than 64 bits is a decimal, so that engines that
add up 64-bit integers in 64 bits give no wrong sum."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from darshan_report.lake.ask.views import for_spark
from darshan_report.lake.columns import tables
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.compact import compact
from darshan_report.lake.delta import bounds, setting
from darshan_report.lake.write.arrow import schema_of, shape
from darshan_report.lake.write.impossible import MOST_BYTES, MOST_PROCESSES
from logs.content import standard_log
from logs.encode import encode

from .conftest import Run
from .delta import Table
from .rows import make_logs, rows
from .test_commits import fill

BEGUN = 1_700_000_000
WIDE = pa.decimal128(20, 0)


def forged(folder: Path, number: int, share: float = 1.0) -> list[Path]:
    """Writes logs of a user that claim the largest possible number of bytes, or a share of it.
    Returns their paths."""
    folder.mkdir(exist_ok=True)
    paths = []
    for one in range(number):
        log = standard_log({"POSIX": 4}, seed=one, start=(BEGUN, 0), end=(BEGUN + 86_400, 0))
        log.nprocs = MOST_PROCESSES
        records = log.modules[0].records
        for record in records:
            each = int(share * MOST_BYTES) // len(records)
            record.counters["POSIX_BYTES_WRITTEN"] = each  # type: ignore[union-attr]
        paths.append(folder / f"mallory_bad_id{one}-1_1-1-1-1_1.darshan")
        paths[-1].write_bytes(encode(log))
    return paths


def types(lake: Path) -> dict[str, Any]:
    """Returns the type of each column of the published tables jobs and files_posix."""
    return {**Table(lake / "jobs").columns, **Table(lake / "files_posix").columns}


def test_only_sums_that_are_too_large(tmp_path: Path) -> None:
    """With honest logs each integer is one of 64 bits. Forged logs make decimals of the columns
    that they spoil, and of no other; the cells stay."""
    lake = tmp_path / "lake"
    fill(lake, make_logs(tmp_path / "logs", 6))
    setting.publish(Snapshot(str(lake)))
    before = types(lake)
    assert before["bytes_written"] == before["POSIX_BYTES_WRITTEN"] == pa.int64()
    fill(lake, forged(tmp_path / "bad", 3))
    setting.publish(Snapshot(str(lake)))
    after = types(lake)
    spoilt = {name for name, kind in after.items() if kind != before[name]}
    assert spoilt == {"POSIX_BYTES_WRITTEN", "bytes_written", "bytes_written_posix"}
    found = Table(lake / "jobs").read()["bytes_written"]
    assert pc.sum(found).as_py() == sum(row["bytes_written"] for row in rows(lake, "jobs"))
    assert sorted(found.to_pylist()) == sorted(row["bytes_written"] for row in rows(lake, "jobs"))


def test_a_decimal_stays_one(tmp_path: Path) -> None:
    """When the forger's rows are gone, the types remain, because a change of types interrupts
    readers. The same holds when compaction or a damaged Delta log derives the table anew."""
    lake = tmp_path / "lake"
    fill(lake, [*make_logs(tmp_path / "logs", 6), *forged(tmp_path / "bad", 9)])
    setting.publish(Snapshot(str(lake)))
    first = types(lake)
    assert first["bytes_written"] == WIDE
    compact(str(lake), schema_of, shape)
    setting.publish(Snapshot(str(lake)))
    assert types(lake) == first
    for one in ("jobs", "files_posix"):
        newest = sorted((lake / one / "_delta_log").glob("0*.json"))[-1]
        newest.write_bytes(newest.read_bytes()[:40])
    setting.publish(Snapshot(str(lake)))
    assert types(lake) == first


def test_integers_again(tmp_path: Path, darshan: Run) -> None:
    """After the forger's rows were pruned, tables that are published anew have integers again."""
    lake = tmp_path / "lake"
    fill(lake, [*make_logs(tmp_path / "logs", 6), *forged(tmp_path / "bad", 9)])
    found = []
    for command in (("publish",), ("prune", "--user", "mallory"), ("publish", "--off"),
                    ("publish",)):  # fmt: skip
        assert darshan("lake", *command, "lake").returncode == 0
        if command != ("publish", "--off"):
            found.append(types(lake)["bytes_written"])
    assert found == [WIDE, WIDE, pa.int64()]


def test_many_small_claims(tmp_path: Path) -> None:
    """The number of logs counts, not only the largest value: many logs of 1/64 exbibyte each."""
    lake = tmp_path / "lake"
    fill(lake, forged(tmp_path / "bad", 80, 1 / 64))
    setting.publish(Snapshot(str(lake)))
    assert types(lake)["bytes_written"] != WIDE  # 1.25 exbibytes
    for number in range(3):
        fill(lake, again(tmp_path, number))
        setting.publish(Snapshot(str(lake)))
    assert types(lake)["bytes_written"] == WIDE


def again(folder: Path, number: int) -> list[Path]:
    """Writes 40 more logs of 1/64 exbibyte each, with other contents. Returns their paths."""
    made = forged(folder / f"bad{number}", 40, 1 / 64 - 1e-6 * (number + 1))
    return [path.rename(path.with_name(f"mallory_bad_id{number}{place}-1_1-1-1-1_1.darshan"))
            for place, path in enumerate(made)]  # fmt: skip


def test_a_table_of_an_earlier_release(tmp_path: Path) -> None:
    """The files that an earlier release published have no bounds. The next version that differs
    adds them again with their bounds, as files whose rows did not change."""
    lake = tmp_path / "lake"
    fill(lake, forged(tmp_path / "bad", 9))
    setting.publish(Snapshot(str(lake)))
    log = lake / "jobs" / "_delta_log"
    (version,) = log.glob("0*.json")
    lines = [json.loads(line) for line in version.read_text().splitlines()]
    for line in lines:
        line.get("add", {}).pop("tags", None)
        if "metaData" in line:
            schema = line["metaData"]["schemaString"]
            line["metaData"]["schemaString"] = schema.replace(
                '"bytes_written","type":"decimal(20,0)"', '"bytes_written","type":"long"'
            )
    version.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert Table(lake / "jobs").columns["bytes_written"] == pa.int64()
    setting.publish(Snapshot(str(lake)))
    one = Table(lake / "jobs")
    assert one.columns["bytes_written"] == WIDE and len(one.read()) == 9
    assert {add["dataChange"] for add in one.files.values()} == {False}
    setting.publish(Snapshot(str(lake)))
    assert Table(lake / "jobs").version == one.version


@pytest.mark.parametrize("tags", [
    None, {}, {bounds.TAG: "x"}, {bounds.TAG: None}, {bounds.TAG: "[1]"}, {bounds.TAG: '{"a":-1}'},
    {bounds.TAG: '{"a":1.5}'}, {bounds.TAG: '{"a":true}'},
], ids=str)  # fmt: skip
def test_bounds_that_another_program_wrote(tags: Any) -> None:
    """Bounds that are no numbers are not used; the publisher computes them again."""
    assert not bounds.is_known({"tags": tags}) and not bounds.is_known({})
    assert bounds.is_known({"tags": {bounds.TAG: '{"a":1}'}})


@pytest.mark.parametrize("value", [-(1 << 63), -(1 << 62), 1 << 62])
def test_bounds_of_a_file(value: int, tmp_path: Path) -> None:
    """The bound of a column is not below the sum of its amounts, and little above it, also with
    negative values, nulls, and several row groups."""
    path, table = tmp_path / "x.parquet", tables()["jobs"]
    values = [value, None, 7, *[1 << 20] * 5000, None]
    schema = schema_of("jobs")
    some = pa.table({f.name: pa.array(values) if f.name == "bytes_read" else
                     pa.nulls(len(values), f.type) for f in schema})  # fmt: skip
    pq.write_table(some, path, row_group_size=1000)
    with pq.ParquetFile(path) as file:
        found = json.loads(bounds.of_file(file, table))
    exact = sum(abs(one) for one in values if one)
    assert list(found) == ["bytes_read"] and exact <= found["bytes_read"] < exact * 1.000001
    add = {"tags": {bounds.TAG: json.dumps(found)}}
    assert bounds.wide([add]) == {"bytes_read"} and bounds.wide([]) == frozenset()


def test_views_of_spark(tmp_path: Path) -> None:
    """The views for Spark have decimals in the same columns, whether the lake is published or
    not."""
    lake = tmp_path / "lake"
    fill(lake, [*make_logs(tmp_path / "logs", 3), *forged(tmp_path / "bad", 9)])

    def spoilt() -> set[str]:
        (jobs,) = (line for line in for_spark(Snapshot(str(lake))) if "VIEW `jobs`" in line)
        return {part.split("`")[1] for part in jobs.split(",") if "DECIMAL(20" in part}

    assert spoilt() == {"bytes_written", "bytes_written_posix"}
    setting.publish(Snapshot(str(lake)))
    assert spoilt() == {"bytes_written", "bytes_written_posix"}
