"""What a run is: a command, and what may be said of it besides what strace counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from e2e.files import nothing


@dataclass
class Row:
    """A row of the table.  Every exception is a reason, in words, or a pattern of names."""

    name: str
    command: list[str]  # {bin}: where the programs of this folder are, {work}: where it runs
    setup: Callable[[Path], None] = nothing
    environment: dict[str, str] = field(default_factory=dict)
    # Why it does not run as root.
    ordinary: str = ""
    # Abilities of place.py.
    needs: tuple[str, ...] = ()
    # The Python that runs it, and the modules that it needs there.
    modules: tuple[str, ...] = ()
    # Why it takes too long, or needs too much, for every ./check.
    full: str = ""
    # Why its calls differ from one run to the next: strace counts in the run that is recorded.
    varies: str = ""
    # Parts of names that are drawn by lot; files that differ only in these are added up.
    random: str = ""
    # Files with times or such inside, which differ from one bare run to the next.
    changing: str = ""
    # The same of what it prints.
    printed: str = ""
    # Names that are in no log, for libc or the kernel alone acts on them.
    inside: str = ""
    # Why names outside the folder where it runs are not looked at.
    only_work: str = ""
    # The last of its processes is killed: nobody is left who could make its log.
    killed: bool = False
    # The run's log, and those of the MPI jobs in it.
    logs: int = 1
    # Who lives a little longer than the top: `darshan run` does not wait for them, and they
    # leave logs of their own.
    outlives: str = ""
    status: int = 0
