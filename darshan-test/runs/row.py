"""The type of a row of the table of runs: a command, and the permitted differences between its log
and strace's counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from e2e.files import nothing


@dataclass
class Row:
    """A row of the table. Every permitted difference is given as a reason in words ("" for none),
    or as a regular expression of names."""

    name: str
    command: list[str]  # {bin}: the folder of the compiled programs, {work}: the working folder
    setup: Callable[[Path], None] = nothing
    environment: dict[str, str] = field(default_factory=dict)
    # Reason why it does not run as root.
    ordinary: str = ""
    # Features of the environment that it needs; see place.py.
    needs: tuple[str, ...] = ()
    # Modules that the row's Python must have.
    modules: tuple[str, ...] = ()
    # Reason why it takes too long, or needs too much, for every ./check.
    full: str = ""
    # Reason why its calls differ between runs: strace then traces the recorded run.
    varies: str = ""
    # Random parts of names; files that differ only in these are added up.
    random: str = ""
    # Files with times or the like, whose content differs between runs without the runtime.
    changing: str = ""
    # Output that differs between such runs.
    printed: str = ""
    # Names that are in no log, because only libc or the kernel uses them.
    inside: str = ""
    # Reason why names outside the working folder are not compared.
    only_work: str = ""
    # The last of its processes is killed, so no process starts the merger.
    killed: bool = False
    # The number of logs: the run's log, and those of the MPI jobs in it.
    logs: int = 1
    # Processes that outlive the root process: `darshan run` does not wait for them, and they leave
    # logs of their own.
    outlives: str = ""
    status: int = 0  # expected exit status
