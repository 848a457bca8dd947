#!/usr/bin/env python3
"""Makes the lake of a large centre from a small lake, for bench/centre_pages.py.

    python3 darshan-test/bench/large_centre.py SMALL-LAKE LARGE-LAKE --jobs 10000000

Each day of a year has the same number of jobs, which are copies of those of the small lake: other
logs, of other users and programs, at the same time of the day. The files are those that `darshan
lake compact` would make. To save hours and disk space, some tables have fewer rows than a real
lake: records of files (--records), and lines of code (--lines), which are invented, 20 for each job
that has any."""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "pyarrow", "darshan_report")

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.cluster import clustered
from darshan_report.lake.commit.commits import Change, Snapshot
from darshan_report.lake.commit.compact import _as, _Output
from darshan_report.lake.write.arrow import schema_of, shape

# Most copies of each user and of each program.
_USERS, _PROGRAMS = 40, 25
# Invented lines of code per job.
_LINES = 20
# First day of the large lake.
_FIRST = datetime.date(2025, 12, 1)
_DAY = 86_400_000_000  # microseconds
# Tables that are copied for all jobs.
_WHOLE = ("jobs", "layers", "findings")
# Tables that are copied for some jobs.
_RECORDS = ("files_posix", "files_stdio")


def _read(lake: str, name: str) -> pa.Table:
    """Returns all rows of a table of a lake."""
    files = Snapshot(lake).of(name)
    parts = [pq.ParquetFile(os.path.join(lake, file.path)).read() for file in files]
    return pa.concat_tables(_as(part, schema_of(name)) for part in parts).unify_dictionaries()


def _of_one_day(table: pa.Table) -> pa.Table:
    """Returns the rows of a table whose column "day" is not null."""
    return table.filter(pc.is_valid(table["day"])).combine_chunks()


def _texts(array: pa.DictionaryArray, suffix: str) -> pa.DictionaryArray:
    """Returns the texts with a suffix."""
    texts = pc.binary_join_element_wise(array.dictionary.cast(pa.string()), suffix, "")
    return pa.DictionaryArray.from_arrays(array.indices, texts.cast(array.dictionary.type))


class Base:
    """The rows of one table of the small lake, from which the copies are made."""

    def __init__(self, name: str, rows: pa.Table) -> None:
        self.name, self.rows = name, _of_one_day(rows)
        logs = self._column("log").dictionary.cast(pa.string()).to_pylist()
        self._first = np.array([int(log[:8], 16) for log in logs], np.uint32)
        self._rest = [log[8:] for log in logs]

    def _column(self, name: str) -> pa.DictionaryArray:
        return self.rows[name].combine_chunks()

    def copy(self, day: datetime.date, number: int, most: float) -> pa.Table:
        """Returns a copy of the rows, moved to a day. number: of the copy on that day; it gives the
        logs, users and programs other names. most: the fraction of the logs whose rows are copied;
        at 1 or more all."""
        mask = zlib.crc32(f"{day} {number}".encode())
        kept = self.rows
        first = self._first ^ np.uint32(mask)
        if most < 1:
            some = (first < most * 2**32)[self._column("log").indices.to_numpy()]
            kept = kept.filter(pa.array(some)).combine_chunks()
            if not len(kept):
                return kept
        logs = [f"{one:08x}{rest}" for one, rest in zip(first.tolist(), self._rest)]
        log = kept["log"].combine_chunks()
        values = {name: kept[name] for name in kept.column_names}
        values["log"] = pa.DictionaryArray.from_arrays(
            log.indices, pa.array(logs, log.dictionary.type)
        )
        values["user"] = _texts(kept["user"].combine_chunks(), f"{mask % _USERS}")
        values["program"] = _texts(kept["program"].combine_chunks(), f"-{mask // 64 % _PROGRAMS}")
        days = np.full(len(kept), (day - datetime.date(1970, 1, 1)).days, np.int32)
        values["day"] = pa.array(days).cast(pa.date32())
        if self.name == "jobs":
            self._move(values, kept, int(days[0]) * _DAY)
        return pa.table(values).cast(kept.schema)

    def _move(self, values: dict[str, pa.Array], kept: pa.Table, midnight: int) -> None:
        """Moves the times of the rows to another day, in values. midnight: its begin in
        microseconds since 1970."""
        unit = kept["started"].type
        begun, ended = (pc.cast(kept[n], pa.int64()) for n in ("started", "ended"))
        scale = _DAY // {"s": 1_000_000, "ms": 1000, "us": 1}[unit.unit]
        moved = pc.subtract(begun, pc.multiply(pc.divide(begun, scale), scale))
        start = pc.add(moved, midnight * scale // _DAY)
        values["ended"] = pc.cast(pc.add(start, pc.subtract(ended, begun)), unit)
        values["started"] = pc.cast(start, unit)


def invented_lines(jobs: pa.Table) -> pa.Table:
    """Returns invented lines of code, _LINES for each job of this table, as rows of the lake's
    table "sites"."""
    count = len(jobs) * _LINES
    which = np.repeat(np.arange(len(jobs)), _LINES)
    number = np.tile(np.arange(1, _LINES + 1), len(jobs))
    draw = np.random.default_rng(1)
    program = jobs["program"].combine_chunks().take(pa.array(which))
    files = pc.binary_join_element_wise(
        "/home/someone/code/", program.cast(pa.string()),
        pa.array([f"part{n % 7}.py" for n in number]), "/",
    )  # fmt: skip
    seconds = draw.lognormal(-2, 2, count)
    values = {
        **{n: jobs[n].take(pa.array(which)) for n in ("log", "day", "user", "program")},
        "number": number, "file": files, "line": number * 13, "seconds": seconds,
        "function": pa.array([f"step_{n}" for n in number]), "gap_seconds": seconds / 10,
        "called": pa.array(["read" if n % 3 else "write" for n in number]),
        "calls": draw.integers(1, 10_000, count), "bytes_read": draw.integers(0, 2**30, count),
        "bytes_written": draw.integers(0, 2**30, count), "sites": np.ones(count, np.int64),
    }  # fmt: skip
    schema = schema_of("sites")
    return pa.table([
        pa.array(values[f.name]).cast(f.type) if f.name in values and not isinstance(
            values[f.name], pa.ChunkedArray) else values[f.name].cast(f.type)
        if f.name in values else pa.nulls(count, f.type) for f in schema
    ], schema=schema)  # fmt: skip


def _copies(base: Base, days: list[datetime.date], jobs: int, whole: int, part: float) -> Iterator[
    pa.Table
]:  # fmt: skip
    """Yields the copies of a table's rows for these days. jobs: per day; whole: of the small lake;
    part: fraction of the logs."""
    for day in days:
        number, left = 0, jobs
        while left > 0:
            yield base.copy(day, number, part * min(1.0, left / whole))
            number, left = number + 1, left - whole


def _months(days: int) -> dict[str, list[datetime.date]]:
    """Returns the days of each month. days: their number from _FIRST on."""
    found: dict[str, list[datetime.date]] = {}
    for number in range(days):
        day = _FIRST + datetime.timedelta(days=number)
        found.setdefault(f"{day:%Y-%m}", []).append(day)
    return found


def main() -> None:
    """Parses the command line and makes the lake."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("small")
    options.add_argument("large")
    options.add_argument("--jobs", type=int, default=10_000_000)
    options.add_argument("--days", type=int, default=365)
    options.add_argument("--records", type=float, default=0.1, help="share of the logs")
    options.add_argument("--lines", type=float, default=0.02, help="share of the logs")
    chosen = options.parse_args()
    storage.make(chosen.large, {})
    bases = [Base(name, _read(chosen.small, name)) for name in (*_WHOLE, *_RECORDS)]
    whole = len(bases[0].rows)
    bases.append(Base("sites", invented_lines(bases[0].rows)))
    share = dict.fromkeys(_RECORDS, chosen.records) | {"sites": chosen.lines}
    for base in bases:
        begun = time.process_time()
        schema, made = schema_of(base.name), []
        for month, days in _months(chosen.days).items():
            output = _Output(chosen.large, base.name, month, schema, shape(schema))
            copies = _copies(base, days, chosen.jobs // chosen.days, whole,
                             share.get(base.name, 1.0))  # fmt: skip
            for rows in clustered(copies, output.group):
                output.write(rows)
            output.close()
            made += output.files
        assert Snapshot(chosen.large).commit(Change("collect", made))
        rows, size = sum(f.rows for f in made), sum(f.bytes for f in made)
        left = shutil.disk_usage(chosen.large).free >> 30
        print(f"{base.name}: {rows:,} rows, {size >> 20:,} MiB, {len(made)} files, "
              f"{time.process_time() - begun:.0f} s of processors; {left} GiB left",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
