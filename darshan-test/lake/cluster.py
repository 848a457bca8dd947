"""A Dask cluster of processes on this machine, started by the commands `dask scheduler` and `dask
worker`, for the option --workers dask://..."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tree import build_folder

SECONDS = 60
_HERE = ("--host", "127.0.0.1", "--no-dashboard")


class Cluster:
    """A scheduler and its workers, of one thread each unless add() says otherwise. folder: for
    their files. At the end of its `with` block, the processes that still run are killed."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start(
            "scheduler", "--port", "0", "--scheduler-file", self.file, *_HERE
        )
        _until(self.file.exists, self.scheduler)

    @property
    def name(self) -> str:
        """Returns the cluster's address, as for the option --workers."""
        return f"dask://{self.file}"

    def add(
        self,
        *arguments: str | Path,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Starts a worker. arguments: further ones of `dask worker`; before: a command in front of
        it; environment: variables to add."""
        fixed = ["--scheduler-file", self.file, "--nthreads", "1", "--no-nanny", *_HERE]
        made = self._start("worker", *fixed, *arguments, before=before, environment=environment)
        self.workers.append(made)

    def registered(self) -> None:
        """Waits until all workers are registered with the scheduler. Raises AssertionError if one
        of them ends, or after SECONDS."""
        for number, worker in enumerate(self._running):
            if worker in self.workers:
                log = self._log(number)
                _until(lambda log=log: b"Registered to" in log.read_bytes(), worker)  # type: ignore[misc]

    def _log(self, number: int) -> Path:
        return self._folder / f"dask{number}.log"

    def _start(
        self,
        *arguments: str | Path,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        # Workers run in another folder than the collector, so relative names would resolve
        # differently.
        where = self._folder / "there"
        where.mkdir(exist_ok=True)
        inherited = {**os.environ, "PYTHONPATH": str(build_folder() / "python")}
        with self._log(len(self._running)).open("wb") as log:
            process = subprocess.Popen(
                [*before, sys.executable, "-m", "dask", *map(str, arguments)],
                cwd=where,
                env={**inherited, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._running.append(process)
        return process

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.send_signal(signal.SIGKILL)
        for process in self._running:
            process.wait(SECONDS)


def _until(true: object, process: subprocess.Popen[bytes]) -> None:
    """Waits until a function returns true. process: must not end meanwhile."""
    assert callable(true)
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
