"""The paths of the source tree and of the real logs.

Tests import modules with unique names.  Many folders have a conftest.py, and `from conftest import
...` would import the one that was loaded last.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent


def started_by(build: Path) -> list[str]:
    """Returns the command that runs programs of a build for another processor; [] for
    other builds."""
    note = build / "started-by"
    return note.read_text().split("\n")[:-1] if note.exists() else []


def real_log_paths() -> list[Path]:
    """Returns the real logs, sorted; empty if the clone lacks them."""
    folder = Path(os.environ.get("DARSHAN_REAL_LOGS") or SOURCE.parent / "shared" / "logs")
    paths = sorted(folder.glob("*.darshan"))
    if not paths and os.environ.get("CI"):
        raise FileNotFoundError(f"CI is set, but there are no real logs in {folder}")
    if not paths:
        warnings.warn("the real logs were not there (DARSHAN_REAL_LOGS)", stacklevel=2)
    return paths
