"""Computes counts per file from system calls, by following every descriptor of every process. It
counts what a log must have: calls of the application on files that it named. EXCEPTIONS has the
system calls that are left out, because libc, the loader or inheritance cause them without a call of
the application."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

from lab.strace import Call, descriptor, quoted

# Reasons why the calls on a descriptor need not be in the log, by the value of `Opening.reason`.
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
# Combinations of flags that only libc uses for its own opens: key of EXCEPTIONS.
FLAGS_OF_LIBC = {
    "O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY": "opendir",
    "O_RDONLY|O_NOFOLLOW|O_CLOEXEC|O_PATH": "chmod",
}
# Path that strace shows for a file with a name, not for a pipe, device or memory.
NAMED = re.compile(r"/(?!memfd:)[^<]*$")


@dataclass
class Tally:
    """The numbers of successful calls on a file, by kind, and the bytes read and written."""

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
        """Adds the counts of another Tally."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))


@dataclass
class Opening:
    """An open file description, which duplicates and forked children share: the file's name, and
    the calls on it."""

    name: str
    tally: Tally = field(default_factory=Tally)
    reason: str = ""  # key of EXCEPTIONS if the calls are not counted, else empty
    listed: bool = False  # a folder, whose seeks come from fdopendir() or rewinddir()


@dataclass
class Process:
    """The descriptors and the working folder of a process, which its threads share; and whether the
    runtime sees its calls."""

    table: dict[int, Opening] = field(default_factory=dict)
    folder: str = "/"
    in_vfork: bool = False
    unseen: bool = False  # the runtime is not loaded into this program
    # Returns the opening of an inherited descriptor, by the path of its file.
    inherit: Callable[[str], Opening] = Opening


def clean(folder: str, path: str) -> str:
    """Returns a path in the form of the log: absolute, without // and /./, links not followed.
    folder: that a relative path belongs to."""
    name = path if path.startswith("/") else f"{folder}/{path}"
    name = re.sub(r"/(?:\./|/)+", "/", re.sub(r"/+", "/", name))
    while "/./" in name:
        name = name.replace("/./", "/")
    return name


class Follower:
    """Replays a trace of system calls, and counts the calls on each file. watched: decides, by the
    path of a program, whether the runtime is loaded into it; None: into every program."""

    def __init__(self, folder: str, watched: Callable[[str], bool] | None = None) -> None:
        self.first_folder = folder
        self.watched = watched
        self.processes: dict[int, Process] = {}
        self.openings: list[Opening] = []
        self.by_path: dict[str, Tally] = {}

    def process(self, pid: int) -> Process:
        """Returns the state of the process with this pid. A pid that was not seen before begins
        without descriptors in the first working folder."""
        return self.processes.setdefault(pid, self.image(self.first_folder, ""))

    def image(self, folder: str, program: str) -> Process:
        """Returns the state of a process after exec: no descriptor is known yet. folder: its
        working folder. program: its path, "" if unknown."""
        unseen = bool(program and self.watched) and not self.watched(program)
        return Process(folder=folder, unseen=unseen, inherit=self.inherited)

    def inherited(self, path: str) -> Opening:
        """Returns a new opening for a descriptor that a process inherited at its start. path: of
        its file."""
        opening = Opening(path)
        self.openings.append(opening)
        return opening

    def path(self, process: Process, directory: str, argument: str) -> str:
        """Returns the absolute path that a call names. directory: the descriptor of the base
        folder, as strace prints it (AT_FDCWD is -100). argument: the path as strace prints it."""
        number, folder = descriptor(directory)
        path = quoted(argument)
        if number == -100 or folder is None:
            folder = folder or process.folder
        return folder if path == "" else clean(folder, path)

    def opened(self, process: Process, call: Call, name: str, flags: str) -> None:
        """Records the new descriptor of a successful open of a named file, with an opening of its
        own. flags: of the open as strace prints them; those that only libc uses are not counted."""
        opening = Opening(name)
        opening.tally.opens = 1
        opening.reason = FLAGS_OF_LIBC.get(flags, "")
        self.openings.append(opening)
        install(process, call.result, opening)

    def totals(self) -> dict[str, Tally]:
        """Returns the counts by file name, without openings that EXCEPTIONS excludes."""
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
    """Assigns an opening to a descriptor of a process; None: the descriptor is closed, or its file
    has no name."""
    if opening is None:
        process.table.pop(number, None)
    else:
        process.table[number] = opening


def of(process: Process, argument: str) -> Opening | None:
    """Returns the opening of a descriptor, which is given as strace prints it, with the path; None
    if it has no file with a name. A named file that is not known yet counts as inherited."""
    number, path = descriptor(argument)
    if number not in process.table and path and NAMED.match(path):
        process.table[number] = process.inherit(path)
    return process.table.get(number)
