"""Compiles and runs MPI programs with each installed MPI, and reads the logs of a job."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.command import finished
from lab.environment import settings, through_env
from lab.log import Log, read_logs
from left import left_in

HERE = Path(__file__).resolve().parent
# Seconds after which a job counts as hanging.
SECONDS = 120
# File with stderr of the ranks: a launcher may lose the final messages of an ended job.
ERRORS = "errors"
# Environment without which Open MPI refuses to run as root.
ROOT_MAY_RUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Options of Open MPI. Debian's version tries to read other processes' memory, which containers
# forbid. Version 5 prints a message if TCP is unusable; ranks of one machine do not need TCP.
OPENMPI = ["--oversubscribe", "--mca", "btl", "^tcp"]
OPENMPI += ["--mca", "btl_vader_single_copy_mechanism", "none"]


@dataclass(frozen=True)
class Mpi:
    """An MPI library, "openmpi" or "mpich": the suffix of its commands in Debian."""

    name: str

    def command(self, name: str) -> str:
        """Returns the full path of a command of this MPI, or "" if it is not installed."""
        return shutil.which(f"{name}.{self.name}") or ""

    @property
    def installed(self) -> bool:
        """Returns whether C and Fortran programs can be built and run."""
        return all(self.command(name) for name in ("mpicc", "mpif90", "mpiexec"))

    @property
    def has_large_counts(self) -> bool:
        """Returns whether the library has the large-count functions of MPI 4, such as
        MPI_Send_c."""
        return self.name == "mpich"

    def build(self, source: str, program: Path, *options: str) -> Path:
        """Compiles a source file, unless the program exists. source: a file in this folder, or a
        full path. options: of the compiler. Returns the program's path."""
        if not program.exists():
            compiler = "mpif90" if source.lower().endswith(".f90") else "mpicc"
            subprocess.run(
                [self.command(compiler), "-O1", *options, "-o", program, HERE / source], check=True
            )
        return program

    def launch(self, command: Sequence[str] = ()) -> list[str]:
        """Returns the words of a command line of this MPI's mpiexec: the options that it always
        needs here, then `command`."""
        return [self.command("mpiexec"), *(OPENMPI if self.name == "openmpi" else ()), *command]


def ranks_of(ranks: int, env: dict[str, str], command: list[str]) -> list[str]:
    """Returns the part of an mpiexec command line after its options: the number of ranks, and the
    program. env: variables for the ranks, not for the launcher."""
    return ["-n", str(ranks), *through_env(env), *command]


MPIS = [Mpi("openmpi"), Mpi("mpich")]


@dataclass
class Job:
    """A finished job: its exit status, its output on stdout and stderr, and the logs and journals
    that it left."""

    code: int
    out: str
    error: str
    logs: list[Path]
    journals: list[Path]


@dataclass
class Runner:
    """Runs jobs of one MPI with the runtime preloaded into the ranks, in the folders data, logs and
    journals of a test."""

    mpi: Mpi
    library: Path
    parser: Path
    programs: Path
    folder: Path

    def build(self, source: str, *options: str) -> Path:
        """Compiles a source file of this folder, once for all tests, and returns the program's
        path. options: for the compiler."""
        return self.mpi.build(
            source, self.programs / f"{Path(source).stem}.{self.mpi.name}", *options
        )

    @property
    def data(self) -> Path:
        """Returns the folder for the files that the job reads and writes."""
        return self.folder / "data"

    def environment(self, extra: dict[str, str] | None = None) -> dict[str, str]:
        """Returns the variables with which ranks are recorded, and makes the folders that they
        name. extra: variables to add."""
        for name in ("data", "logs", "journals"):
            (self.folder / name).mkdir(exist_ok=True)
        logs, journals = self.folder / "logs", self.folder / "journals"
        return settings(self.library, logs, journals, mpi=True) | (extra or {})

    def start(self, command: list[str]) -> Job:
        """Runs the command line of a launcher, and waits for its end. Returns the finished job."""
        done = finished(
            command, cwd=self.folder, env={**os.environ, **ROOT_MAY_RUN}, timeout=SECONDS
        )
        of_ranks = self.folder / ERRORS
        left = left_in(self.folder / "journals")
        return Job(
            done.returncode,
            done.stdout,
            (of_ranks.read_text() if of_ranks.exists() else "") + done.stderr,
            sorted((self.folder / "logs").glob("*.darshan")),
            left,
        )

    def run(self, ranks: int, command: list[str], extra: dict[str, str] | None = None) -> Job:
        """Runs a program with this many ranks, and waits for its end. Returns the finished job.
        extra: variables to add for the ranks."""
        kept = ["sh", "-c", f'exec "$@" 2>>{ERRORS}', "sh"]
        part = ranks_of(ranks, self.environment(extra), command)
        return self.start(self.mpi.launch([*part[:2], *kept, *part[2:]]))

    def job(self, end: str, ranks: int, extra: dict[str, str] | None = None) -> Job:
        """Runs job.c with this many ranks. Returns the finished job. end: how it ends, as the head
        of job.c lists. extra: variables to add for the ranks."""
        self.environment()
        return self.run(ranks, [str(self.build("job.c")), end, str(self.data)], extra)

    def read(self, path: Path) -> Log:
        """Reads a log of a job. Returns its content."""
        return read_logs(self.parser, path)

    def only_log(self, job: Job) -> Log:
        """Returns the content of a job's log; fails unless the job left exactly one log and no
        journal."""
        assert len(job.logs) == 1, job
        assert job.journals == [], job
        return self.read(job.logs[0])
