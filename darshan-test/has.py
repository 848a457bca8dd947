"""For scripts that a person starts with whatever Python there is: one line says what it lacks."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def need(*packages: str) -> None:
    """Ends the script unless this Python has them."""
    lacking = [name for name in packages if importlib.util.find_spec(name) is None]
    if lacking:
        script = Path(sys.argv[0]).name
        sys.exit(
            f"{script}: needs {' and '.join(lacking)}, which {sys.executable} does not have: "
            f".venv/bin/python {sys.argv[0]} has them after ./dev pytest, or "
            f"{sys.executable} -m pip install numpy pyarrow duckdb; darshan_report: "
            "PYTHONPATH=build/python"
        )
