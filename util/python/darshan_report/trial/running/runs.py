"""Makes single runs of the program, instrumented, with or without a remedy."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import field

from ...classes import dataclass
from ...show import signal_exit
from ..comparing.outputs import Output
from ..planning.case import Plan
from .ground import Ground, TrialError
from .private import adopt_orphans, die_with_parent
from .stopped import Stopped, TooLongError

LIMIT, LEAST_LIMIT = 3.0, 2.0  # times the baseline; seconds
_MESSAGE = 1 << 16  # bytes of standard error for which there is room on a full disk
# In a message of darshan run: the path of the log of the processes around a job.
_AROUND = re.compile(r"; log of what is around it: [^;\n]*?([^/;\n]+\.darshan)(?=;|$)", re.M)
_OURS = ("DARSHAN_LOGFILE", "DARSHAN_LOGPATH", "DARSHAN_DISABLE", "DARSHAN_CALLED_AS")


@dataclass(frozen=True)
class Run:
    """A run that ended: its seconds, its output, and the paths of its log and of its standard
    error."""

    seconds: float
    output: Output
    log: str  # empty if the run left no log
    told: str  # path of a file with its standard error


@dataclass
class Runner:
    """Runs the program repeatedly under the same conditions. Makes this process the parent of
    orphans, so that no process of a run is left."""

    darshan: str  # path of the command
    command: Sequence[str]
    ground: Ground
    is_private: bool  # runs have a private view of the file system
    cold: Sequence[str] = ()  # files that are dropped from the page cache before each run
    limit: float | None = None  # seconds of a run
    number: int = field(default=0)  # of the last run

    def __post_init__(self) -> None:
        adopt_orphans()

    def run(self, plan: Plan | None = None, sites: bool = False) -> Run:
        """Runs the program once, after restoring its files to their first state. Returns the run.
        plan: the remedy; None for a run without one. sites: whether to record call sites. Raises
        TooLongError if the run was killed, and TrialError if its files cannot be restored."""
        self.ground.prepare()
        self.number += 1
        self._drop_cached()
        logs = self.ground.folder("logs")
        temporary = self.ground.folder("tmp")
        stdout = os.path.join(self.ground.work, f"stdout-{self.number}")
        told = os.path.join(self.ground.work, f"stderr-{self.number}")
        command = [self.darshan, "run", *(["--sites"] if sites else []), "-o", logs, "--"]
        variables = {k: v for k, v in os.environ.items() if k not in _OURS}
        variables |= {"TMPDIR": temporary, "DARSHAN_MMAP_LOGPATH": self.ground.folder("journals")}
        variables["DARSHAN_TRY"] = plan.setting if plan else ""
        variables |= plan.variables if plan else {}
        variables |= self._names(plan) if plan and plan.names else {}
        with open(stdout, "wb") as out, open(told, "wb") as errors:
            with contextlib.suppress(OSError):  # room for the message of a run that fills the disk
                os.posix_fallocate(errors.fileno(), 0, _MESSAGE)
            begin = time.monotonic()
            status = self._wait(
                [*command, *self.command], variables, (out.fileno(), errors.fileno())
            )
            spent = time.monotonic() - begin
        output = Output(status, stdout, self.ground.data, self.ground.changes())
        return Run(spent, output, self._log(logs, told), told)

    def keep_files(self, run: Run, name: str) -> Run:
        """Moves the output files of a run to the folder `name` of the trial, so that later runs can
        be compared with them. Returns the run with the new paths."""
        if not run.output.files:
            return run
        target = os.path.join(self.ground.work, name)
        signal_exit.remove_tree(target)
        os.rename(self.ground.data, target)
        output = Output(run.output.status, run.output.stdout, target, run.output.files)
        return Run(run.seconds, output, run.log, run.told)

    def _wait(self, command: list[str], variables: dict[str, str], to: tuple[int, int]) -> int:
        """Runs a command and returns its exit status. to: descriptors for its standard output and
        error. Raises TooLongError, after killing it, if it exceeds the limit or stops itself."""
        view, place, here = self.ground.view, self.ground.place, os.getcwd()

        def enter() -> None:
            if self.is_private:
                view.enter()
            die_with_parent()

        if place and not self.is_private:
            here = os.path.join(self.ground.data, os.path.relpath(here, place))
        child = signal_exit.start_group(
            command, cwd=here, env=variables, stdin=subprocess.DEVNULL, stdout=to[0],
            stderr=to[1], preexec_fn=enter,
        )  # fmt: skip
        try:
            return signal_exit.wait_group(child, self.limit, Stopped(child.pid))
        except subprocess.TimeoutExpired:
            raise TooLongError(f"took more than {self.limit:.1f} s and was killed") from None
        finally:
            _end_orphans()

    def _names(self, plan: Plan) -> dict[str, str]:
        """Writes the names of a plan's files into a file. Returns the variable with its path."""
        path = os.path.join(self.ground.work, "names")
        with open(path, "wb") as file:
            file.write(b"".join(os.fsencode(name) + b"\0" for name in plan.names))
        return {"DARSHAN_TRY_NAMES": path}

    def _log(self, folder: str, told: str) -> str:
        """Moves the largest log of a run out of `folder` and returns its new path; "" if there is
        none. Ignores the log of the processes that started an MPI job. told: path of the run's
        standard error."""
        found = glob.glob(os.path.join(glob.escape(folder), "*.darshan"))
        if not found:
            return ""
        with open(told, encoding="utf-8", errors="replace") as file:
            around = _AROUND.findall(file.read())
        found = [path for path in found if os.path.basename(path) not in around] or found
        log = os.path.join(self.ground.work, f"run-{self.number}.darshan")
        os.rename(max(found, key=os.path.getsize), log)
        return log

    def _drop_cached(self) -> None:
        """Removes the files of --cold from the page cache, so that the next run reads them from the
        disk. Ignores errors."""
        for name in self.cold:
            path, place = name, self.ground.place
            if place and f"{name}/".startswith(f"{place}/"):
                path = os.path.join(self.ground.data, os.path.relpath(name, place))
            with contextlib.suppress(OSError):
                file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                with os.fdopen(file, "rb"):
                    os.fsync(file)
                    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def _end_orphans() -> None:
    """Kills processes of the run that have left its process group."""
    for _ in range(1000):
        try:
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
                children = [int(word) for word in file.read().split()]
        except OSError:
            return
        if not children:
            return
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def first_problem(run: Run) -> str:
    """Returns the last line of a run's standard error that Darshan did not print; "no message" if
    there is none."""
    with open(run.told, encoding="utf-8", errors="replace") as file:
        text = file.read().replace("\0", "")  # which fill the room that the run did not use
    lines = [line for line in text.split("\n") if line and "darshan: log:" not in line]
    return lines[-1] if lines else "no message"


def check(run: Run) -> None:
    """Raises TrialError if a run left no log, for example because the program could not be
    started."""
    if not run.log:
        raise TrialError(f"the run left no log: {first_problem(run)}")
