"""Finds the SQLite databases of a log, by the names of files."""

from __future__ import annotations

import re

from .facts import Facts, once

_DATABASE = re.compile(r"\.(?:db|db3|sqlite|sqlite3)$", re.IGNORECASE)
_BESIDE = ("-journal", "-wal", "-shm")  # what SQLite adds to the name of a database


@once
def databases(facts: Facts) -> frozenset[str]:
    """Returns the names of the databases that the program used."""
    found: set[str] = set()
    for module in ("POSIX", "POSIX_EXT"):
        table = facts.table(module)
        for number in () if table is None else table.ids.tolist():
            name = facts.own_name(number)
            beside = next((end for end in _BESIDE if name.endswith(end)), "")
            if beside or _DATABASE.search(name):
                found.add(name.removesuffix(beside))
    return frozenset(found)
