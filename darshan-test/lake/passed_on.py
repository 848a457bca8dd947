"""Makes lakes of many file records, in which each job reads a part of the files that the job before
it wrote. The rows are written as tables, without logs, so a million records take seconds."""

from __future__ import annotations

import datetime
import time

import numpy as np
import pyarrow as pa
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Change, Snapshot
from darshan_report.lake.commit.compact import _Output
from darshan_report.lake.write.arrow import schema_of, shape

# Files that each job writes.
FILES = 50
# Jobs whose rows are in memory at a time.
_AT_ONCE = 10_000
_DAY = datetime.date(2026, 11, 2)
_SUM = """SELECT mount, count(*) AS n, sum(POSIX_BYTES_READ) AS r, sum(POSIX_BYTES_WRITTEN) AS w,
  count(DISTINCT name) AS names FROM files_posix GROUP BY mount"""


def _table(name: str, columns: dict[str, object], rows: int) -> pa.Table:
    """Returns a table of the lake with these columns; the others are null. rows: their number."""
    schema = schema_of(name)
    return pa.table(
        [
            pa.array(columns[f.name]).cast(f.type) if f.name in columns else pa.nulls(rows, f.type)
            for f in schema
        ],
        schema=schema,
    )


def _jobs(first: int, jobs: int) -> pa.Table:
    """Returns the rows of some jobs. first: number of the first job. jobs: number of rows."""
    number = np.arange(first, first + jobs)
    begun = (number + 1_762_041_600) * 1_000_000
    return _table("jobs", {
        "log": [f"{n:032x}" for n in number], "day": [_DAY] * jobs,
        "user": [f"user{n % 50}" for n in number], "program": [f"step{n % 20}" for n in number],
        "started": pa.array(begun, pa.timestamp("us", "UTC")),
        "ended": pa.array(begun + 900_000, pa.timestamp("us", "UTC")),
    }, jobs)  # fmt: skip


def _records(first: int, jobs: int, share: float) -> pa.Table:
    """Returns the POSIX records of `jobs` jobs from number `first` on. Each job writes FILES files,
    and reads the fraction `share` of the files that the job before it wrote."""
    taken = int(FILES * share) if share * FILES >= 1 else 0
    each = FILES + taken
    job = np.repeat(np.arange(first, first + jobs), each)
    place = np.tile(np.arange(each), jobs)
    reads = place >= FILES
    file = np.where(reads, (job - 1) * FILES + place - FILES, job * FILES + place)
    if not taken:  # the first file, of some of the jobs
        every = max(1, round(1 / max(share * FILES, 1e-9)))
        reads = (place == 0) & (job % every == 1)
        file = np.where(reads, (job - 1) * FILES, file)
    count = len(job)
    return _table("files_posix", {
        "log": [f"{n:032x}" for n in job], "day": [_DAY] * count,
        "user": [f"user{n % 50}" for n in job], "program": [f"step{n % 20}" for n in job],
        "id": file.astype(np.uint64) + np.uint64(1),
        "name": [f"/scratch/project/run-{n // FILES:07}/part-{n % FILES:03}.h5" for n in file],
        "mount": ["/scratch"] * count, "file_system": ["lustre"] * count,
        "POSIX_BYTES_READ": np.where(reads, 1 << 20, 0),
        "POSIX_BYTES_WRITTEN": np.where(reads, 0, 1 << 20),
        "POSIX_F_WRITE_START_TIMESTAMP": np.where(reads, 0.0, 0.1),
        "POSIX_F_READ_END_TIMESTAMP": np.where(reads, 0.5, 0.0),
    }, count)  # fmt: skip


def make(lake: str, records: int, share: float) -> None:
    """Makes a lake with `records` written files. share: the fraction of the files of a job that the
    next job reads."""
    storage.make(lake, {})
    jobs = records // FILES
    outputs = [
        _Output(lake, name, f"{_DAY:%Y-%m}", schema_of(name), shape(schema_of(name)))
        for name in ("jobs", "files_posix")
    ]
    for first in range(0, jobs, _AT_ONCE):
        some = min(_AT_ONCE, jobs - first)
        outputs[0].write(_jobs(first, some))
        outputs[1].write(_records(first, some, share))
    for output in outputs:
        output.close()
    assert Snapshot(lake).commit(Change("collect", [f for o in outputs for f in o.files]))


def measured(lake: str, times: int = 3) -> tuple[float, float, int]:
    """Runs the query "producers" and a sum over the same records alternately, `times` times each.
    Returns the least processor seconds of the query, those of the sum, and the number of files that
    jobs passed on according to the query."""
    spent: tuple[list[float], list[float]] = ([], [])
    with Asked(lake) as asked:
        for _ in range(times):
            begun = time.process_time()
            found = asked.sql(*query(BY_NAME["producers"], Filters(), {"top": 5000})).rows()
            spent[0].append(time.process_time() - begun)
            begun = time.process_time()
            asked.sql(_SUM)
            spent[1].append(time.process_time() - begun)
    return min(spent[0]), min(spent[1]), sum(row["files"] for row in found)
