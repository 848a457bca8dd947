"""The remedy that loads the next file of a list into the page cache, while the program works on the
one before."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...diagnose.facts import Facts
from ...diagnose.table import Table
from ...units import amount
from ..planning.case import Case, Plan
from ..planning.reading import OPENS

NAME = "next-file"
WHAT = "has the kernel read the file that the program opens next, in the order of the log"
# No finding shows that the program works between two files; only then there is time to read ahead.
CURES: tuple[str, ...] = ()
_MOST_READ = 1.25  # times the size: a library may read a header twice
_LEAST_FILES, _LEAST_SIZE, _LEAST_SUM = 8, 64 << 10, 16 << 20
# The runtime reads no longer list. A name has at most 4,096 bytes.
_MOST_FILES, _MOST_BYTES = 16384, 4 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program does not read many files one
    after the other, each whole and once, or more than memory may hold."""
    if case.facts.together:
        return "the job has several ranks"
    sizes = _in_order(case.facts)
    whole = sum(sizes.values())
    if len(sizes) < _LEAST_FILES or whole < _LEAST_SUM:
        return (
            f"{len(sizes)} files of at least {amount(_LEAST_SIZE)}, with {amount(whole)}, are each "
            "opened once, read whole by one process, and not written"
        )
    if 2 * whole > case.memory:
        return (
            f"its files have {amount(whole)}, which is more than half of the free memory "
            f"({amount(case.memory)})"
        )
    return Plan(
        f"{NAME}=1",
        names=_that_fit(sizes),
        keep="C: int next = open(paths[i + 1], O_RDONLY);  for (off_t at = 0; at < size; at += "
        "1 << 17) posix_fadvise(next, at, 1 << 17, POSIX_FADV_WILLNEED);  close(next);"
        "  // before the work on paths[i]\n"
        "Python: with open(paths[i + 1], 'rb') as next: [os.posix_fadvise(next.fileno(), at, "
        "1 << 17, os.POSIX_FADV_WILLNEED) for at in range(0, size, 1 << 17)]"
        "  # before the work on paths[i]",
        opens=OPENS,
    )


@dataclass
class _File:
    """The use of a file by the program, of all layers: numpy opens a file by a descriptor, and
    makes a stream of it."""

    began: float = float("inf")  # seconds: the first open
    opens: int = 0
    read: int = 0  # bytes
    size: int = 0  # bytes up to the last one read
    is_excluded: bool = False  # is written, or used by several processes

    def add(self, facts: Facts, table: Table, place: int) -> None:
        """Adds the record at this row of a table, of POSIX or STDIO."""
        self.began = min(self.began, float(_began(table)[place]))
        self.opens += int(facts.opens(table)[place])
        self.read += int(table["BYTES_READ"][place])
        self.size = max(self.size, 1 + int(table["MAX_BYTE_READ"][place]))
        written = table["WRITES"][place] or table["BYTES_WRITTEN"][place]
        self.is_excluded |= bool(written) or table.processes[place] != 1

    def is_listed(self, name: str) -> bool:
        """Returns whether the file is opened once, read whole, about once, by one process, and not
        written. name: its path; its size must not have changed since."""
        is_once = self.opens == 1 and self.size <= self.read <= _MOST_READ * self.size
        return is_once and not self.is_excluded and _has_size(name, self.size)


def _began(table: Table) -> npt.NDArray[np.float64]:
    return table.seconds_or_bytes("F_OPEN_START_TIMESTAMP")


def _in_order(facts: Facts) -> dict[str, int]:
    """Returns the size of each file that can be read ahead by its path, in the order in which the
    program opens them."""
    found: dict[str, _File] = {}
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        for place, record in enumerate(table.ids if table is not None else ()):
            name = facts.name(int(record))
            if table is not None and name.startswith("/"):
                found.setdefault(name, _File()).add(facts, table, place)
    large = ((name, one) for name, one in found.items() if one.size >= _LEAST_SIZE)
    listed = [(one.began, name, one.size) for name, one in large if one.is_listed(name)]
    return {os.path.realpath(name): size for _, name, size in sorted(listed)}


def _has_size(name: str, size: int) -> bool:
    """Returns whether a file has this size, also if it no longer exists: runs may make it again."""
    try:
        return os.stat(name).st_size == size
    except OSError:
        return True


def _that_fit(names: dict[str, int]) -> tuple[str, ...]:
    """Returns the first names that the runtime accepts. names: sizes by path."""
    found, room = [], _MOST_BYTES
    for name in list(names)[:_MOST_FILES]:
        room -= len(os.fsencode(name)) + 1
        if room < 0:
            break
        found.append(name)
    return tuple(found)
