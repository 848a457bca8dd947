"""Reads logs through the Python binding: records as dictionaries, by module and by file.

The conftest.py of a test folder calls tree.use_binding() before it imports this."""

from __future__ import annotations

from pathlib import Path

from darshan_report import open_log

Row = dict[str, float]


def rows(log: Path, module: str) -> list[Row]:
    with open_log(log) as opened:
        array = opened.records(module).array
        return [{name: row[name].item() for name in array.dtype.names} for row in array]


def names(log: Path) -> dict[int, str]:
    with open_log(log) as opened:
        return dict(opened.names())


def metadata(log: Path) -> dict[str, str]:
    with open_log(log) as opened:
        return dict(opened.info.metadata)


def of_file(log: Path, path: Path, module: str = "POSIX") -> list[Row]:
    known = names(log)
    return [row for row in rows(log, module) if known[int(row["id"])] == str(path)]


def processes(log: Path) -> dict[str, Row]:
    """Returns the records of PROCESS of a log, by their names without the host."""
    known = names(log)
    return {known[int(row["id"])].split(": ", 1)[1]: row for row in rows(log, "PROCESS")}
