"""Every cell of a lake equals what darshan-parser prints for the log; impossible values are
null."""

from __future__ import annotations

import math
import subprocess
import time
import uuid
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from darshan_report import module_by_name, open_log
from darshan_report.lake import columns
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, make
from darshan_report.structs import Kind
from darshan_report.variable import heat_maps, layouts, traces
from lab.log import parsed, rows_in
from logs.catalogue import good_cases
from logs.encode import encode
from sample import turning
from tree import real_log_paths

from .rows import identity, logs, rows

# Unix time of the start of the year 2000.
FIRST = 946_684_800
SMALL = [c for c in good_cases() if not c.name.startswith(("good-many", "good-names-many"))]
CASES = turning(SMALL, 0.12, "lake cells")
REAL = turning(real_log_paths(), 0.2, "lake cells")
# (rank, record id, counter, value, mount point, file system), as darshan-parser prints them.
Cell = tuple[int, str, str, str, str, str]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Returns the paths of the artificial logs and the real logs."""
    folder = tmp_path_factory.mktemp("logs")
    for case in CASES:
        (folder / case.name).write_bytes(encode(case.log))
    return [*sorted(folder.iterdir()), *REAL]


@pytest.fixture(scope="module")
def lake(paths: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of all logs with the smallest file size, so that the rows of each log are in
    several files. Returns the lake's path."""
    where = tmp_path_factory.mktemp("lake") / "lake"
    storage.make(str(where), {})
    options = Options(str(where), traces=True, findings=False, batch_bytes=200_000)
    part = make([files.named(str(path)) for path in paths], options)
    Publisher(str(where)).publish(part)
    return where


def printed(parser: Path, log: Path, *options: str) -> dict[str, list[Cell]]:
    """Returns the cells that darshan-parser prints for a log, by module. options: for
    darshan-parser instead of --base --show-incomplete."""
    found: dict[str, list[Cell]] = defaultdict(list)
    for row in rows_in(parsed(parser, log, *(options or ("--base", "--show-incomplete")))):
        cell = (row.rank, str(row.record), row.counter, row.text, row.mount, row.kind)
        found[row.module].append(cell)
    return found


def can_be(text: str, column: columns.Column) -> bool:
    """Returns whether a printed value is possible for a program that ran for a minute. column: of
    the lake, with its unit and rule."""
    if column.type == columns.NUMBER and not math.isfinite(float(text)):
        return False
    value = float(text)
    added = column.rule.startswith("sum") or column.unit == "count"
    if value < 0 and value != -1 and (added or column.unit.startswith("seconds")):
        return False
    return not added or value < (1e16 if column.type == columns.NUMBER else 1e13)


def shown(value: Any, column: columns.Column) -> str:
    """Returns the value of a lake's cell as darshan-parser prints it; None becomes -1, which the
    parser prints for an unknown value."""
    if value is None:
        value = -1.0 if column.type == columns.NUMBER else -1
    return f"{value:f}" if column.type == columns.NUMBER else str(value)


def signed(text: str) -> str:
    """Returns the text of a cell, with "-1.000000" for "-0.000000": the parser prints the latter
    for negative zero and for tiny negative times, which are null in the lake."""
    return "-1.000000" if text == "-0.000000" else text


def cells(found: list[dict[str, Any]], module: str) -> list[Cell]:
    """Returns the rows of a module in the lake as cells. found: the rows of one log."""
    known = module_by_name(module)
    assert known is not None
    counters = [columns.counter_column(c) for c in (*known.counters, *known.fcounters)]
    made = []
    for row in found:
        place = (row["mount"] or "UNKNOWN", row["file_system"] or "UNKNOWN")
        if known.kind in (Kind.DFS, Kind.DAOS):
            pool, container = (uuid.UUID(bytes=row[n]) for n in ("pool_uuid", "cont_uuid"))
            known_place = known.kind is Kind.DAOS or (pool.int and container.int)
            place = (f"{pool}:{container}" if known_place else "UNKNOWN", "N/A")
        values = [(c.name, signed(shown(row[c.name], c))) for c in counters]
        if known.kind is Kind.FILE_COUNTERS:
            name = f"{known.counters[0].name.rpartition('_')[0]}_FILE_REC_ID"
            values.append((name, str(row["file_rec_id"])))
        made += [(row["rank"], str(row["id"]), *value, *place) for value in values]
    return made


def expected(found: list[Cell], module: str) -> list[Cell]:
    """Returns the cells that the lake must have: the printed ones, with -1 in place of impossible
    values."""
    known = module_by_name(module)
    assert known is not None
    columns_of = {c.name: columns.counter_column(c) for c in (*known.counters, *known.fcounters)}
    made = []
    for rank, record, counter, text, mount, kind in found:
        column = columns_of.get(counter)
        bad = column is not None and not can_be(text, column)
        value = shown(None, column) if column is not None and bad else text
        made.append((rank, record, counter, signed(value), mount, kind))
    return made


def by_log(lake: Path, table: str) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of a table by their log."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(lake, table):
        found[row["log"]].append(row)
    return found


def test_every_cell(lake: Path, paths: list[Path], parser: Path) -> None:
    """Values, ids and mount points of all records are right, for logs that are read in pieces, both
    byte orders, and every version of every module."""
    modules = [m for m in columns.modules() if m.fixed and m.name != "BG/Q"]
    tables = {m.name: by_log(lake, columns.record_table(m).name) for m in modules}
    compared = 0
    for path in paths:
        want = printed(parser, path)
        for module, found in tables.items():
            got = cells(found.get(identity(path), []), module)
            wanted = expected(want.get(module, []), module)
            assert sorted(got) == sorted(wanted), (path.name, module)
            compared += len(got)
    assert compared > 1_000


def test_names_are_those_of_the_log(lake: Path, paths: list[Path]) -> None:
    """Names in the lake are those of the log; bytes that are not UTF-8 are escaped without loss."""
    found = by_log(lake, "files_posix")
    compared = 0
    for path in paths:
        with open_log(path) as log:
            for row in found.get(identity(path), []):
                name = log.name(row["id"])
                raw = None if name is None else name.encode("utf-8", "surrogateescape")
                assert row["name"] == (
                    None if raw is None else raw.decode(errors="backslashreplace")
                )
                compared += 1
    assert compared > 10


def test_totals_are_those_of_the_parser(lake: Path, paths: list[Path], parser: Path) -> None:
    """A table of totals has one value for each log and counter, as `darshan-parser --total` prints
    it, also for a log that was read in pieces. The value is null if that of a record is null."""
    compared = 0
    nulled = {(r["log"], r["module"], r["counter"]) for r in rows(lake, "problems")}
    for module, prefix in (("POSIX", "POSIX"), ("MPI-IO", "MPIIO"), ("STDIO", "STDIO")):
        known = module_by_name(module)
        assert known is not None
        table = columns.total_table(known)
        found = by_log(lake, table.name)
        for path in paths:
            done = subprocess.run(
                [parser, "--total", "--show-incomplete", path], capture_output=True, check=True
            )
            lines = (line.split(": ") for line in done.stdout.decode(errors="replace").split("\n"))
            want = {x[0]: x[1] for x in lines if x[0].startswith(f"total_{prefix}_")}
            rows_of = found.get(identity(path), [])
            assert len(rows_of) == bool(want), (path.name, module)
            for column in table.columns[len(columns.WHOSE) + 1 :] if want else ():
                value = rows_of[0][column.name]
                if (identity(path), module, column.name) in nulled:
                    assert value is None
                    continue
                # a sum of "not recorded" over ranks
                if value is None and float(want[f"total_{column.name}"]) < 0:
                    continue
                assert shown(value, column) == want[f"total_{column.name}"]
                compared += 1
    assert compared > 100


def test_heat_maps_traces_and_layouts(lake: Path, paths: list[Path]) -> None:
    """The tables have a row for each bin of a heat map that has bytes, for each segment of a trace,
    and for each component of a Lustre layout."""
    bins, segments, components = (by_log(lake, t) for t in ("heatmap", "dxt", "files_lustre"))
    for path in paths:
        key = identity(path)
        with open_log(path) as log:
            want_bins = [
                (m.rank, i, int(m.read[i]), int(m.write[i]))
                for m in heat_maps(log)
                for i in range(len(m.read))
                if m.read[i] or m.write[i]
            ]
            got_bins = [
                (r["rank"], r["bin"], r["bytes_read"], r["bytes_written"])
                for r in bins.get(key, [])
            ]
            assert sorted(got_bins) == sorted(want_bins), path.name
            want_parts = [
                (module.replace("DXT_", "").replace("MPIIO", "MPI-IO"), t.rank, t.id, kind,
                 int(s["offset"]), int(s["length"]), float(s["start_time"]))
                for module in columns.TRACES
                for t in traces(log, module)
                for kind, some in (("write", t.writes), ("read", t.reads))
                for s in some
            ]  # fmt: skip
            got_parts = [
                (r["layer"], r["rank"], r["id"], r["operation"], r["at"], r["length"],
                 r["start_seconds"])
                for r in segments.get(key, [])
            ]  # fmt: skip
            assert repr(sorted(got_parts)) == repr(sorted(want_parts)), path.name
            want_stripes = sum(len(x.osts) for x in layouts(log))
            got_stripes = [r["osts"].split(",") for r in components.get(key, []) if r["osts"]]
            assert sum(map(len, got_stripes)) == want_stripes, path.name


def test_jobs_say_what_the_log_says(lake: Path, paths: list[Path]) -> None:
    """Each readable log has a row in jobs, in the partition of its month."""
    assert logs(lake) == sorted({identity(path) for path in paths})
    found = {row["log"]: row for row in rows(lake, "jobs")}
    for path in paths:
        row = found[identity(path)]
        with open_log(path) as log:
            info = log.info
            assert (row["uid"], row["job_id"], row["nprocs"]) == (
                info.uid, info.jobid, info.nprocs,
            )  # fmt: skip
            assert row["path"] == str(path) and row["log_bytes"] == path.stat().st_size
            known = info.run_time >= 0 and all(
                not t or FIRST <= t <= time.time() + 86_400 for t in (info.start, info.end)
            )
            assert row["run_seconds"] == (info.run_time if known else None)
            if row["started"] is not None:
                assert abs(row["started"].timestamp() - info.start) < 1e-5
                assert row["started"].date() == row["day"]


def test_metadata_tell_units_and_rules(lake: Path) -> None:
    """The metadata of the Parquet file describe the column of every counter."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - what it is about

    from .rows import committed  # noqa: PLC0415

    schema = pq.read_schema(lake / committed(lake)["files_posix"][0])
    module = module_by_name("POSIX")
    assert module is not None
    for counter in (*module.counters, *module.fcounters):
        said = {k.decode(): v.decode() for k, v in schema.field(counter.name).metadata.items()}
        assert (said.get("unit", ""), said["rule"]) == (counter.unit, counter.rule)
        assert said["meaning"] == counter.meaning
