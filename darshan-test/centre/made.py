"""Makes corpora of logs by running the command make-corpus, as users do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# The command.
MAKE = Path(__file__).resolve().parent / "make-corpus"
SECONDS = 120


def make(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs make-corpus with the Python of the tests. arguments: of the command. Returns its status
    and output."""
    return subprocess.run(
        [sys.executable, MAKE, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
