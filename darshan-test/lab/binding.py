"""Reads logs through the Python binding: records as dictionaries, by module and by file. The
conftest.py of a test folder calls tree.use_binding() before it imports this module."""

from __future__ import annotations

from pathlib import Path

from darshan_report import open_log

# A record: its counters, and "id" and "rank", by name.
Row = dict[str, float]


def rows(log: Path, module: str) -> list[Row]:
    """Returns the records of a module (such as "POSIX") in a log."""
    with open_log(log) as opened:
        array = opened.records(module).array
        return [{name: row[name].item() for name in array.dtype.names} for row in array]


def names(log: Path) -> dict[int, str]:
    """Returns the names of a log's records by their ids. The name of a file's record is its
    path."""
    with open_log(log) as opened:
        return dict(opened.names())


def metadata(log: Path) -> dict[str, str]:
    """Returns the metadata of a log: the values by their keys."""
    with open_log(log) as opened:
        return dict(opened.info.metadata)


def of_file(log: Path, path: Path, module: str = "POSIX") -> list[Row]:
    """Returns the records of a module for one file: one for each rank that has a record of it, or
    one of all ranks."""
    known = names(log)
    return [row for row in rows(log, module) if known[int(row["id"])] == str(path)]


def processes(log: Path) -> dict[str, Row]:
    """Returns the records of module PROCESS. A key is the record's name without the name of the
    host and the colon in front of it."""
    known = names(log)
    return {known[int(row["id"])].split(": ", 1)[1]: row for row in rows(log, "PROCESS")}
