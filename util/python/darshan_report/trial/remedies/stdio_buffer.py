"""The remedy that gives libc's streams a larger buffer, also if the program switched buffering
off."""

from __future__ import annotations

from ...diagnose.remedies.language import READ_BUFFER, WRITE_BUFFER
from ..planning.case import Case, Plan
from ..planning.holding import who_else

NAME = "stdio-buffer"
WHAT = "gives streams of regular files (fopen) a buffer of 1 MiB"
CURES = ("unbuffered-stream", "line-buffered")
_SIZE = 1 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program opens no stream of a file, or
    another process or descriptor may use the file while a stream holds bytes back."""
    if why := who_else(case):
        return why
    reads = case.finding is not None and case.finding.name.endswith("-read")
    return Plan(f"{NAME}={_SIZE}", keep=READ_BUFFER if reads else WRITE_BUFFER)
