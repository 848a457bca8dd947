"""Decides which files of a log were temporary. These are files in the folder of a trial, and files
below /tmp, /dev/shm or this process's TMPDIR that are not below the current folder and do not
exist."""

from __future__ import annotations

import os
import tempfile

WORK = ".darshan-try-"  # how the folder of a trial begins, which has the TMPDIR of its runs


def is_below(name: str, folder: str) -> bool:
    """Returns whether a path is the folder itself or below it."""
    return bool(folder) and f"{name}/".startswith(f"{folder.rstrip('/')}/")


def is_temporary(name: str) -> bool:
    """Returns whether an absolute path was a temporary file of a run, as the module's docstring
    defines it."""
    if f"/{WORK}" in name:
        return True
    folders = ("/tmp", "/dev/shm", tempfile.gettempdir())
    below = any(is_below(name, folder) for folder in folders)
    return below and not is_below(name, os.getcwd()) and not os.path.lexists(name)
