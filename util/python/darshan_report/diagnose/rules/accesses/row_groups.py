"""Parquet files that are written in row groups of a few rows each. Every row group has its own
headers, statistics and index for each column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....call_sites.measured import WRITE
from ....units import amount, count, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...times.ledger import BETWEEN, ledger
from ...times.loops import calls_through, loops_of

NAME = "row-groups"
ROLE = CAUSE
_WRITES = re.compile(
    r"pyarrow\.(?:\w+\.)*(?:ParquetWriter|write_table|write_dataset)|\w+\.(?:\w+\.)*(?:to_parquet|"
    r"write_parquet)|libparquet\.so"
)
_REMEDY = Remedy(
    "Collect rows and write 100,000 or more of them together, with one call.",
    "Python: tables.append(table)  # in the loop, until they have 100,000 rows\n"
    "Python: writer.write_table(pyarrow.concat_tables(tables))  # then with one call\n"
    "row_group_size=1_000_000  # of write_table and to_parquet, or none",
)


@needs("SITES")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding, over all files, if a loop writes Parquet files in very small row groups;
    otherwise nothing. Call sites show the loop."""
    known, posix = loops_of(facts), facts.table("POSIX")
    if known is None or posix is None:
        return
    limits = facts.limits
    spent = between = 0.0
    calls = moved = 0
    through = ""
    files: set[int] = set()
    for loop in known.groups:
        for function, sums in calls_through(loop, _WRITES).items():
            writes = int(sums.calls_of[WRITE])
            if writes < limits["operations"] or sums.written > limits["pieces.bytes"] * writes:
                continue
            spent += sums.seconds
            between += known.overlap * min(sums.shown_gaps, sums.calls * limits["pieces.seconds"])
            calls, moved = calls + writes, moved + sums.written
            through = through or function
            files.update(sums.files.moved)
    between = min(between, ledger(facts)[BETWEEN])
    places = [at for at, one in enumerate(posix.ids.tolist()) if one in files]
    stake = facts.stake(
        float(facts.lost(spent, moved)),
        "time in these calls, and between them in the library",
        between=between,
    )
    if not places or not facts.worth(stake):
        return
    first = max(places, key=lambda at: int(posix["WRITES"][at]))
    yield Finding(
        NAME,
        "Parquet is written a few rows at a time",
        f"{through} wrote {amount(moved)} with {count(calls)} writes of "
        f"{amount(moved / calls)} on average, into {facts.name(int(posix.ids[first]))}"
        + (" and others" if places[1:] else "")
        + f". Each call makes a row group, with headers and statistics for each column. This took "
        f"{seconds(spent)} in calls, and up to {seconds(between)} in the library between them"
        f"{facts.over_all}.",
        stake=stake,
        evidence=facts.rows(posix, first, "WRITES", "F_WRITE_TIME", "F_META_TIME"),
        remedy=_REMEDY,
        limits=("operations", "pieces.bytes", "pieces.seconds"),
        covers=frozenset(int(posix.ids[at]) for at in places),
    )
