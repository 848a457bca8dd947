"""Lists the files that the processes of a run left, other than logs."""

from __future__ import annotations

import time
from pathlib import Path

# Seconds that processes may run after the root process has ended.
SECONDS = 10
# Beginning of the names of run directories.
RUN = "darshan-run."


def left_in(journals: Path) -> list[Path]:
    """Returns the files that are left in a folder of journals and in its run directories, of which
    there should be none. First waits, for at most SECONDS, until the run directories are gone,
    because the merger and the last processes of the run may outlive the program that was
    started."""
    end = time.monotonic() + SECONDS
    while any(journals.glob(f"{RUN}*")) and time.monotonic() < end:
        time.sleep(0.01)
    return sorted(
        path
        for path in (*journals.iterdir(), *journals.glob(f"{RUN}*/*"))
        if not path.name.startswith(RUN) and path.name not in {"events", "logs"}
    )
