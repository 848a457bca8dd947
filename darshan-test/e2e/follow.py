"""From system calls to counts per file: follows every descriptor of every process.

What is counted is what the records promise: calls of the application on files
that it named.  System calls that libc, the loader or the kernel's inheritance
rules make without a call of the application are told apart by EXCEPTIONS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields

from .strace import Call, descriptor, quoted

# Why a system call need not have a counter.  The word is what `Opening.reason` says.
EXCEPTIONS = {
    "loader": "ld.so maps a library (its first read is the 832 bytes of an ELF header): the calls"
    " are made inside the loader, before or beside any wrapper",
    "chmod": "fchmodat() with AT_SYMLINK_NOFOLLOW: libc opens the file with O_PATH and changes"
    " /proc/self/fd/N; counted as SETATTRS of POSIX_EXT",
    "opendir": "opendir() opens, stats and reads inside libc; it is counted as DIR_OPENS of"
    " POSIX_EXT, not as an open of a file",
    "exec": "a descriptor that came over an exec: the new image has no name for it, as the shell"
    " opened it (standard streams have STDIO records of their own)",
    "vfork": "between vfork and exec the child runs in its parent's memory, so the runtime leaves"
    " all tables alone (posix_spawn's file actions, subprocess of Python)",
}
# Flags that only libc uses, in this combination, for calls of its own.
FLAGS_OF_LIBC = {
    "O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY": "opendir",
    "O_RDONLY|O_NOFOLLOW|O_CLOEXEC|O_PATH": "chmod",
}
LOADER_READ = '"\\177ELF'
LOADER_BYTES = "832"


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
    standard: int = 0  # times that it became descriptor 0, 1 or 2

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


@dataclass
class Process:
    """Descriptors and folder of a process; threads share one."""

    table: dict[int, Opening] = field(default_factory=dict)
    folder: str = "/"
    in_vfork: bool = False


def clean(folder: str, path: str) -> str:
    """A name as the log has it: absolute, without // and /./, links not followed."""
    name = path if path.startswith("/") else f"{folder}/{path}"
    name = re.sub(r"/(?:\./|/)+", "/", re.sub(r"/+", "/", name))
    while "/./" in name:
        name = name.replace("/./", "/")
    return name


class Follower:
    """Replays a trace."""

    def __init__(self, folder: str) -> None:
        self.first_folder = folder
        self.processes: dict[int, Process] = {}
        self.openings: list[Opening] = []
        self.by_path: dict[str, Tally] = {}

    def process(self, pid: int) -> Process:
        """The process of this number; the first one starts empty."""
        return self.processes.setdefault(pid, Process(folder=self.first_folder))

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

    def replay(self, calls: list[Call]) -> None:
        """Counts all calls of a trace; those that free a descriptor when they begin."""
        early = ("clone", "clone3", "fork", "vfork", "close", "close_range")
        order = sorted(calls, key=lambda c: c.started if c.name in early else c.ended)
        for call in order:
            handler = HANDLERS.get(call.name)
            process = self.process(call.pid)
            if handler is None or call.result < 0:
                continue
            if process.in_vfork and call.name not in ("execve", "execveat", "chdir"):
                continue
            handler(self, process, call)

    def totals(self) -> dict[str, Tally]:
        """Counts by name, exceptions left out."""
        totals: dict[str, Tally] = {}
        for name, tally in self.by_path.items():
            totals.setdefault(name, Tally()).add(tally)
        for opening in self.openings:
            if not opening.reason:
                totals.setdefault(opening.name, Tally()).add(opening.tally)
        return totals


def install(process: Process, number: int, opening: Opening | None) -> None:
    """Gives a descriptor its meaning; None: closed, or something without a name."""
    if opening is None:
        process.table.pop(number, None)
    else:
        process.table[number] = opening


def of(process: Process, argument: str) -> Opening | None:
    """What a descriptor argument stands for."""
    return process.table.get(descriptor(argument)[0])


def on_openat(follower: Follower, process: Process, call: Call) -> None:
    name = follower.path(process, call.arguments[0], call.arguments[1])
    follower.opened(process, call, name, call.arguments[2])


def on_open(follower: Follower, process: Process, call: Call) -> None:
    name = clean(process.folder, quoted(call.arguments[0]))
    flags = call.arguments[1] if call.name == "open" else "O_CREAT"
    follower.opened(process, call, name, flags)


def on_transfer(read: bool, place: int = 0) -> Callable[[Follower, Process, Call], None]:
    """A transfer through the descriptor at this place of the arguments."""

    def handler(follower: Follower, process: Process, call: Call) -> None:
        opening = of(process, call.arguments[place])
        if opening is None:
            return
        if (
            call.name == "read"
            and opening.tally.reads == 0
            and call.arguments[1].startswith(LOADER_READ)
            and call.arguments[2] == LOADER_BYTES
        ):
            opening.reason = "loader"
        kind, amount = ("reads", "bytes_read") if read else ("writes", "bytes_written")
        setattr(opening.tally, kind, getattr(opening.tally, kind) + 1)
        setattr(opening.tally, amount, getattr(opening.tally, amount) + call.result)

    return handler


def on_copy(source: int, target: int) -> Callable[[Follower, Process, Call], None]:
    """A transfer from one descriptor to another inside the kernel."""

    def handler(follower: Follower, process: Process, call: Call) -> None:
        on_transfer(True, source)(follower, process, call)
        on_transfer(False, target)(follower, process, call)

    return handler


def on_event(kind: str, place: int = 0) -> Callable[[Follower, Process, Call], None]:
    """One more of this kind on the descriptor at this place."""

    def handler(follower: Follower, process: Process, call: Call) -> None:
        opening = of(process, call.arguments[place]) if len(call.arguments) > place else None
        if opening:
            setattr(opening.tally, kind, getattr(opening.tally, kind) + 1)

    return handler


def on_stat(follower: Follower, process: Process, call: Call) -> None:
    """Any form of stat; only regular files are counted."""
    if "S_IFREG" not in call.text:
        return
    first = call.arguments[0]
    if call.name == "fstat" or (len(call.arguments) > 1 and call.arguments[1] == '""'):
        opening = of(process, first)
        if opening:
            opening.tally.stats += 1
        return
    if call.name in ("stat", "lstat"):
        name = clean(process.folder, quoted(first))
    else:
        name = follower.path(process, first, call.arguments[1])
    follower.by_path.setdefault(name, Tally()).stats += 1


def on_close(follower: Follower, process: Process, call: Call) -> None:
    install(process, descriptor(call.arguments[0])[0], None)


def on_close_range(follower: Follower, process: Process, call: Call) -> None:
    first, last = (int(argument.split("<")[0], 0) for argument in call.arguments[:2])
    if "CLOSE_RANGE_CLOEXEC" not in call.text:
        for number in [n for n in process.table if first <= n <= last]:
            install(process, number, None)


def on_dup(follower: Follower, process: Process, call: Call) -> None:
    opening = of(process, call.arguments[0])
    number = descriptor(call.arguments[0])[0]
    if opening and number != call.result:
        opening.tally.opens += 1
        opening.tally.standard += call.result <= 2
    install(process, call.result, opening)


def on_fcntl(follower: Follower, process: Process, call: Call) -> None:
    if call.arguments[1].startswith("F_DUPFD"):
        on_dup(follower, process, call)


def on_new_numbers(follower: Follower, process: Process, call: Call) -> None:
    """Pipes and sockets: they take numbers, and have no name."""
    numbers = [int(n) for n in re.findall(r"(\d+)<", call.text)] or [call.result]
    for number in numbers:
        install(process, number, None)


def on_chdir(follower: Follower, process: Process, call: Call) -> None:
    if call.name == "fchdir":
        process.folder = descriptor(call.arguments[0])[1] or process.folder
    else:
        process.folder = clean(process.folder, quoted(call.arguments[0]))


def on_fork(follower: Follower, process: Process, call: Call) -> None:
    if "CLONE_FILES" in call.text or "CLONE_THREAD" in call.text:
        follower.processes[call.result] = process
        return
    child = Process(dict(process.table), process.folder)
    child.in_vfork = call.name == "vfork" or "CLONE_VFORK" in call.text
    follower.processes[call.result] = child


def on_exec(follower: Follower, process: Process, call: Call) -> None:
    """A new image knows none of the descriptors that it inherits."""
    follower.processes[call.pid] = Process(folder=process.folder)


HANDLERS: dict[str, Callable[[Follower, Process, Call], None]] = {
    "openat": on_openat,
    "open": on_open,
    "creat": on_open,
    "read": on_transfer(True),
    "pread64": on_transfer(True),
    "readv": on_transfer(True),
    "preadv": on_transfer(True),
    "preadv2": on_transfer(True),
    "write": on_transfer(False),
    "pwrite64": on_transfer(False),
    "writev": on_transfer(False),
    "pwritev": on_transfer(False),
    "pwritev2": on_transfer(False),
    "copy_file_range": on_copy(0, 2),
    "sendfile": on_copy(1, 0),
    "splice": on_copy(0, 2),
    "lseek": on_event("seeks"),
    "fsync": on_event("fsyncs"),
    "fdatasync": on_event("fdsyncs"),
    "mmap": on_event("mmaps", 4),
    "stat": on_stat,
    "lstat": on_stat,
    "fstat": on_stat,
    "newfstatat": on_stat,
    "statx": on_stat,
    "close": on_close,
    "close_range": on_close_range,
    "dup": on_dup,
    "dup2": on_dup,
    "dup3": on_dup,
    "fcntl": on_fcntl,
    "pipe": on_new_numbers,
    "pipe2": on_new_numbers,
    "socket": on_new_numbers,
    "socketpair": on_new_numbers,
    "accept4": on_new_numbers,
    "eventfd2": on_new_numbers,
    "epoll_create1": on_new_numbers,
    "memfd_create": on_new_numbers,
    "chdir": on_chdir,
    "fchdir": on_chdir,
    "fork": on_fork,
    "vfork": on_fork,
    "clone": on_fork,
    "clone3": on_fork,
    "execve": on_exec,
}
