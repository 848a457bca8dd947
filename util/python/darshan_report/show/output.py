"""Writes output files atomically, and standard output."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Callable
from typing import IO, TypeVar

from . import signal_exit

_T = TypeVar("_T")


def _status(target: str) -> os.stat_result | None:
    """Returns the status of a file, following links; None if the file does not exist."""
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def same_file(one: str, other: str) -> bool:
    """Returns whether both names refer to the same existing file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _replace(
    target: str, before: os.stat_result | None, fill: Callable[[IO[bytes]], object]
) -> None:
    """Writes a new file and renames it to `target`, so that readers never see a part of it. before:
    status of the old file, whose mode the new one gets; None: no old file. fill: writes the
    content."""
    with signal_exit.file_beside(target) as (handle, temporary):
        with os.fdopen(handle, "wb") as copy:
            fill(copy)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, stat.S_IMODE(before.st_mode) if before else 0o666 & ~mask)
        os.replace(temporary, target)


def replace(target: str, fill: Callable[[IO[bytes]], object]) -> None:
    """Writes a file atomically: writes a temporary file in the same folder and renames it. If
    `target` is a symbolic link, replaces the file that it refers to. A device or pipe is written
    directly. fill: writes the content to the open file. Raises OSError, and then leaves the target
    as it was."""
    before = _status(target)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(target, "wb") as file:
            fill(file)
    else:
        try:
            _replace(os.path.realpath(target), before, fill)
        except OSError as error:  # the user does not know the name of the temporary file
            if os.path.basename(str(error.filename)).startswith(signal_exit.BESIDE):
                error.filename, error.filename2 = target, None
            raise


def standard_output() -> IO[bytes]:
    """Returns the standard output as a file for bytes. Raises OSError if the parent process has
    closed it."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return sys.stdout.buffer


def asked(parse: Callable[[], _T], say: Callable[[str], None]) -> _T:
    """Returns the result of `parse`, which parses arguments and may print --help. If that cannot be
    written, passes one line to `say` and raises SystemExit; if the reader of the pipe has closed
    it, ends the process by SIGPIPE."""
    try:
        try:
            return parse()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        signal_exit.end(signal.SIGPIPE)
        raise
    except OSError as error:
        say(f"cannot write to standard output: {error.strerror}")
        # Otherwise Python would print an error at exit about the unwritten output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(1) from None


def is_terminal(target: str) -> bool:
    """Returns whether the file at a path, or standard output for "-", is a terminal; False if it
    does not exist."""
    if target == "-":
        return sys.stdout is not None and sys.stdout.isatty()
    before = _status(target)
    if before is None or not stat.S_ISCHR(before.st_mode):
        return False
    with open(target, "wb") as file:
        return file.isatty()


def write_text(text: str, target: str) -> None:
    """Writes a text to the file `target` in UTF-8, atomically; "-" is standard output. Raises
    OSError."""
    write_bytes(text.encode("utf-8", "backslashreplace"), target)


def write_bytes(content: bytes, target: str) -> None:
    """Writes bytes to the file `target`, atomically; "-" is standard output. Raises OSError."""
    if target == "-":
        standard_output().write(content)
    else:
        replace(target, lambda file: file.write(content))
