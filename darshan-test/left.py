"""What the processes of a run leave besides logs."""

from __future__ import annotations

import time
from pathlib import Path

SECONDS = 10  # that what outlives the first process may take
RUN = "darshan-run."


def left_in(journals: Path) -> list[Path]:
    """The files in a folder for journals, and in those of runs, of which none should be left.

    Nobody waits for a run's last process, nor for who makes the log: these go on when the
    program that was started has ended.
    """
    end = time.monotonic() + SECONDS
    while any(journals.glob(f"{RUN}*")) and time.monotonic() < end:
        time.sleep(0.01)
    return sorted(
        path
        for path in (*journals.iterdir(), *journals.glob(f"{RUN}*/*"))
        if not path.name.startswith(RUN) and path.name not in {"events", "logs"}
    )
