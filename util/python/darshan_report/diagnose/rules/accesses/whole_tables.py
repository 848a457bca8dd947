"""Tables in a columnar format that are read with all columns, although the program may use only
some of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ....call_sites.lines import Line
from ....call_sites.told import name_of, places_of
from ....units import amount, plural, seconds, share
from ...facts import Facts, leading
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...reached import needs
from ...times.ledger import COMPUTING, PROCESSOR, RANKS, WAITING, ledger
from ...times.loops import loops_of

NAME = "whole-tables"
ROLE = REMARK
_NAMES = re.compile(r"\.(?:parquet|pq|parq|orc|feather|arrow)$", re.IGNORECASE)
_READS = re.compile(r"(?:pandas|pyarrow|polars|dask|geopandas)\.(?:\w+\.)*(?:read|scan)_\w+")
_WHOLE = 0.9  # share of a file that is read
_MOST = 0.5  # share of the time in which the program must compute or decode


def _reader(facts: Facts) -> tuple[str, str]:
    """Returns the library function that reads tables, and text for the user's line that called it;
    ("", "") if the call sites show no function that takes a list of columns. Threads of the library
    make the reads, so only other calls of the function, such as a stat, show the user's line."""
    known = loops_of(facts)
    for loop in known.groups if known else ():
        for site in loop.sites:
            inside = map(name_of, reversed(site.places[: max(0, site.user)]))
            if found := next(filter(_READS.match, inside), ""):
                [(where, called_in)] = places_of([Line([site])])
                return found, f"{where}, in {called_in} (through {found})"
    return "", ""


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one notice, a hint: if a program reads all columns of tables (Parquet and
    similar files) and mostly computes in this time."""
    posix = facts.table("POSIX")
    if posix is None:
        return
    read = posix["BYTES_READ"].astype("f8")
    whole = facts.single(posix) & (read >= _WHOLE * (posix["MAX_BYTE_READ"] + 1.0))
    whole &= posix["BYTES_WRITTEN"] == 0
    whole &= np.array([_NAMES.search(facts.name(int(i))) is not None for i in posix.ids], bool)
    moved = float(read[whole].sum())
    if moved < facts.limits["tables.bytes"]:
        return
    rows = ledger(facts)
    worked = rows.whole - sum(rows[key] for key in (PROCESSOR, WAITING, RANKS))
    if rows[COMPUTING] < _MOST * worked:
        return
    function, line = _reader(facts)
    if not function:
        return
    first = leading(whole, read, 1)[0]
    more = int(whole.sum()) - 1
    yield Finding(
        NAME,
        "Tables are read with all their columns",
        f"{function} read all of {facts.name(int(posix.ids[first]))}"
        + (f" and of {plural(more, 'more file')}" if more else "")
        + f": {amount(moved)}. Calls on files took little of this; decoding the columns is among "
        f"the {seconds(rows[COMPUTING])} of computing ({share(rows[COMPUTING], worked)} of the "
        "work). The log does not show which columns the program uses.",
        NOTICE,
        evidence=facts.rows(posix, first, "BYTES_READ", "MAX_BYTE_READ"),
        remedy=Remedy(
            "If the program uses only some of the columns, read only these.",
            "Python: pandas.read_parquet(path, columns=['a', 'b'])\n"
            "Python: pyarrow.parquet.read_table(path, columns=['a', 'b'])",
        ),
        limits=("tables.bytes",),
        at=line,
        is_hint=True,
    )
