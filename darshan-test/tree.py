"""The source tree, and the real logs beside it.

What tests import has a name of its own: there is a conftest.py in many folders, and
`from conftest import ...` would be answered by the one that was loaded last.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent


def started_by(build: Path) -> list[str]:
    """What starts the programs of a build that is for another processor; nothing for others."""
    note = build / "started-by"
    return note.read_text().split("\n")[:-1] if note.exists() else []


def real_log_paths() -> list[Path]:
    """The real logs, sorted; empty where a clone came without them."""
    folder = Path(os.environ.get("DARSHAN_REAL_LOGS") or SOURCE.parent / "shared" / "logs")
    paths = sorted(folder.glob("*.darshan"))
    if not paths and os.environ.get("CI"):
        raise FileNotFoundError(f"CI is set, but there are no real logs in {folder}")
    if not paths:
        warnings.warn("the real logs were not there (DARSHAN_REAL_LOGS)", stacklevel=2)
    return paths
