"""The remedy that lets the kernel read further ahead, by posix_fadvise."""

from __future__ import annotations

from ..planning.case import Case, Plan
from ..planning.reading import OPENS, too_little

NAME = "sequential"
WHAT = "has the kernel read twice as far ahead (POSIX_FADV_SEQUENTIAL)"
CURES: tuple[str, ...] = ()  # no finding shows that the kernel reads too little ahead
_ADVICE = 2  # POSIX_FADV_SEQUENTIAL of Linux


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program reads little."""
    return too_little(case) or Plan(
        f"advice={_ADVICE}",
        keep="C: posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);  // after open\n"
        "Python: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)  # after open",
        opens=OPENS,
    )
