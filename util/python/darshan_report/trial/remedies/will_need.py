"""The remedy that loads files into the page cache before they are read, by posix_fadvise."""

from __future__ import annotations

from ...units import amount
from ..planning.case import Case, Plan
from ..planning.reading import OPENS, sizes_read, too_little

NAME = "will-need"
WHAT = "has the kernel read a file into the page cache as soon as the program opens it"
CURES = ("random-access-read", "small-accesses-read", "many-small-files")
_ADVICE = 3  # POSIX_FADV_WILLNEED of Linux


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program reads little, or more than
    memory may hold."""
    if why := too_little(case):
        return why
    whole = sum(sizes_read(case).values())
    if 2 * whole > case.memory:
        return (
            f"its files have {amount(whole)}, which is more than half of the free memory "
            f"({amount(case.memory)})"
        )
    return Plan(
        f"advice={_ADVICE}",
        # One call reads no more than the device's read-ahead, which is mostly 128 KiB.
        keep="C: for (off_t at = 0; at < size; at += 1 << 17) posix_fadvise(fd, at, 1 << 17, "
        "POSIX_FADV_WILLNEED);  // after open\n"
        "Python: for at in range(0, size, 1 << 17): os.posix_fadvise(file.fileno(), at, 1 << 17, "
        "os.POSIX_FADV_WILLNEED)  # after open",
        opens=OPENS,
    )
