"""The remedy that switches off the kernel's read-ahead for files that are read at random offsets,
by posix_fadvise."""

from __future__ import annotations

from ..planning.case import Case, Plan
from ..planning.reading import OPENS, too_little

NAME = "random"
WHAT = "has the kernel read nothing ahead (POSIX_FADV_RANDOM)"
CURES = ("random-access-read",)
_ADVICE = 1  # POSIX_FADV_RANDOM of Linux


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program reads little."""
    return too_little(case) or Plan(
        f"advice={_ADVICE}",
        keep="C: posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);  // after open\n"
        "Python: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)  # after open",
        opens=OPENS,
    )
