"""Finds the SQLite databases of a log, by file names and by the library that used the files."""

from __future__ import annotations

import re

from ..facts import Facts, once
from ..finding import Remedy
from .used_through import used_through

_DATABASE = re.compile(r"\.(?:db|db3|sqlite|sqlite3)$", re.IGNORECASE)
_BESIDE = ("-journal", "-wal", "-shm")  # suffixes of the files that SQLite keeps for a database
_LIBRARY = r"_?sqlite3\.|libsqlite3\.so"
_PROGRAM = re.compile(r"\.(?:pyc?|so)$|\.so\.[0-9.]+$")

IN_A_TRANSACTION = Remedy(
    "SQLite locks its database for each transaction, and a query outside of one is a transaction "
    "of its own: put the whole loop into one. Or let the connection keep the lock, if no other "
    "process uses the database.",
    "SQL: BEGIN;  -- before the loop;  COMMIT;  -- after it\n"
    "Python: db.execute('BEGIN')  # before a loop of queries;  db.commit()  # after it\n"
    "SQL: PRAGMA locking_mode = EXCLUSIVE;",
)


@once
def databases(facts: Facts) -> frozenset[str]:
    """Returns the file names of the SQLite databases that the program used, without the files that
    SQLite keeps beside a database."""
    found: set[str] = set()
    through = used_through(facts, _LIBRARY)
    for module in ("POSIX", "POSIX_EXT"):
        table = facts.table(module)
        for number in () if table is None else table.ids.tolist():
            name = facts.own_name(number)
            beside = next((end for end in _BESIDE if name.endswith(end)), "")
            if beside or _DATABASE.search(name) or (
                number in through and not _PROGRAM.search(name)
            ):  # fmt: skip
                found.add(name.removesuffix(beside))
    return frozenset(found)
