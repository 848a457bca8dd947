"""Gives a run a private view of the system: the copy is mounted over the user's folder, all other
files are read-only, and there is no network and no other process. The kernel enforces this, no
matter what the program does. Namespaces need no privilege, but a container or an administrator may
forbid them."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
from collections.abc import Sequence

from ...classes import dataclass

# Constants of <sched.h>, <sys/mount.h>, <linux/mount.h>, <net/if.h> and <sys/prctl.h>.
_NEW_MOUNTS, _NEW_USER, _NEW_NETWORK = 0x20000, 0x10000000, 0x40000000
_NEW_QUEUES, _NEW_PROCESSES = 0x08000000, 0x20000000
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_DEATH_SIGNAL, _BOUNDING_DROP = 1, 24
# Capabilities that root keeps, as numbers of <linux/capability.h>: chown, dac_override,
# dac_read_search, fowner, fsetid, kill, setgid, setuid, net_bind_service, ipc_lock, sys_nice,
# sys_resource.
_KEPT = frozenset((0, 1, 2, 3, 4, 5, 6, 7, 10, 14, 23, 24))
MEMORY = "/dev/shm"

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


@dataclass(frozen=True)
class View:
    """The view that a run of a trial has of the system: replaced folders, folders that it may
    change, and whether the rest is protected."""

    replaced: tuple[tuple[str, str], ...] = ()  # (folder that stands in, in the place of)
    writable: tuple[str, ...] = ()  # more folders that the run may change
    closed: bool = True  # all else is read-only, and there is no network and no other process
    network: bool = False  # even if it is closed

    def enter(self) -> None:
        """Lets this process, which must have a single thread, enter the view. If the view is
        closed, this function returns in a child process, and the calling process waits for it and
        exits with its status. Raises OSError; the process may then be in a part of the view."""
        user, group, here = os.getuid(), os.getgid(), os.getcwd()
        apart = _NEW_QUEUES | _NEW_PROCESSES if self.closed else 0
        apart |= _NEW_NETWORK if self.closed and not self.network else 0
        own = _NEW_USER if user else 0
        _check(_libc.unshare(_NEW_MOUNTS | apart | own), "unshare")
        if own:
            _map(user, group)
        _check(_libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None), "/")
        changed = [*self.replaced, *((path, path) for path in self.writable)]
        for source, target in changed:
            _bind(source, target)
        targets = [target for _, target in changed]
        if self.closed:
            if not any(f"{t}/".startswith(f"{MEMORY}/") for t in targets) and os.path.isdir(MEMORY):
                found = _libc.mount(b"tmpfs", MEMORY.encode(), b"tmpfs", 0, None)
                targets += [MEMORY] if found == 0 else []
            _close(targets)
            if not self.network:
                _loopback()
        os.chdir(here)  # which is below the old mount otherwise
        if self.closed:
            _become_child()
            if not user:
                _give_power_up()


def _map(user: int, group: int) -> None:
    for name, text in (
        ("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"),
    ):  # fmt: skip
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _bind(source: str, target: str) -> None:
    paths = os.fsencode(source), os.fsencode(target)
    _check(_libc.mount(*paths, None, _BIND, None), target)


def _close(writable: Sequence[str]) -> None:
    """Makes all mounts read-only, except those at the paths `writable`. Raises OSError."""

    def set_attributes(path: str, flags: int, on: int, off: int) -> None:
        change = struct.pack("QQQQ", on, off, 0, 0)
        done = _libc.syscall(
            _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), flags, change, len(change)
        )
        _check(done, path)

    set_attributes("/", _AT_RECURSIVE, _READ_ONLY, 0)
    for path in writable:
        set_attributes(path, 0, 0, _READ_ONLY)


def _loopback() -> None:
    """Brings up the loopback device, which MPI launchers need."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        name = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(one, _GET_FLAGS, name))[1]
        fcntl.ioctl(one, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def _become_child() -> None:
    """Forks, and returns in the new process, in a new session. The calling process waits for it and
    exits with its status. A process between the two is process 1 of the new namespace: when it
    exits, the kernel kills all other processes in the namespace."""
    die_with_parent(signal.SIGKILL)
    end, start = os.pipe()
    first = os.fork()
    if first:
        _end_as(first, end)
    die_with_parent(signal.SIGKILL)
    # Programs look for themselves in /proc. If it cannot be mounted, they find the old one.
    flags = _READ_ONLY | 2 | 4 | 8  # without setuid programs, devices and programs
    _libc.mount(b"proc", b"/proc", b"proc", flags, None)
    program = os.fork()
    if program:
        _only_keep(start)
        status = -1
        while status < 0:
            ended, its = os.wait()
            status = its if ended == program else -1
        os.write(start, struct.pack("i", status))
        os._exit(0)
    os.close(end)
    os.close(start)
    os.setsid()


def _only_keep(descriptor: int) -> None:
    """Closes all descriptors except this one, because another process may wait for the end of a
    pipe."""
    os.closerange(0, descriptor)
    os.closerange(descriptor + 1, 1 << 16)


def _end_as(first: int, end: int) -> None:
    """Waits for process 1 of a namespace, then exits with the program's status. first: process id.
    end: the pipe from which the status is read."""
    _only_keep(end)
    os.waitpid(first, 0)
    # All other processes that had the pipe open ended with the namespace, so the read need not
    # wait.
    os.set_blocking(end, False)
    status = signal.SIGKILL.value
    with contextlib.suppress(OSError, struct.error):
        status = struct.unpack("i", os.read(end, 4))[0]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        _libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: no second dump
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _give_power_up() -> None:
    """Drops the capabilities of root that a program does not need for its own files and processes.
    With them the program could undo the view, set the clock, or change the system otherwise."""
    for number in range(64):
        if number not in _KEPT and _libc.prctl(_BOUNDING_DROP, number, 0, 0, 0) < 0:
            return  # there are no more


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Makes the kernel send this process a signal when its parent dies. number: of the signal."""
    _libc.prctl(_DEATH_SIGNAL, int(number), 0, 0, 0)


def adopt_orphans() -> None:
    """Makes this process the parent of descendants whose own parent has died, so that it can end
    them."""
    _libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def problem(view: View) -> str:
    """Returns why a process cannot enter this view, "PATH: REASON"; "" if it can. A child process
    tries it, so this process does not change."""
    end, start = os.pipe()
    child = os.fork()
    if child == 0:
        text = ""
        try:
            view.enter()
        except OSError as error:
            text = f"{error.filename}: {error.strerror}"
        except BaseException as error:
            text = repr(error)
        os.write(start, text.encode())
        os._exit(0)
    os.close(start)
    with os.fdopen(end, "rb") as told:
        text = told.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    return text
