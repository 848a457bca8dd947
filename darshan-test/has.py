"""Checks for packages, in scripts that a user may start with any Python."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def need(*packages: str) -> None:
    """Ends the script with a message of one line if this Python lacks one of the packages."""
    lacking = [name for name in packages if importlib.util.find_spec(name) is None]
    if lacking:
        script = Path(sys.argv[0]).name
        sys.exit(
            f"{script}: needs {' and '.join(lacking)}, which {sys.executable} does not have: "
            f"run it with .venv/bin/python, which has them after ./dev pytest build; "
            "darshan_report: PYTHONPATH=build/python"
        )
