"""Runs a study's programs without and with the runtime, and reads the logs."""

from __future__ import annotations

import hashlib
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.command import finished
from lab.environment import joined, plain, settings
from lab.log import read_rows

# Time limit of a run.
SECONDS = 1800

# Counter's name without prefix: value.
Counters = dict[str, float]
# Returns the words in front of a command. It gets the variables that only the program may have.
Launcher = Callable[[dict[str, str]], list[str]]


@dataclass
class Run:
    """The results of one run of a program: elapsed and processor time, the words of its output, and
    its log."""

    seconds: float  # from its start to its end by the clock
    cpu: float  # processor seconds, which other users of the machine disturb less
    words: list[str]  # words of its output
    log: Path | None  # the log, if the run was instrumented


def plain_environment() -> dict[str, str]:
    """Returns this process's environment without variables of Darshan and of HDF5."""
    return {name: value for name, value in plain().items() if not name.startswith("HDF5_")}


@dataclass
class Lab:
    """The environment of a study: the build, and the folder in which programs run and logs are
    kept."""

    build: Path
    folder: Path
    logs: int = field(default=0)

    def program(self, name: str) -> str:
        """Returns the path of a study's compiled program, given as `study/program`."""
        return str(self.build / "darshan-test" / "studies" / name)

    def instrumentation(self) -> tuple[dict[str, str], Path]:
        """Returns the variables that switch the runtime on, and the path of the log, which is new
        for each call."""
        self.logs += 1
        log = self.folder / "logs" / f"{self.logs}.darshan"
        journals = self.folder / "journals"
        log.parent.mkdir(exist_ok=True)
        journals.mkdir(exist_ok=True)
        return settings(self.build, journals=journals, DARSHAN_LOGFILE=str(log)), log

    def run(
        self,
        command: Sequence[str | Path],
        *,
        instrumented: bool,
        launcher: Launcher | None = None,
        variables: dict[str, str] | None = None,
    ) -> Run:
        """Runs a command in the folder. Raises RuntimeError if it fails, prints on stderr, or
        leaves no log although instrumented. launcher: starts the command, if not None. variables:
        for the program alone; a library to preload comes after the runtime."""
        told, log = self.instrumentation() if instrumented else ({}, None)
        told = joined(told, variables or {})
        front, environment = (launcher(told), {}) if launcher else ([], told)
        begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = finished(
            [*front, *(str(word) for word in command)],
            cwd=self.folder,
            env=plain_environment() | environment,
            timeout=SECONDS,
        )
        seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode or done.stderr:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
        if log and not log.exists():
            raise RuntimeError(f"{command} left no log")
        return Run(seconds, cpu, done.stdout.split(), log)

    def counters(self, log: Path, module: str = "POSIX") -> dict[str, Counters]:
        """Returns the counters of a module in a log, by the file's name without its folder; counter
        names are without the module's prefix."""
        found: dict[str, Counters] = {}
        for row in read_rows(self.build / "darshan-parser", log, module):
            found.setdefault(Path(row.name).name, {})[row.short] = row.value
        return found


def digest(path: Path) -> str:
    """Returns the SHA-256 of a file's content, in hexadecimal form."""
    with path.open("rb") as stream:
        hashed = hashlib.sha256()
        while block := stream.read(1 << 20):
            hashed.update(block)
    return hashed.hexdigest()


def per_cent(value: float, base: float) -> str:
    """Returns the increase of a value over a base in per cent, as text with a sign."""
    return f"{100 * (value / base - 1):+.0f} %"


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a Markdown table whose columns are padded. head: the headings."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = ["-" * width for width in widths]
    for row in (head, rule, *rows):
        print("| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |")
    print(flush=True)
