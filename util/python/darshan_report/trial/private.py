"""A private view of the file system for a run: the copy stands in the place of the user's folder,
all else can only be read, and there is no network. The kernel guarantees it, whatever the program
does. Namespaces need no privilege, but a container or an administrator may forbid them."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass

# Of <sched.h>, <sys/mount.h>, <linux/mount.h>, <net/if.h> and <sys/prctl.h>.
_NEW_MOUNTS, _NEW_USER, _NEW_NETWORK = 0x20000, 0x10000000, 0x40000000
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_DEATH_SIGNAL, _SIGTERM = 1, 15
MEMORY = "/dev/shm"

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


@dataclass(frozen=True)
class View:
    """What a run sees."""

    replaced: tuple[tuple[str, str], ...] = ()  # (folder that stands in, in the place of)
    writable: tuple[str, ...] = ()  # more folders that the run may change
    closed: bool = True  # all else is read-only, and there is no network

    def enter(self) -> None:
        """Enters the view with this process, which must have one thread. Raises OSError."""
        user, group, here = os.getuid(), os.getgid(), os.getcwd()
        network = _NEW_NETWORK if self.closed else 0
        own = _NEW_USER if user else 0
        _check(_libc.unshare(_NEW_MOUNTS | network | own), "unshare")
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
            _loopback()
        os.chdir(here)  # which is below the old mount otherwise


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
    """Makes all mounts read-only, except for these."""

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
    """Brings the loopback device up, which launchers of MPI need."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        name = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(one, _GET_FLAGS, name))[1]
        fcntl.ioctl(one, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def die_with_parent() -> None:
    """Has SIGTERM sent to this process when its parent dies."""
    _libc.prctl(_DEATH_SIGNAL, _SIGTERM, 0, 0, 0)


def adopt_orphans() -> None:
    """Makes this process the parent of descendants whose parent dies, so that it can end them."""
    _libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def problem(view: View) -> str:
    """Returns why a process cannot enter this view; empty if it can."""
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
