"""The paths of the source tree and of the real logs.

Tests import modules with unique names, because many folders have a conftest.py, and `from conftest
import ...` would import the one that was loaded last."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

# The top of the source tree.
SOURCE = Path(__file__).resolve().parent.parent


def build_folder() -> Path:
    """Returns the path of the build folder: DARSHAN_BUILD, or build/ of the source tree."""
    return Path(os.environ.get("DARSHAN_BUILD") or SOURCE / "build").resolve()


def use_binding() -> None:
    """Lets this process import darshan_report of the build, with the build's C library. A
    conftest.py calls it before the tests of its folder are imported."""
    sys.path.insert(0, str(build_folder() / "python"))
    os.environ["DARSHAN_READ_LIB"] = str(build_folder() / "libdarshan-read.so.0")


def started_by(build: Path) -> list[str]:
    """Returns the words in front of a command that let programs of a build for another processor
    run here (from the build's file started-by); [] for a build for this processor."""
    note = build / "started-by"
    return note.read_text().split("\n")[:-1] if note.exists() else []


def real_log_paths() -> list[Path]:
    """Returns the paths of the real logs, sorted; [] with a warning if the clone does not have
    them. Raises FileNotFoundError instead if CI is set."""
    folder = Path(os.environ.get("DARSHAN_REAL_LOGS") or SOURCE.parent / "shared" / "logs")
    paths = sorted(folder.glob("*.darshan"))
    if not paths and os.environ.get("CI"):
        raise FileNotFoundError(f"CI is set, but there are no real logs in {folder}")
    if not paths:
        warnings.warn("the real logs were not there (DARSHAN_REAL_LOGS)", stacklevel=2)
    return paths
