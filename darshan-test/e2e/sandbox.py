"""Runs a command twice in the same new folder: without the runtime under strace, and with the
runtime."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from calls.run_case import MODULES, parse
from lab.command import finished_in_bytes
from lab.environment import settings
from lab.log import Log
from lab.strace import for_command, read_trace
from left import left_in

from .descriptors import Tally
from .handlers import HANDLERS, count

# Time limit of a command.
SECONDS = 300
# Modification time of every input file, in seconds since 1970.
TIME = 1_700_000_000


@dataclass
class Outcome:
    """The results of a command: its exit status, its output, and the properties of the files in its
    folder, by relative path."""

    status: int
    stdout: bytes
    stderr: bytes
    files: dict[str, str]  # by relative path: text of describe()


@dataclass
class Recorded:
    """The logs and journals that an instrumented command left, and their combined content."""

    log: Log = field(default_factory=lambda: Log(modules=MODULES))
    paths: list[Path] = field(default_factory=list)
    journals: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)  # other files in the folder of the logs


@dataclass
class Sandbox:
    """The folder for one command, which is emptied before each run, so that the runs without and
    with the runtime see the same paths. setup makes the input files; extra has variables to add."""

    base: Path
    build: Path
    setup: Callable[[Path], None]
    extra: dict[str, str] = field(default_factory=dict)
    watched: Callable[[str], bool] | None = None  # as in Follower

    @property
    def work(self) -> Path:
        """The command's working folder."""
        return self.base / "work"

    def fresh(self) -> None:
        """Empties the folders and makes the command's input files, which all get the same
        modification time."""
        shutil.rmtree(self.base, ignore_errors=True)
        for name in ("work", "temporary", "home", "logs", "journals"):
            (self.base / name).mkdir(parents=True)
        self.setup(self.work)
        for path in sorted(self.work.rglob("*"), reverse=True):
            os.utime(path, (TIME, TIME), follow_symlinks=False)

    def sizes_left(self) -> dict[str, int]:
        """Returns the sizes in bytes of the regular files in the working folder, by absolute
        path."""
        paths = (path for path in self.work.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path): path.stat().st_size for path in paths}

    def environment(self) -> dict[str, str]:
        """Returns a minimal environment, the same for both runs."""
        python = Path(sys.executable).parent
        env = {
            "PATH": f"/usr/local/bin:/usr/bin:/bin:{python}",
            "HOME": str(self.base / "home"),
            "TMPDIR": str(self.base / "temporary"),
            "LC_ALL": "C",
            "TZ": "UTC",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "1",
        }
        return env | self.extra

    def execute(self, command: list[str], env: dict[str, str]) -> Outcome:
        """Runs the command to its end in the working folder. Returns its status, output and files.
        env: its whole environment."""
        done = finished_in_bytes(command, cwd=self.work, env=env, timeout=SECONDS)
        return Outcome(done.returncode, done.stdout, done.stderr, snapshot(self.work))

    def bare(self, command: list[str]) -> Outcome:
        """Runs the command without the runtime, in fresh folders. Returns the outcome."""
        self.fresh()
        return self.execute(command, self.environment())

    def traced(
        self, command: list[str], settings: dict[str, str] | None = None
    ) -> tuple[Outcome, dict[str, Tally]]:
        """Runs the command under strace in fresh folders. Returns its outcome, and the counts of
        the trace by file name, without the runtime's own files. settings: variables for the
        command, but not for strace."""
        self.fresh()
        trace = self.base / "trace"
        wanted = "trace=" + ",".join(f"?{name}" for name in HANDLERS)
        strace = ["strace", "-f", "-yy", "-s", "8", "-e", "signal=none"]
        strace += for_command(settings or {})
        outcome = self.execute(
            [*strace, "-e", wanted, "-o", str(trace), *command], self.environment()
        )
        ours = tuple(f"{self.base / name}/" for name in ("logs", "journals"))
        counts = count(read_trace(trace), str(self.work), self.watched)
        counts.pop(str(self.configuration), None)
        return outcome, {n: t for n, t in counts.items() if not n.startswith(ours)}

    @property
    def configuration(self) -> Path:
        """The path of the runtime's configuration file, which need not exist."""
        return self.base.with_suffix(".conf")

    def settings(self) -> dict[str, str]:
        """Returns the variables that preload the runtime and switch it on, with the configuration
        file if it exists."""
        exists = self.configuration.exists()
        extra = {"DARSHAN_CONFIG_PATH": str(self.configuration)} if exists else {}
        extra["DARSHAN_PROGRAM_FILES"] = "1"  # files are compared by name
        return settings(self.build, self.base / "logs", self.base / "journals", **extra)

    def instrumented(self, command: list[str], more: dict[str, str] | None = None) -> Outcome:
        """Runs a command with the runtime, in fresh folders. Returns the outcome. more: variables
        to add."""
        self.fresh()
        return self.execute(command, self.environment() | self.settings() | (more or {}))

    @property
    def parser(self) -> Path:
        """The path of this build's darshan-parser."""
        return self.build / "darshan-parser"

    def has_log(self, journal: Path, logs: list[Path]) -> bool:
        """Returns whether a killed process had already written its log, that is whether a log has
        the same counters as its journal."""
        ours = counters(parse(self.parser, journal))
        return any(counters(parse(self.parser, log)) == ours for log in logs)

    def journals(self) -> list[Path]:
        """Returns the journals that the last run left."""
        return left_in(self.base / "journals")

    def recorded(self) -> Recorded:
        """Returns the logs of the last run, summed with the journals of processes that were killed
        before they wrote a log."""
        logs = self.base / "logs"
        found = Recorded(paths=sorted(logs.rglob("*.darshan")), journals=self.journals())
        found.others = [p for p in logs.rglob("*") if p.is_file() and p not in found.paths]
        for path in found.paths:
            parse(self.parser, path, found.log)
        for journal in found.journals:
            if not self.has_log(journal, found.paths):
                parse(self.parser, journal, found.log)
        return found


def counters(log: Log) -> dict[tuple[str, str, str], float]:
    """Returns all integer counters of a log by module, file name and counter. Times are left out,
    because they are rounded when a log is written."""
    return {
        (module, name, counter): value
        for (module, name), row in log.records.items()
        for counter, value in row.items()
        if "_F_" not in counter
    }


def describe(path: Path) -> str:
    """Returns a text with the properties of a file that a program determines: type, mode, size, and
    a digest of the content or the target of a link."""
    status = path.lstat()
    kind = f"{stat.filemode(status.st_mode)} {status.st_size if path.is_file() else ''}"
    if path.is_symlink():
        return f"{kind} -> {os.readlink(path)}"
    if not stat.S_ISREG(status.st_mode):
        return kind
    return f"{kind} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def snapshot(folder: Path) -> dict[str, str]:
    """Returns the properties of all files and folders below a folder, as `describe` gives them, by
    relative path."""
    return {str(path.relative_to(folder)): describe(path) for path in sorted(folder.rglob("*"))}
