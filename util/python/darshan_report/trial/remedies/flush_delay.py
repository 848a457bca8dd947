"""The remedy that delays flushes of streams."""

from __future__ import annotations

from ...diagnose.remedies.language import FLUSHES, of_libc
from ..planning.case import Case, Plan
from ..planning.holding import who_else

NAME = "flush-delay"
WHAT = "obeys flushes of a stream (fflush) once in 100 ms, or when 1 MiB is held back"
CURES = ("stream-flushes",)
_SIZE = 1 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program opens no stream of a file, or
    another process or descriptor may use the file while a stream holds bytes back."""
    return who_else(case) or Plan(f"{NAME}={_SIZE}", keep=of_libc(FLUSHES))
