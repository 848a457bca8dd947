"""Logs of other users' runs, and the finding that should come first for each: logs.tsv."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.findings import findings_of, problems
from tree import SOURCE, real_log_paths

TABLE = Path(__file__).resolve().parent / "logs.tsv"
NONE = "none"  # no problem


@dataclass(frozen=True)
class Expected:
    """A line of the table."""

    log: str
    findings: frozenset[str]  # findings that are right as the first one
    why: str


def expected() -> dict[str, Expected]:
    """Returns the lines by the log's file name."""
    lines = [line for line in TABLE.read_text().splitlines() if line[:1] != "#"]
    rows = [line.split("\t") for line in lines]
    return {log: Expected(log, frozenset(names.split()), why) for log, names, why in rows}


def _of_pydarshan() -> Iterator[Path]:
    """Yields the logs that come with PyDarshan, if it is installed."""
    found = importlib.util.find_spec("darshan")
    for place in found.submodule_search_locations or () if found else ():
        yield from sorted(Path(place).rglob("*.darshan"))


def logs() -> list[tuple[Expected, Path]]:
    """Returns the available logs with their lines, each once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths = real_log_paths()
    beside = sorted((SOURCE.parent / "shared" / "logs-apmpi").glob("*.darshan"))
    where = {path.name: path for path in [*_of_pydarshan(), *beside, *paths]}
    return [(row, where[name]) for name, row in expected().items() if name in where]


def name_of(row: Expected) -> str:
    """Returns the name of a log in the form of a row's name."""
    return f"log/{row.log}"


def wrong(build: Path, row: Expected, log: Path) -> str:
    """Returns the error in the first reported problem, or an empty string."""
    first = next((f.name for f in problems(findings_of(build, log))), NONE)
    if first in row.findings:
        return ""
    return f"wrong: {first}" if first != NONE else "silent"
