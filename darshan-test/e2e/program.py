"""The description of a program that runs without and with the runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .files import nothing


@dataclass
class Program:
    """A program that is tested: its command, its input files, and what may differ between two runs
    without the runtime."""

    name: str
    command: list[str]
    setup: Callable[[Path], None] = nothing
    environment: dict[str, str] = field(default_factory=dict)
    # Pattern of random parts of names: files that differ only in these are added up.
    random: str = ""
    # Pattern of files that differ between two runs without the runtime, for example by times.
    changing: str = ""
    # Pattern of output that differs between two runs without the runtime: addresses in memory.
    printed: str = ""
    # The calls differ from run to run (sizes of pipe reads, races between processes); therefore
    # strace counts the recorded run itself.
    same_run: bool = False
    # Pattern of names that only libc uses: they are in no log.
    inside: str = ""
    # The program kills its own processes: their journals remain and are counted.
    kills: bool = False
    # Pattern of files whose highest byte written is not their last: truncated or replaced, or
    # appended to by several opens or processes (offsets are per process, and O_APPEND does not
    # report where it writes).
    resized: str = ""
    status: int = 0  # expected exit status
    # Python module that the program needs; empty: none.
    module: str = ""
