"""From system calls to counts per file: follows every descriptor of every process.

What is counted is what the records promise: calls of the application on files
that it named.  System calls that libc, the loader or the kernel's inheritance
rules make without a call of the application are told apart by EXCEPTIONS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

from .strace import Call, descriptor, quoted

# Why a system call need not have a counter.  The word is what `Opening.reason` says.
EXCEPTIONS = {
    "loader": "ld.so maps a library (its first read is the 832 bytes of an ELF header): the calls"
    " are made inside the loader, before or beside any wrapper",
    "chmod": "fchmodat() with AT_SYMLINK_NOFOLLOW: libc opens the file with O_PATH and changes"
    " /proc/self/fd/N; counted as SETATTRS of POSIX_EXT",
    "opendir": "opendir() opens, stats and reads inside libc; it is counted as DIR_OPENS of"
    " POSIX_EXT, not as an open of a file",
    "vfork": "between vfork and exec the child runs in its parent's memory, so the runtime leaves"
    " all tables alone (posix_spawn's file actions, subprocess of Python)",
}
# Flags that only libc uses, in this combination, for calls of its own.
FLAGS_OF_LIBC = {
    "O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY": "opendir",
    "O_RDONLY|O_NOFOLLOW|O_CLOEXEC|O_PATH": "chmod",
}
# What strace shows for a file with a name: no pipe, device or piece of memory.
NAMED = re.compile(r"/(?!memfd:)[^<]*$")


@dataclass
class Tally:
    """Successful calls on a file."""

    opens: int = 0
    reads: int = 0
    writes: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    seeks: int = 0
    stats: int = 0
    mmaps: int = 0
    fsyncs: int = 0
    fdsyncs: int = 0

    def add(self, other: Tally) -> None:
        """Adds another's counts."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))


@dataclass
class Opening:
    """What an open returned, shared by its duplicates and by forked children."""

    name: str
    tally: Tally = field(default_factory=Tally)
    reason: str = ""  # an EXCEPTIONS word: not to be counted
    listed: bool = False  # a folder: it is fdopendir() or rewinddir() that seeks


@dataclass
class Process:
    """Descriptors and folder of a process; threads share one."""

    table: dict[int, Opening] = field(default_factory=dict)
    folder: str = "/"
    in_vfork: bool = False
    unseen: bool = False  # a program that nothing is preloaded to
    # What to make of the path of a descriptor that it was born with.
    inherit: Callable[[str], Opening] = Opening


def clean(folder: str, path: str) -> str:
    """A name as the log has it: absolute, without // and /./, links not followed."""
    name = path if path.startswith("/") else f"{folder}/{path}"
    name = re.sub(r"/(?:\./|/)+", "/", re.sub(r"/+", "/", name))
    while "/./" in name:
        name = name.replace("/./", "/")
    return name


class Follower:
    """Replays a trace.

    watched: whether the runtime is in a program, by its path; None: in every one.
    """

    def __init__(self, folder: str, watched: Callable[[str], bool] | None = None) -> None:
        self.first_folder = folder
        self.watched = watched
        self.processes: dict[int, Process] = {}
        self.openings: list[Opening] = []
        self.by_path: dict[str, Tally] = {}

    def process(self, pid: int) -> Process:
        """The process of this number; the first one starts empty."""
        return self.processes.setdefault(pid, self.image(self.first_folder, ""))

    def image(self, folder: str, program: str) -> Process:
        """A process that has just become a program."""
        unseen = bool(program and self.watched) and not self.watched(program)
        return Process(folder=folder, unseen=unseen, inherit=self.inherited)

    def inherited(self, path: str) -> Opening:
        """A descriptor that somebody else has opened."""
        opening = Opening(path)
        self.openings.append(opening)
        return opening

    def path(self, process: Process, directory: str, argument: str) -> str:
        """The name that a descriptor of a folder and a path make."""
        number, folder = descriptor(directory)
        path = quoted(argument)
        if number == -100 or folder is None:
            folder = folder or process.folder
        return folder if path == "" else clean(folder, path)

    def opened(self, process: Process, call: Call, name: str, flags: str) -> None:
        """A new descriptor of a named file."""
        opening = Opening(name)
        opening.tally.opens = 1
        opening.reason = FLAGS_OF_LIBC.get(flags, "")
        self.openings.append(opening)
        install(process, call.result, opening)

    def totals(self) -> dict[str, Tally]:
        """Counts by name, exceptions left out."""
        totals: dict[str, Tally] = {}
        for name, tally in self.by_path.items():
            totals.setdefault(name, Tally()).add(tally)
        for opening in self.openings:
            if opening.reason:
                continue
            tally = replace(opening.tally, seeks=0) if opening.listed else opening.tally
            totals.setdefault(opening.name, Tally()).add(tally)
        return totals


def install(process: Process, number: int, opening: Opening | None) -> None:
    """Gives a descriptor its meaning; None: closed, or something without a name."""
    if opening is None:
        process.table.pop(number, None)
    else:
        process.table[number] = opening


def of(process: Process, argument: str) -> Opening | None:
    """What a descriptor argument stands for."""
    number, path = descriptor(argument)
    if number not in process.table and path and NAMED.match(path):
        process.table[number] = process.inherit(path)
    return process.table.get(number)
