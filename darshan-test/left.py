"""Lists the files that the processes of a run leave besides logs."""

from __future__ import annotations

import time
from pathlib import Path

SECONDS = 10  # that processes may outlive the root process
RUN = "darshan-run."


def left_in(journals: Path) -> list[Path]:
    """Returns the remaining files in a folder of journals and in its run directories; none should
    remain.  Waits for the merger and the last processes of the run, which may outlive the
    program that was started."""
    end = time.monotonic() + SECONDS
    while any(journals.glob(f"{RUN}*")) and time.monotonic() < end:
        time.sleep(0.01)
    return sorted(
        path
        for path in (*journals.iterdir(), *journals.glob(f"{RUN}*/*"))
        if not path.name.startswith(RUN) and path.name not in {"events", "logs"}
    )
