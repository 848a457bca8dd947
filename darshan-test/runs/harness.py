"""Runs the program of a row (rows.py) with and without the runtime, and collects its output, files
and records."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from e2e.descriptors import Tally
from e2e.handlers import FORKS
from e2e.sandbox import SECONDS, Outcome, Sandbox, snapshot
from lab.compile import compile_c
from lab.environment import switched_off, through_env
from lab.strace import Call, read_trace
from mpi.launch import MPIS

from .row import Row
from .watched import watched_in

# Name of the file whose timestamp is that of the last search for orphaned journals.
STAMP = "darshan-recovered."
LAST = 60  # seconds after its end until a run must have its log
TOOLS = ("darshan", "darshan-merge", "darshan-parser")
USER = 65534
NOBODY = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
# The line of a run whose log was left to `darshan recover`.
LATE = re.compile(rb"^darshan_library_warning: cannot make the run's log now; .*\n", re.M)
OURS = re.compile(rb"^darshan: .*\n", re.M)


@dataclass
class RunBox(Sandbox):
    """A folder for the program of one row. It waits for processes that outlive the first one."""

    killed: bool = False  # as in Row
    slowed: bool = False  # by strace, so that the runtime may leave the log to darshan recover

    def execute(self, command: list[str], env: dict[str, str]) -> Outcome:
        """Runs a command and waits until its last process has ended, which closes the last writing
        end of a pipe. Then waits for the run's log; if strace slowed the run down too much, makes
        the log by darshan recover. Returns the outcome."""
        inner, outer = os.pipe()
        with subprocess.Popen(
            command,
            cwd=self.work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(outer,),
        ) as process:
            os.close(outer)
            out, error = process.communicate(timeout=SECONDS)
            os.read(inner, 1)
            os.close(inner)
        if self.slowed and LATE.search(error):
            self.recover()
            error = LATE.sub(b"", error)
        elif not self.killed:
            self.settle()
        return Outcome(process.returncode, out, error, snapshot(self.work))

    def settle(self) -> None:
        """Waits until the merger has written the log and removed the run directory, for at most
        LAST seconds."""
        end = time.monotonic() + LAST
        while any((self.base / "journals").glob("darshan-run.*")) and time.monotonic() < end:
            time.sleep(0.02)

    def recover(self) -> None:
        """Runs darshan recover, as a user does after a crash."""
        command = [self.build / "darshan", "recover", "-o", self.base / "logs"]
        subprocess.run([*command, self.base / "journals"], check=True, capture_output=True)

    def unexpected(self) -> list[Path]:
        """Returns the files that a run left in the folder of journals; there should be none."""
        left = (self.base / "journals").rglob("*")
        return sorted(path for path in left if not path.name.startswith(STAMP))

    def journals(self) -> list[Path]:
        """Returns the journals that the last run left, in any folder."""
        return sorted((self.base / "journals").rglob("*.darshan"))


@dataclass
class Bare:
    """The exit status and the output of a row without the runtime, and strace's counts by file
    (none for a row that varies)."""

    outcome: Outcome
    counts: dict[str, Tally] = field(default_factory=dict)
    processes: int = 0  # that strace counted; 0: not counted


def born(calls: list[Call]) -> int:
    """Returns the number of processes in a trace, including the first one; threads do not count."""
    forks = [call for call in calls if call.name in FORKS and call.result > 0]
    return 1 + sum("CLONE_THREAD" not in call.text for call in forks)


@dataclass
class Runner:
    """Runs the programs of rows, each in a folder of its own."""

    build: Path
    programs: Path  # the folder of the compiled programs
    base: Path
    public: Path  # the folder for rows of ordinary users, outside pytest's folder
    known: dict[str, Bare] = field(default_factory=dict)  # by name of the row
    places: dict[str, int] = field(default_factory=dict)  # name of a row -> number of its folder

    def box(self, row: Row) -> RunBox:
        """Returns the folder of a row, which is the same without the runtime and in each mode."""
        build = self.copied if row.ordinary else self.build
        watched = watched_in(build)
        setup = handed_over(row.setup) if row.ordinary else row.setup
        # An index, because the name of a socket has at most 107 bytes.
        base = self.public if row.ordinary else self.base
        place = base / str(self.places.setdefault(row.name, len(self.places)))
        box = RunBox(place, build, setup, {}, watched, row.killed)
        places = {"bin": str(self.programs), "work": str(box.work)}
        box.extra = {name: text.format(**places) for name, text in row.environment.items()}
        return box

    @property
    def copied(self) -> Path:
        """Returns a folder with a copy of the tools and the runtime that all users may read."""
        folder = self.public / "built"
        if not folder.exists():
            folder.mkdir()
            for name in ("libdarshan.so", *TOOLS):
                shutil.copy2(self.build / name, folder)
        return folder

    def command(self, row: Row, box: RunBox, mode: str = "") -> tuple[list[str], dict[str, str]]:
        """Returns the command of a row with its paths, and the variables to add. mode: "run" for
        `darshan run`, "preload" for preloading, "" for no runtime."""
        command = [word.format(bin=self.programs, work=box.work) for word in row.command]
        settings = box.settings() if mode else {}
        if mode == "run":
            front = [str(box.build / "darshan"), "run", "-o", str(box.base / "logs")]
            command = [*front, *command]
            settings = switched_off(settings)
        if row.ordinary and os.geteuid() == 0:
            # The root process must not belong to root.
            command = [*NOBODY, *through_env(settings), *command]
            settings = {}
        return command, settings

    def bare(self, row: Row) -> Bare:
        """Runs a row without the runtime at the first call; returns the result, also at further
        calls."""
        if row.name not in self.known:
            box = self.box(row)
            command, _ = self.command(row, box)
            if row.varies:
                self.known[row.name] = Bare(box.bare(command))
            else:
                outcome, counts = box.traced(command)
                self.known[row.name] = Bare(outcome, counts, born(read_trace(box.base / "trace")))
        return self.known[row.name]

    def recorded(self, row: Row, mode: str) -> tuple[RunBox, Outcome, dict[str, Tally]]:
        """Runs a row with the runtime. Returns its folder, its outcome, and strace's counts by
        file: of the run without the runtime, or of this run if the row's calls vary."""
        box = self.box(row)
        command, settings = self.command(row, box, mode)
        if row.varies:
            box.slowed = True
            return box, *box.traced(command, settings)
        box.fresh()
        outcome = box.execute(command, box.environment() | settings)
        return box, outcome, self.bare(row).counts


def said(row: Row, outcome: Outcome) -> tuple[int, bytes, bytes]:
    """Returns status, stdout and stderr. Text that differs from run to run (row.printed) is
    replaced by "*", and lines of `darshan run` are removed."""

    def plain(text: bytes) -> bytes:
        return re.sub(row.printed.encode(), b"*", text) if row.printed else text

    return outcome.status, plain(outcome.stdout), plain(OURS.sub(b"", outcome.stderr))


def lasting(row: Row, outcome: Outcome) -> dict[str, str]:
    """Returns the digests of the files whose contents are equal after every run, by name; random
    parts of names are replaced by "*"."""
    kept = {n: d for n, d in outcome.files.items() if not re.fullmatch(row.changing, n)}
    return {re.sub(row.random, "*", n) if row.random else n: d for n, d in kept.items()}


def handed_over(setup: Callable[[Path], None]) -> Callable[[Path], None]:
    """Returns a setup function that also makes an ordinary user the owner of all folders of a
    row."""

    def for_user(work: Path) -> None:
        setup(work)
        for path in (*work.parent.iterdir(), *work.rglob("*")):
            if os.geteuid() == 0:
                os.chown(path, USER, USER)

    return for_user


def compile_programs(folder: Path) -> None:
    """Compiles trees.c, and ranks.c with every installed MPI, into a folder."""
    here = Path(__file__).resolve().parent
    compile_c(folder, here / "trees.c", name="trees")
    for mpi in MPIS:
        if compiler := mpi.command("mpicc"):
            target = folder / f"ranks.{mpi.name}"
            subprocess.run([compiler, "-O1", "-o", target, here / "ranks.c"], check=True)


def missing_module(row: Row) -> str:
    """Returns the name of the first module that the row's Python does not have; "" if it has
    all."""
    for module in row.modules:
        test = f"import importlib.util as u; raise SystemExit(u.find_spec({module!r}) is None)"
        if subprocess.run([row.command[0], "-c", test], check=False).returncode:
            return f"{module} for {row.command[0]}"
    return ""
