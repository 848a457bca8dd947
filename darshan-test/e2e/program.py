"""What a program that is run bare and instrumented is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .files import nothing


@dataclass
class Program:
    """A command that is run bare and instrumented."""

    name: str
    command: list[str]
    setup: Callable[[Path], None] = nothing
    environment: dict[str, str] = field(default_factory=dict)
    # Random parts of names: files that differ only in these are added up.
    random: str = ""
    # Files with times or such inside, which differ from one bare run to the next.
    changing: str = ""
    # What it prints that differs from one bare run to the next: addresses in memory.
    printed: str = ""
    # Its calls differ from run to run (sizes of pipe reads, races between its
    # processes): counted by strace in the very run that is recorded.
    same_run: bool = False
    # Names on which libc alone acts: they are in no log.
    inside: str = ""
    # It kills processes of its own: their journals stay, and count.
    kills: bool = False
    # Files whose highest byte written is not their last: cut short or replaced later, or
    # appended to by several opens or processes (positions are per process, and
    # O_APPEND does not tell where it writes).
    resized: str = ""
    status: int = 0
    # A module of Python that it needs.
    module: str = ""
