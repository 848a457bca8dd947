"""Runs a command without or with the runtime, and reads the records of its logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.command import finished
from lab.environment import plain, settings
from lab.log import Records, read_logs
from left import left_in

# Time limit of a command.
SECONDS = 120
# Name under which read_rows adds a record's id to its counters.
RECORD_ID = "record id"

# (module, name) of a record: counter's name: value.
Rows = Records


@dataclass
class Observed:
    """The exit status and output of a command, and the logs and journals that it left."""

    status: int
    stdout: str
    stderr: str
    logs: list[Path] = field(default_factory=list)
    journals: list[Path] = field(default_factory=list)


def finish(command: Sequence[str | Path], work: Path, env: Mapping[str, str]) -> Observed:
    """Runs a command with empty standard input, and waits for its end. Returns its status and
    output. env: the whole environment."""
    done = finished(command, cwd=work, env=env, timeout=SECONDS)
    return Observed(done.returncode, done.stdout, done.stderr)


def bare(
    command: Sequence[str | Path], work: Path, extra: Mapping[str, str] | None = None
) -> Observed:
    """Runs a command without the runtime, in the folder `work`. Returns its status and output.
    extra: variables to add to the environment."""
    return finish(command, work, plain() | dict(extra or {}))


def instrumented(
    build: Path,
    command: Sequence[str | Path],
    work: Path,
    logs: Path,
    extra: Mapping[str, str] | None = None,
) -> Observed:
    """Runs a command with the runtime of a build, in the folder `work`. Returns its status, output,
    logs and journals. logs: a new folder for logs and journals; extra: variables to add to the
    environment."""
    for part in ("finished", "journals"):
        (logs / part).mkdir(parents=True)
    env = plain() | settings(build, logs / "finished", logs / "journals")
    observed = finish(command, work, env | dict(extra or {}))
    observed.journals = left_in(logs / "journals")
    observed.logs = sorted((logs / "finished").rglob("*.darshan"))
    return observed


def read_rows(parser: Path, logs: Sequence[Path]) -> Rows:
    """Returns the counters of all records by (module, name) and counter, summed over all ranks of
    all logs. Each record also has its id under RECORD_ID."""
    log = read_logs(parser, *logs)
    for (_, name), record in log.records.items():
        record[RECORD_ID] = log.ids[name]
    return log.records
