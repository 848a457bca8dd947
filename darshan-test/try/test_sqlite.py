"""The remedy sqlite-cache helps a program that reads pages of a database repeatedly, is refused for
others, and changes no result."""

from __future__ import annotations

import sqlite3

from .conftest import Try
from .test_remedies import script
from .test_writing import left

# Reads all rows of a table 100 times.
SCANS = """
import sqlite3
base = sqlite3.connect("data.db")
print(sum(base.execute("SELECT sum(i) FROM t").fetchone()[0] for _ in range(100)))
"""
# Sets its own cache size, and writes a database.
WRITES = """
import os, sqlite3
base = sqlite3.connect("any.db")
base.execute("PRAGMA page_size = 8192")
print(base.execute("PRAGMA cache_size").fetchone() if "asks" in os.environ else 0)
base.execute("PRAGMA cache_size = 7")
base.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, x BLOB)")
base.executemany("INSERT INTO t VALUES (?, zeroblob(3000))", ((i,) for i in range(300)))
base.execute("DELETE FROM t WHERE i % 3 = 0")
base.commit()
print(base.execute("PRAGMA cache_size").fetchone(), base.execute("PRAGMA page_size").fetchone())
try:
    sqlite3.connect("file:no/such/folder/x.db", uri=True).execute("SELECT 1")
except sqlite3.OperationalError as error:
    print(error)
"""
# A value of DARSHAN_TRY with a cache of 200,000 KiB.
SETTING = f"sqlite-cache={200_000 << 10}"


def test_pages_that_are_read_again(trial: Try) -> None:
    """For a program that reads pages of a database repeatedly, sqlite-cache sets a cache as large
    as the database. It is refused if it would take more than half of the free memory."""
    with sqlite3.connect(trial.user / "data.db") as base:
        base.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, x BLOB)")
        base.executemany("INSERT INTO t VALUES (?, zeroblob(3000))", ((i,) for i in range(2500)))
    base.close()
    command = script(trial, SCANS)
    log = trial.log(*command)
    status, rows, whole = trial.found(log, "--copy", ".", "--", *command)
    row = rows["sqlite-cache"]
    assert (status, row["result"]) == (0, "helped"), whole
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["reads"]["after"] < changes["reads"]["before"] / 10
    assert row["keep"] == ["program.py:4  connection.execute('PRAGMA cache_size = -200000')"]

    from darshan_report.diagnose.facts import Facts  # noqa: PLC0415
    from darshan_report.log import open_log  # noqa: PLC0415
    from darshan_report.trial.planning.case import Case  # noqa: PLC0415
    from darshan_report.trial.remedies import sqlite_cache  # noqa: PLC0415

    with open_log(log) as opened:
        told = sqlite_cache.plan(Case(Facts(opened), None, 1 << 20))
    assert isinstance(told, str) and "more than half of the free memory" in told


def test_a_writer_is_not_broken(trial: Try) -> None:
    """With sqlite-cache, cache sizes that the program sets itself stay in effect; otherwise the
    remedy's size is used. The database and errors are the same as without."""
    command = script(trial, WRITES)
    assert left(trial, SETTING, *command) == left(trial, "", *command)
    asks = [left(trial, setting, "env", "asks=1", *command)[1] for setting in (SETTING, "")]
    assert [str(said).split("\n")[0] for said in asks] == ["(-200000,)", "(-2000,)"]


def test_no_database(trial: Try) -> None:
    """sqlite-cache is refused for a program that repeatedly reads a file that is not a database."""
    program = "for n in range(40): open('in.bin', 'rb').read()\n"
    (trial.user / "in.bin").write_bytes(bytes(4 << 20))
    _, rows, _ = trial.found("--only", "sqlite-cache", "--", *script(trial, program))
    assert rows["sqlite-cache"]["reason"] == "the program uses no database of SQLite"
