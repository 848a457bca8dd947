"""Computes, from each traced system call, which descriptors a process has, and which counts of each
file the log must have."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from lab.strace import Call, descriptor, quoted

from .descriptors import Follower, Process, Tally, clean, install, of

# Handles a successful call.
Handler = Callable[[Follower, Process, Call], None]
# First bytes of a library, as strace prints them.
LOADER_READ = '"\\177ELF'
# Bytes that the loader reads first.
LOADER_BYTES = "832"
# Part of the statx calls by which the runtime inspects an unknown descriptor (names/fd-name.c); no
# program asks for the type and the number of links without the size.
OUR_LOOK = "AT_STATX_DONT_SYNC|AT_EMPTY_PATH, STATX_TYPE|STATX_NLINK|"
# Calls that are replayed at their start, because a child runs, or a descriptor is free, before they
# return.
FORKS = ("clone", "clone3", "fork", "vfork")
EARLY = (*FORKS, "close", "close_range")
# Calls that a child between vfork and exec may make with an effect on the counts.
IN_VFORK = ("execve", "chdir")


def on_openat(follower: Follower, process: Process, call: Call) -> None:
    """Handles openat: a new descriptor of a named file."""
    name = follower.path(process, call.arguments[0], call.arguments[1])
    follower.opened(process, call, name, call.arguments[2])


def on_open(follower: Follower, process: Process, call: Call) -> None:
    """Handles open and creat: a new descriptor of a named file."""
    name = clean(process.folder, quoted(call.arguments[0]))
    flags = call.arguments[1] if call.name == "open" else "O_CREAT"
    follower.opened(process, call, name, flags)


def on_transfer(read: bool, place: int = 0) -> Handler:
    """Returns a handler that counts a read or write and its bytes for the file. read: whether it
    reads. place: index of the descriptor among the arguments."""

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


def on_copy(source: int, target: int) -> Handler:
    """Returns a handler that counts a copy inside the kernel (such as sendfile) as a read of one
    file and a write of another. source, target: indices of their descriptors among the
    arguments."""

    def handler(follower: Follower, process: Process, call: Call) -> None:
        on_transfer(True, source)(follower, process, call)
        on_transfer(False, target)(follower, process, call)

    return handler


def on_event(kind: str, place: int = 0) -> Handler:
    """Returns a handler that adds one to a count of the file. kind: the field of Tally. place:
    index of the descriptor among the arguments."""

    def handler(follower: Follower, process: Process, call: Call) -> None:
        opening = of(process, call.arguments[place]) if len(call.arguments) > place else None
        if opening:
            setattr(opening.tally, kind, getattr(opening.tally, kind) + 1)

    return handler


def on_stat(follower: Follower, process: Process, call: Call) -> None:
    """Counts any form of stat for the file that it names or whose descriptor it has, if it is a
    regular file."""
    if "S_IFREG" not in call.text or OUR_LOOK in call.text:
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
    """Handles dup: the new descriptor has the same opening, and counts as an open."""
    opening = of(process, call.arguments[0])
    number = descriptor(call.arguments[0])[0]
    if opening and number != call.result:
        opening.tally.opens += 1
    install(process, call.result, opening)


def on_fcntl(follower: Follower, process: Process, call: Call) -> None:
    if call.arguments[1].startswith("F_DUPFD"):
        on_dup(follower, process, call)


def on_new_numbers(follower: Follower, process: Process, call: Call) -> None:
    """Handles pipes, sockets and the like, which use descriptors but have no name."""
    numbers = [int(n) for n in re.findall(r"(\d+)<", call.text)] or [call.result]
    for number in numbers:
        install(process, number, None)


def on_listing(follower: Follower, process: Process, call: Call) -> None:
    """Marks a folder that is listed, because its seeks then come from libc's functions for folders
    and are not counted."""
    opening = of(process, call.arguments[0])
    if opening:
        opening.listed = True


def on_chdir(follower: Follower, process: Process, call: Call) -> None:
    """Handles a change of the working folder."""
    if call.name == "fchdir":
        process.folder = descriptor(call.arguments[0])[1] or process.folder
    else:
        process.folder = clean(process.folder, quoted(call.arguments[0]))


def on_fork(follower: Follower, process: Process, call: Call) -> None:
    """Handles fork: the child has a copy of the descriptors; a thread shares them."""
    if "CLONE_FILES" in call.text or "CLONE_THREAD" in call.text:
        follower.processes[call.result] = process
        return
    child = replace(process, table=dict(process.table))
    child.in_vfork = call.name == "vfork" or "CLONE_VFORK" in call.text
    follower.processes[call.result] = child


def on_exec(follower: Follower, process: Process, call: Call) -> None:
    """Handles exec. The inherited descriptors of the new program become known when it uses them."""
    program = clean(process.folder, quoted(call.arguments[0]))
    follower.processes[call.pid] = follower.image(process.folder, program)


# Handler of each system call by its name.
HANDLERS: dict[str, Handler] = {
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
    "getdents64": on_listing,
    "chdir": on_chdir,
    "fchdir": on_chdir,
    "fork": on_fork,
    "vfork": on_fork,
    "clone": on_fork,
    "clone3": on_fork,
    "execve": on_exec,
}


def unseen(process: Process, call: Call) -> bool:
    """Returns whether a call can be ignored, because the runtime is not loaded or the process is a
    vfork child, and the call changes no descriptor, folder or process."""
    if process.in_vfork:
        return call.name not in IN_VFORK
    return process.unseen and call.name not in IN_VFORK + FORKS


def count(
    calls: list[Call], folder: str, watched: Callable[[str], bool] | None = None
) -> dict[str, Tally]:
    """Returns the counts of a whole trace by file name. folder: working folder of the first
    process. watched: as in Follower."""
    follower = Follower(folder, watched)
    for call in sorted(calls, key=lambda c: c.started if c.name in EARLY else c.ended):
        handler = HANDLERS.get(call.name)
        process = follower.process(call.pid)
        if handler is None or call.result < 0 or unseen(process, call):
            continue
        handler(follower, process, call)
    return follower.totals()
