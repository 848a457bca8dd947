"""Starts ranks without MPI, as launchers start parallel programs, and finds their logs."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.environment import settings, through_env
from left import left_in
from mpi.launch import MPIS, ROOT_MAY_RUN

SECONDS = 60
# Variables by which a launcher tells a process its rank; removed from the environment of the tests.
MARK = ("RANK", "WORLD_SIZE")

# Writes into a shared file and into one of its own. Arguments: the name of the variable that has
# the rank, and the folder.
RANK = """
import os, sys
rank, folder = int(os.environ[sys.argv[1]]), sys.argv[2]
fd = os.open(f"{folder}/shared", os.O_CREAT | os.O_RDWR)
os.pwrite(fd, b"x" * (100 + rank), 1000 * rank)
os.close(fd)
fd = os.open(f"{folder}/own.{rank}", os.O_CREAT | os.O_WRONLY)
os.write(fd, b"y" * (10 * (rank + 1)))
os.close(fd)
"""

# A launcher like torchrun, which does I/O itself and starts workers. Arguments: FIRST NUMBER SIZE
# FILE PROGRAM...: the first rank, the number of ranks, the size of the job, a file that it appends
# to.
AGENT = """
import os, subprocess, sys
first, number, size = map(int, sys.argv[1:4])
with open(sys.argv[4], "ab", buffering=0) as f:
    f.write(b"z" * 7)
workers = []
for local in range(number):
    said = {"RANK": first + local, "WORLD_SIZE": size, "LOCAL_RANK": local}
    said |= {"TORCHELASTIC_RUN_ID": "r1", "MASTER_PORT": 29500}
    env = os.environ | {key: str(value) for key, value in said.items()}
    workers.append(subprocess.Popen(sys.argv[5:], env=env))
sys.exit(max(worker.wait() for worker in workers))
"""


def shared_bytes(ranks: range) -> int:
    """Returns the bytes that these ranks write to the shared file."""
    return sum(100 + rank for rank in ranks)


@dataclass
class Place:
    """The folders and the environment of the ranks."""

    build: Path
    folder: Path

    def __post_init__(self) -> None:
        for path in (self.data, self.logs, self.journals):
            path.mkdir(parents=True, exist_ok=True)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def journals(self) -> Path:
        return self.folder / "journals"

    def settings(self) -> dict[str, str]:
        return settings(self.build, self.logs, self.journals)

    def program(self, variable: str) -> list[str]:
        return [sys.executable, "-S", "-c", RANK, variable, str(self.data)]

    def wrapped(self, variable: str) -> list[str]:
        """Returns the command of a shell that does I/O itself and starts the program RANK, so that
        a rank has several processes. variable: the one that has the rank's number."""
        script = 'echo before >>"$0/said.$' + variable + '"; "$@"; cat "$0/shared" >/dev/null'
        return ["sh", "-c", script, str(self.data), *self.program(variable)]

    def run(self, command: list[str], env: dict[str, str], host: str = "") -> None:
        """Runs a command with these variables added to the environment of the tests. host: a host
        name to use, in a UTS namespace; "" for that of this machine."""
        if host:
            script = f'hostname {host}; exec "$@"'
            front = ["unshare", "-u", "sh", "-c", script, "sh", *through_env(env)]
            command, env = [*front, *command], {}
        clean = {key: value for key, value in os.environ.items() if key not in MARK}
        subprocess.run(
            command, env=clean | ROOT_MAY_RUN | env, check=True, timeout=SECONDS,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        left_in(self.journals)

    def rank(self, rank: int, size: int, extra: dict[str, str] | None = None) -> None:
        """Runs the rank `rank` of a job of `size` ranks without a launcher. extra: variables to
        add."""
        said = {"RANK": str(rank), "WORLD_SIZE": str(size)}
        self.run(self.program("RANK"), self.settings() | said | (extra or {}))

    def mpi(self, flavour: str, ranks: int, command: list[str]) -> None:
        """Starts `ranks` ranks of a command by mpirun or mpiexec, which is not instrumented itself.
        flavour: "openmpi" or "mpich"."""
        mpi = next(mpi for mpi in MPIS if mpi.name == flavour)
        front = ["-n", str(ranks), *through_env(self.settings())]
        self.run(mpi.launch([*front, *command]), {})

    def agent(self, first: int, number: int, size: int, command: list[str], host: str = "") -> None:
        """Runs `number` ranks of a job of `size` ranks, from rank `first` on, as children of the
        launcher AGENT, which is instrumented as well. host: a host name to use, in a UTS
        namespace."""
        numbers = [str(n) for n in (first, number, size)]
        agent = [sys.executable, "-S", "-c", AGENT, *numbers, str(self.data / "agents")]
        self.run([*agent, *command], self.settings(), host)

    def all_logs(self) -> list[Path]:
        return sorted(self.logs.glob("*.darshan"))
