"""Runs a command with or without the runtime, and reads the rows of its logs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from calls.run_case import environment
from left import left_in

SECONDS = 120
BY_MAXIMUM = ("_TIMESTAMP", "_MAX_BYTE_READ", "_MAX_BYTE_WRITTEN")
RECORD_ID = "record id"  # among the counters of a row

Rows = dict[tuple[str, str], dict[str, float]]


@dataclass
class Observed:
    """The output and the logs of a command."""

    status: int
    stdout: str
    stderr: str
    logs: list[Path] = field(default_factory=list)
    journals: list[Path] = field(default_factory=list)


def without_ours() -> dict[str, str]:
    """Returns the environment without any variable that instruments."""
    ours = ("DARSHAN_", "DXT_", "LD_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def finish(command: Sequence[str | Path], work: Path, env: Mapping[str, str]) -> Observed:
    """Runs a command to its end, with empty standard input."""
    done = subprocess.run(
        command,
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Observed(done.returncode, done.stdout, done.stderr)


def bare(
    command: Sequence[str | Path], work: Path, extra: Mapping[str, str] | None = None
) -> Observed:
    """Runs without the runtime; extra: more variables."""
    return finish(command, work, without_ours() | dict(extra or {}))


def instrumented(
    build: Path,
    command: Sequence[str | Path],
    work: Path,
    logs: Path,
    extra: Mapping[str, str] | None = None,
) -> Observed:
    """Runs with the runtime of a build; logs: a new folder for logs and journals."""
    for part in ("finished", "journals"):
        (logs / part).mkdir(parents=True)
    env = without_ours() | environment(build, logs / "finished", logs / "journals")
    observed = finish(command, work, env | dict(extra or {}))
    observed.journals = left_in(logs / "journals")
    observed.logs = sorted((logs / "finished").rglob("*.darshan"))
    return observed


def read_rows(parser: Path, logs: Sequence[Path]) -> Rows:
    """Returns (module, name) -> counter -> value, over all ranks of all logs."""
    rows: Rows = {}
    for log in logs:
        text = subprocess.run(
            [parser, "--show-incomplete", log],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=120,
            check=True,
        ).stdout
        for line in text.split("\n"):
            if line and not line.startswith("#"):
                add_row(rows, line)
    return rows


def add_row(rows: Rows, line: str) -> None:
    """Adds a data row; counters of records with one name are summed, timestamps are not."""
    module, _rank, record, counter, value, rest = line.split("\t", 5)
    row = rows.setdefault((module, rest.rsplit("\t", 2)[0]), {RECORD_ID: int(record)})
    number = float(value) if "_F_" in counter else int(value)
    if counter not in row:
        row[counter] = number
    elif counter.endswith(BY_MAXIMUM):
        row[counter] = max(row[counter], number)
    elif not counter.endswith("_REC_ID"):
        row[counter] += number
