"""Finds the SQLite databases of a log, by file names and by the library that used the files."""

from __future__ import annotations

import re

from ..facts import Facts, once
from ..finding import Remedy
from ..table import Table
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
REWRITES_ALL = Remedy(
    "Transactions that change nearly every page write the whole database, and its old pages to the "
    "journal. VACUUM is one: call it seldom, such as once at the end, or not at all, because "
    "SQLite uses the pages of deleted rows again; or let it give back a few pages at a time. Of "
    "changes to all rows, make several in one statement, or in one transaction.",
    "SQL: PRAGMA auto_vacuum = INCREMENTAL;  -- before the first table is made\n"
    "SQL: PRAGMA incremental_vacuum(100);  -- instead of VACUUM: up to 100 pages\n"
    "SQL: VACUUM;  -- once, after the last deletions\n"
    "SQL: BEGIN;  -- before several changes to all rows;  COMMIT;  -- after them",
)
_TIMES = 4  # fewest transactions that write the whole database
_WHOLE = 0.5  # smallest share of the database that the journal of each transaction has
_JOURNALS = 4  # most journals for each of them; a small transaction before each has one, too


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


def is_kept_by_sqlite(facts: Facts, name: str) -> bool:
    """Returns whether a file is one that SQLite keeps beside a database, such as its journal."""
    beside = next((end for end in _BESIDE if name.endswith(end)), "")
    return bool(beside) and name.removesuffix(beside) in databases(facts)


def times_rewritten(facts: Facts, table: Table, place: int) -> int:
    """Returns how often, at least, one transaction wrote a whole database of SQLite, as its journal
    shows; 0 for other files, and for databases of which transactions change a part. The database
    may have been smaller than at its largest. place: row of the database or of its journal."""
    name = facts.name(int(table.ids[place])).removesuffix(_BESIDE[0])
    if name not in databases(facts):
        return 0
    of_name = {facts.name(number): row for row, number in enumerate(table.ids.tolist())}
    base, journal = of_name.get(name), of_name.get(name + _BESIDE[0])
    if base is None or journal is None:
        return 0
    size = float(table["MAX_BYTE_WRITTEN"][journal]) + 1
    whole = float(max(table["MAX_BYTE_READ"][base], table["MAX_BYTE_WRITTEN"][base])) + 1
    times = float(table["BYTES_WRITTEN"][journal]) / size
    opens = float(facts.opens(table)[journal])
    is_whole = size >= _WHOLE * whole and opens <= _JOURNALS * times
    return int(times) if is_whole and times >= _TIMES else 0
