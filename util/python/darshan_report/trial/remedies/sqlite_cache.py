"""The remedy that gives SQLite a larger page cache, for databases whose pages are read again."""

from __future__ import annotations

import numpy as np

from ...diagnose.programs.sqlite import databases
from ...units import amount
from ..planning.case import Case, Plan

NAME = "sqlite-cache"
WHAT = "gives each connection to a database of SQLite a page cache of 200 MB"
CURES = ("same-bytes-again-read",)
_KIB = 200_000


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program uses no SQLite database, or
    memory may not hold the caches. Each open may be a connection with a cache, which is never
    larger than the database."""
    facts = case.facts
    posix, known = facts.table("POSIX"), databases(facts)
    mine = [n for n, i in enumerate(posix.ids.tolist()) if facts.name(i) in known] if posix else []
    if posix is None or not mine:
        return "the program uses no database of SQLite"
    ends = np.maximum(posix["MAX_BYTE_READ"], posix["MAX_BYTE_WRITTEN"])[mine] + 1
    needed = int((np.clip(ends, 0, _KIB << 10) * np.maximum(facts.opens(posix)[mine], 1)).sum())
    if 2 * needed > case.memory:
        return (
            f"page caches may take {amount(needed)}, which is more than half of the free memory "
            f"({amount(case.memory)})"
        )
    return Plan(
        f"{NAME}={_KIB << 10}",
        keep=f"Python: connection.execute('PRAGMA cache_size = -{_KIB}')\n"
        f'C: sqlite3_exec(db, "PRAGMA cache_size = -{_KIB}", NULL, NULL, NULL);\n'
        f"SQL: PRAGMA cache_size = -{_KIB};  -- KiB of memory, in each connection",
    )
