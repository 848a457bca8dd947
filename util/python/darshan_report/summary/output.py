"""Files that are made as a whole or not at all, and standard output."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Callable
from typing import IO, TypeVar

from . import ending

_T = TypeVar("_T")


def _status(target: str) -> os.stat_result | None:
    """The status of a target that is there, links followed; None: a new file is to be made."""
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def same_file(one: str, other: str) -> bool:
    """Are both names, as far as they exist, of one file?"""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _replace(
    target: str, before: os.stat_result | None, fill: Callable[[IO[bytes]], object]
) -> None:
    with ending.file_beside(target) as (handle, temporary):
        with os.fdopen(handle, "wb") as copy:
            fill(copy)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, stat.S_IMODE(before.st_mode) if before else 0o666 & ~mask)
        os.replace(temporary, target)


def replace(target: str, fill: Callable[[IO[bytes]], object]) -> None:
    """Makes a file at target, all of it or nothing: written beside it, then renamed.

    A symbolic link stays one: what it points to is replaced.  What is no
    regular file (a device, a pipe) is written to, never replaced.
    """
    before = _status(target)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(target, "wb") as file:
            fill(file)
    else:
        try:
            _replace(os.path.realpath(target), before, fill)
        except OSError as error:  # nobody knows the name of the file beside it
            if os.path.basename(str(error.filename)).startswith(ending.BESIDE):
                error.filename, error.filename2 = target, None
            raise


def standard_output() -> IO[bytes]:
    """Standard output for bytes; OSError where the caller has closed it."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdout.buffer


def asked(parse: Callable[[], _T], say: Callable[[str], None]) -> _T:
    """What the arguments ask for; that --help cannot be written is said in a line."""
    try:
        try:
            return parse()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        ending.end(signal.SIGPIPE)
        raise
    except OSError as error:
        say(f"cannot write -: {error.strerror}")
        # Python would complain at exit about what it could not write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(1) from None


def is_terminal(target: str) -> bool:
    """Would what is written to target (or "-") appear on a screen?"""
    if target == "-":
        return sys.stdout is not None and sys.stdout.isatty()
    before = _status(target)
    if before is None or not stat.S_ISCHR(before.st_mode):
        return False
    with open(target, "wb") as file:
        return file.isatty()


def write_text(text: str, target: str) -> None:
    """Makes a text file in UTF-8; "-" is standard output."""
    content = text.encode("utf-8", "backslashreplace")
    if target == "-":
        standard_output().write(content)
    else:
        replace(target, lambda file: file.write(content))
