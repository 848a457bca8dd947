"""The folder in which the runs of a trial work: a copy of the user's folder, or an empty folder
that the command of --setup fills."""

from __future__ import annotations

import os
import stat
import subprocess
import zlib
from collections.abc import Iterator
from dataclasses import field

from ...classes import dataclass
from ...show import signal_exit
from .private import View

FROM = "DARSHAN_TRY_FROM"  # variable with the user's folder, for the command of --setup


class TrialError(Exception):
    """The trial cannot continue; the message has the reason."""


# Mode, size, time of the last change, number, and a checksum of the extended attributes.
Entry = tuple[int, int, int, int, int]


def entries(folder: str, unlock: bool = False) -> dict[str, Entry]:
    """Returns the entries of a folder, at any depth, by relative path, for comparing two states of
    the folder. unlock: makes files readable whose modes forbid it; the result has the original
    modes. Raises OSError."""
    return dict(_entries(folder, "", unlock))


def _attributes(path: str) -> int:
    """Returns a checksum of a file's extended attributes that a program may have set (user.*); 0 if
    it has none."""
    try:
        names = [name for name in os.listxattr(path, follow_symlinks=False) if name[:5] == "user."]
        return zlib.crc32(repr([(n, os.getxattr(path, n)) for n in sorted(names)] or "").encode())
    except OSError:
        return 0


def _let_read(path: str, mode: int) -> None:
    wanted = stat.S_IRUSR | (stat.S_IRWXU if stat.S_ISDIR(mode) else 0)
    if mode & wanted != wanted and os.geteuid() and (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        os.chmod(path, stat.S_IMODE(mode) | wanted)


def _entries(folder: str, inside: str, unlock: bool) -> Iterator[tuple[str, Entry]]:
    """Yields each entry below a folder, as path relative to it, with its mode, size, time of
    change, inode and attributes. inside: the subfolder to begin with. unlock: makes the entries
    readable."""
    if unlock and not inside:
        _let_read(folder, os.stat(folder).st_mode)
    with os.scandir(os.path.join(folder, inside)) as found:
        for entry in found:
            path, told = os.path.join(inside, entry.name), entry.stat(follow_symlinks=False)
            is_folder = entry.is_dir(follow_symlinks=False)
            # A folder is compared by its entries, so its size and time are left out.
            size, time = (0, 0) if is_folder else (told.st_size, told.st_mtime_ns)
            marks = 0 if entry.is_symlink() else _attributes(entry.path)
            yield path, (told.st_mode, size, time, told.st_ino, marks)
            if unlock:
                _let_read(entry.path, told.st_mode)
            if is_folder:
                yield from _entries(folder, path, unlock)


@dataclass
class Ground:
    """The folders of a trial. Runs see `data` in place of the user's folder `place`, unless `place`
    is empty."""

    work: str  # the folder of all that the trial makes
    place: str  # folder of the user that runs may change; empty: none
    copy: bool  # the user's folder is copied; else --setup fills an empty one
    setup: str = ""  # the command of --setup
    closed: bool = True  # runs cannot change other files, and have no network
    before: dict[str, Entry] = field(default_factory=dict)
    fresh: bool = False  # `data` is as a run should find it

    @property
    def data(self) -> str:
        """The path of the folder that runs see in place of the user's folder."""
        return os.path.join(self.work, "data")

    @property
    def view(self) -> View:
        """The private view of the file system that a run has."""
        replaced = ((self.data, self.place),) if self.place else ()
        return View(replaced, (self.work,), self.closed)

    @property
    def shield(self) -> View:
        """The private view that the command of --setup has: it sees the user's own folder, but
        cannot change it."""
        return View((), (self.work,), self.closed, network=True)

    def folder(self, name: str) -> str:
        """Creates an empty folder in the folder of the trial, in place of an older one, and returns
        its path."""
        path = os.path.join(self.work, name)
        signal_exit.remove_tree(path)
        os.mkdir(path)
        return path

    def prepare(self) -> None:
        """Restores `data` to the state in which each run begins. Raises TrialError if the copy or
        the command --setup fails."""
        if self.fresh or not self.place:
            return
        signal_exit.remove_tree(self.data)
        if self.copy:
            self._do(["cp", "-a", "--reflink=auto", "--", self.place, self.data], self.work)
        else:
            os.mkdir(self.data)
        if self.setup:
            self._do(["/bin/sh", "-c", self.setup], self.data, self.shield)
        self.before = entries(self.data)
        self.fresh = True

    def _do(self, command: list[str], where: str, view: View | None = None) -> None:
        """Runs a command, such as one that copies the user's folder, and waits for it. where: its
        working folder. view: what it sees of the system; None: all. Raises TrialError with its last
        line of output if it fails."""
        variables = {**os.environ, FROM: self.place}
        if view and view.closed:
            variables["TMPDIR"] = self.folder("tmp")
        # In memory, because the disk may be full; the command then reports this.
        with os.fdopen(os.memfd_create("told"), "r+b") as told:
            child = signal_exit.start_group(
                command,
                cwd=where,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=told,
                preexec_fn=view.enter if view and view.closed else None,
            )
            status = signal_exit.wait_group(child, None)
            told.seek(0)
            lines = told.read().decode("utf-8", "replace").strip().split("\n")
        if status:
            raise TrialError(f"{' '.join(command[:3])} ... ended with status {status}: {lines[-1]}")

    def changes(self) -> dict[str, Entry | None]:
        """Returns the files in `data` that a run created or changed, by relative path; None for a
        removed file. Empty if no folder is copied. Raises OSError if they cannot be read."""
        if not self.place:
            return {}
        after = entries(self.data, unlock=True)
        found: dict[str, Entry | None] = {
            path: entry for path, entry in after.items() if self.before.get(path) != entry
        }
        found.update({path: None for path in self.before if path not in after})
        self.fresh = not found
        return found
