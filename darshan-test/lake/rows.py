"""Reads the tables of a lake with pyarrow alone, and makes logs to collect."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from logs.content import standard_log
from logs.encode import encode


def identity(path: Path) -> str:
    """Returns the identity that a log has in the column `log` of the tables: 32 hexadecimal
    digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def committed(lake: Path) -> dict[str, list[str]]:
    """Returns the paths of the lake's current files, relative to the lake, by table. Applies the
    commits as doc/centre.md describes."""
    files: dict[str, str] = {}
    for path in sorted((lake / "_commits").glob("*.json")):
        if path.name.endswith(".state.json"):
            continue
        commit = json.loads(path.read_text())
        for gone in commit["remove"]:
            del files[gone]
        for file in commit["add"]:
            assert file["path"] not in files
            files[file["path"]] = file["table"]
    found: dict[str, list[str]] = {}
    for file, table in files.items():
        found.setdefault(table, []).append(file)
    return found


def table(lake: Path, name: str) -> pa.Table:
    """Returns all rows of a table; a table without columns if it has no file."""
    files = committed(lake).get(name, [])
    parts = [pq.read_table(lake / f, partitioning=None) for f in files]
    return pa.concat_tables(parts) if parts else pa.table({})


def rows(lake: Path, name: str) -> list[dict[str, Any]]:
    """Returns all rows of a table as dicts."""
    return table(lake, name).to_pylist()


def logs(lake: Path) -> list[str]:
    """Returns the identities of the logs in the table jobs, sorted; a log that has two rows occurs
    twice."""
    return sorted(row["log"] for row in rows(lake, "jobs"))


def make_logs(folder: Path, count: int, first: int = 0) -> list[Path]:
    """Writes `count` small different logs, one per day, and returns their paths. first: the number
    of the first log; logs with different numbers differ."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number in range(first, first + count):
        begun = 1_700_000_000 + number * 86_400
        log = standard_log(
            {"POSIX": 4, "STDIO": 2}, seed=number, start=(begun, 0), end=(begun + 60, 0)
        )
        path = (
            folder / f"user{number % 3}_program{number % 5}_id{number}-{number}_1-1-1-1_1.darshan"
        )
        path.write_bytes(encode(log))
        made.append(path)
    return made


def whole(lake: Path, wanted: Iterable[Path]) -> None:
    """Checks that the table jobs has each of these logs once and no other, that all committed files
    exist, and that the rows of other tables are of logs in jobs or problems."""
    assert logs(lake) == sorted(identity(path) for path in wanted)
    known = set(logs(lake)) | {row["log"] for row in rows(lake, "problems")}
    for name, files in committed(lake).items():
        for file in files:
            assert (lake / file).is_file(), file
        assert {row["log"] for row in rows(lake, name)} <= known, name
