"""Makes a lake of very many jobs from a small lake: copies each row with other log identities,
days, users and programs."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Change, File, Snapshot

from .rows import committed

TABLES = ("jobs", "layers", "findings", "files_posix", "files_stdio")
PROGRAMS, USERS, DAYS = 100, 97, 84
FIRST = "2026-08-24"  # a Monday

# n is the number of the copy; all rows of a log have the same n, in all tables.
_MORE = {
    "log": "md5(log || n)",
    "day": f"(DATE '{FIRST}' + (n % {DAYS})::INTEGER)",
    "user": f"'user' || (n % {USERS})",
    "program": f"'program' || (n % {PROGRAMS})",
}
_JOBS = {
    "started": f"(DATE '{FIRST}' + (n % {DAYS})::INTEGER)::TIMESTAMPTZ + to_seconds(n % 86000)",
    "job_id": "n",
}


def _copied(database: duckdb.DuckDBPyConnection, small: Path, large: Path, name: str) -> None:
    """Writes many copies of a table of the small lake to the large one. name: of the table."""
    files = [str(small / f) for f in committed(small).get(name, [])]
    if not files:
        return
    known = {**_MORE, **(_JOBS if name == "jobs" else {})}
    replaced = ", ".join(f'{sql} AS "{column}"' for column, sql in known.items())
    database.execute(
        f"""COPY (SELECT * REPLACE ({replaced}), strftime({_MORE["day"]}, '%Y-%m') AS month
        FROM read_parquet({files}, hive_partitioning = false) CROSS JOIN copies)
        TO '{large / name}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (month))"""
    )


def make_many(small: Path, large: Path, copies: int) -> None:
    """Copies each log of the lake `small` `copies` times into the new lake `large`, with the tables
    TABLES only."""
    storage.make(str(large), {})
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    database.execute(f"CREATE TABLE copies AS SELECT range AS n FROM range({copies})")
    files = []
    for name in TABLES:
        _copied(database, small, large, name)
        for path in sorted((large / name).glob("month=*/*.parquet")):
            rows = pq.read_metadata(path).num_rows
            relative = str(path.relative_to(large))
            files.append(File(name, relative, rows, path.stat().st_size, FIRST, "2026-11-15"))
    assert Snapshot(str(large)).commit(Change("collect", files))
