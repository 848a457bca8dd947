"""Runs a program, and collects its exit status, its output, its logs and its journals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from left import left_in

from .command import finished_in_bytes
from .environment import minimal, settings
from .log import Log, Records, read_logs

SECONDS = 60  # timeout of a program

Words = Sequence["str | Path"]


@dataclass
class Outcome:
    """The exit status of a program, and its files."""

    status: int
    stdout: bytes
    stderr: bytes
    work: Path
    logs: list[Path] = field(default_factory=list)
    journals: list[Path] = field(default_factory=list)
    log: Log = field(default_factory=Log)  # the contents of logs and journals

    @property
    def out(self) -> str:
        """Returns the standard output as text."""
        return self.stdout.decode()

    @property
    def error(self) -> str:
        """Returns the standard error as text."""
        return self.stderr.decode(errors="replace")

    @property
    def records(self) -> Records:
        """Returns the counters of each record of the logs and journals."""
        return self.log.records

    def value(self, name: str, counter: str) -> float:
        """Returns the value of a counter; 0 if there is no record. name: a file in the working
        folder, a full path, or a name that begins with "<", such as <STDOUT>."""
        path = name if name.startswith(("/", "<")) else str(self.work / name)
        return self.log.value(path, counter)

    def total(self, counter: str) -> float:
        """Returns the sum of a counter over all records."""
        return self.log.total(counter)

    def collect(self, parser: Path, logs: Path, journals: Path) -> Outcome:
        """Adds the logs and journals in these folders, and reads them. Records that a process of an
        unfinished run left for the merger are not read."""
        self.journals = left_in(journals)
        self.logs = sorted(logs.glob("**/*.darshan"))
        alone = [path for path in self.journals if path.name != "packed"]
        self.log = read_logs(parser, *self.logs, *alone)
        return self


def run(
    command: Words,
    work: Path,
    environment: Mapping[str, str] | None = None,
    *,
    timeout: float = SECONDS,
) -> Outcome:
    """Runs a program in the folder `work`, with empty standard input. Without an environment the
    program gets that of this process. Returns the outcome, without logs (see collect). timeout: in
    seconds; after it TimeoutExpired is raised."""
    done = finished_in_bytes(command, cwd=work, env=environment, timeout=timeout)
    return Outcome(done.returncode, done.stdout, done.stderr, work)


def new_folders(folder: Path, *names: str) -> list[Path]:
    """Makes folders with these names below another one, and returns their paths. Raises
    FileExistsError if one exists."""
    made = [folder / name for name in names]
    for path in made:
        path.mkdir(parents=True)
    return made


def watch(
    build: Path,
    folder: Path,
    command: Words,
    *,
    setup: Callable[[Path], None] = lambda work: None,
    plain: Mapping[str, str] | None = None,
    timeout: float = SECONDS,
    **more: str,
) -> Outcome:
    """Runs a program with the runtime in the new folders "work", "logs" and "journals" of a folder,
    and reads its logs and journals. Returns the outcome. setup: fills the working folder. plain:
    the environment without the runtime, lab.environment.minimal() by default. timeout: in seconds.
    more: variables that are added last."""
    work, logs, journals = new_folders(folder, "work", "logs", "journals")
    setup(work)
    variables = settings(build, logs, journals, **more)
    kept = minimal() if plain is None else plain
    outcome = run(command, work, {**kept, **variables}, timeout=timeout)
    return outcome.collect(build / "darshan-parser", logs, journals)
