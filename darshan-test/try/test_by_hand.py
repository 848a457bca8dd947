"""For findings that no remedy can solve without an edit of the program, `darshan try` says which
line to edit, and how."""

from __future__ import annotations

from .conftest import Try
from .test_remedies import script

# Each insert is a transaction of its own: SQLite reads no file of settings, and no call below it
# can tell how many belong together.
INSERTS = """
import sqlite3
base = sqlite3.connect("results.db", isolation_level=None)
base.execute("PRAGMA cache_size = -1000")
base.execute("CREATE TABLE t (i)")
for i in range(400):
    base.execute("INSERT INTO t VALUES (?)", (i,))
"""


def test_transactions_of_sqlite(trial: Try) -> None:
    """For inserts that are a transaction each, the JSON names the line of the insert in "by_hand".
    If the log has no call sites, one more run finds the line."""
    command = script(trial, INSERTS)
    line = 1 + INSERTS.splitlines().index('    base.execute("INSERT INTO t VALUES (?)", (i,))')
    log = trial.log(*command, clean=True)
    (trial.user / "program.py").write_text(INSERTS)
    # Without a copy to measure them in, no run is made.
    status, rows, whole = trial.found("--yes-repeat", log, "--", *command)
    edits = {edit["finding"]: edit for edit in whole["by_hand"]}
    assert status == 1 and "syncs" in edits, whole
    assert edits["syncs"]["at"] == "" and whole["notes"]
    assert "transaction" in edits["syncs"]["remedy"]
    assert {row["result"] for row in rows.values()} == {"not tried"}
    said = trial.run("--yes-repeat", "--", *command).stdout
    assert f"edit program.py:{line}:  Call fsync" in said and "not from outside" in said


def test_the_library_through_which_a_program_uses_hdf5() -> None:
    """A Python program that uses netCDF or PyTables is told that library's call, not h5py's."""
    from darshan_report.trial.keep import labelled  # noqa: PLC0415

    rows = ["Python: h5py.File(path)", "PyTables: tables.open_file(path)", "netCDF: nc_open"]
    for through, told in (("", 0), ("PyTables", 1), ("netCDF", 2)):
        found = labelled(rows, None, ".py", through=through)  # type: ignore[arg-type]
        assert found == [rows[told].partition(": ")[2]]
