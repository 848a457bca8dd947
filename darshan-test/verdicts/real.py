"""Logs of other people's runs, and what a reader of their counters would say first: logs.tsv."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judge import problems_of
from tree import SOURCE, real_log_paths

TABLE = Path(__file__).resolve().parent / "logs.tsv"
NONE = "none"  # no problem


@dataclass(frozen=True)
class Expected:
    """A line of the table."""

    log: str
    findings: frozenset[str]  # that are right as the first
    why: str


def expected() -> dict[str, Expected]:
    """By the log's file name."""
    lines = [line for line in TABLE.read_text().splitlines() if line[:1] != "#"]
    rows = [line.split("\t") for line in lines]
    return {log: Expected(log, frozenset(names.split()), why) for log, names, why in rows}


def _of_pydarshan() -> Iterator[Path]:
    """Logs that come with PyDarshan, wherever it is installed."""
    found = importlib.util.find_spec("darshan")
    for place in found.submodule_search_locations or () if found else ():
        yield from sorted(Path(place).rglob("*.darshan"))


def logs() -> list[tuple[Expected, Path]]:
    """What is judged and is there, each once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths = real_log_paths()
    beside = sorted((SOURCE.parent / "shared" / "logs-apmpi").glob("*.darshan"))
    where = {path.name: path for path in [*_of_pydarshan(), *beside, *paths]}
    return [(row, where[name]) for name, row in expected().items() if name in where]


def name_of(row: Expected) -> str:
    """As rows are called."""
    return f"log/{row.log}"


def wrong(build: Path, row: Expected, log: Path) -> str:
    """What is wrong with the first problem that the report tells; nothing if it is right."""
    first = next((f.name for f in problems_of(build, log)), NONE)
    if first in row.findings:
        return ""
    return f"wrong: {first}" if first != NONE else "silent"
