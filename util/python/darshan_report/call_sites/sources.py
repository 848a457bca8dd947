"""Source files of a log: their names, the I/O of their lines, and their present contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from ..classes import dataclass
from ..log import Log
from .lines import Lines, Site, is_users
from .measured import Measured

MOST = 16 << 20  # bytes of a file that are read
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class SourceError(Exception):
    """A source file cannot be read. The message is the reason, as the end of a sentence about the
    file."""


@dataclass(frozen=True)
class SourceFile:
    """A source file of the user: its name in the log, the sums of each of its lines by number, and
    those of the whole file."""

    name: str
    lines: dict[int, Measured]
    whole: Measured


def files_of(found: Lines) -> set[str]:
    """Returns the names of the source files of all frames."""
    return {p.file for line in found.every for s in line.sites for p in s.places if p.file}


def sums_of(sites: Iterable[Site], file: str) -> dict[int, Measured]:
    """Returns the sums of each line of a file. A site is counted for its innermost line in this
    file."""
    found: dict[int, Measured] = {}
    for site in sites:
        line = next((place.line for place in site.places if place.file == file), 0)
        if line:
            found.setdefault(line, Measured()).add(site.sums)
    return found


def users_files(found: Lines) -> list[SourceFile]:
    """Returns the source files outside of installed software whose names in the log are absolute,
    ordered by time in I/O calls, longest first."""
    sites: dict[str, list[Site]] = {}
    for line in found.every:
        for site in line.sites:
            for name in {p.file for p in site.places if p.file.startswith("/") and is_users(p)}:
                sites.setdefault(name, []).append(site)
    files = []
    for name, some in sites.items():
        whole = Measured()
        for site in some:
            whole.add(site.sums)
        files.append(SourceFile(name, sums_of(some, name), whole))
    return sorted(files, key=lambda file: (-file.whole.seconds, file.name))


def read(path: str, most: int = MOST) -> list[str]:
    """Returns the lines of a regular file of at most `most` bytes. Because the path may come from
    an untrusted log, pipes and devices are never opened. Raises SourceError for other files, and if
    the file cannot be read. Bytes that are not UTF-8 are replaced."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SourceError("is not a regular file")
        with open(os.open(path, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceError("is not a regular file")
            text = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise SourceError(getattr(error, "strerror", None) or str(error)) from None
    if len(text) > most:
        raise SourceError(f"is larger than {most >> 20} MiB")
    return text.decode("utf-8", "replace").removesuffix("\n").split("\n")


def has_changed(path: str, log: Log) -> bool:
    """Returns whether a file was changed after the run began. Raises SourceError if stat fails."""
    try:
        return os.stat(path).st_mtime > log.info.start
    except (OSError, ValueError) as error:
        raise SourceError(getattr(error, "strerror", None) or str(error)) from None


def state(path: str, log: Log) -> str:
    """Returns how a file may differ from the file that ran: "changed since", or the reason why it
    cannot be read. Returns "" if it was not changed after the run began."""
    try:
        return "changed since" if has_changed(path, log) else ""
    except SourceError as error:
        return str(error)
