"""HDF5 calls that later releases replaced."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import plural
from ...facts import Facts, leading
from ...finding import NOTICE, REMARK, Finding, Remedy, Stake

NAME = "deprecated-calls"
ROLE = REMARK


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one notice on datasets that were opened with deprecated HDF5 calls. It is not a
    problem, because these calls cost no time today."""
    table = facts.table("H5D")
    if table is None:
        return
    old = table["USE_DEPRECATED"] > 0
    if not old.any():
        return
    (first,) = leading(old, facts.time(table), 1)
    yield Finding(
        NAME,
        "The program uses deprecated HDF5 calls",
        f"{plural(int(old.sum()), 'dataset')} "
        f"{'was' if old.sum() == 1 else 'were'} opened with H5Dcreate1 or H5Dopen1, "
        f"{facts.name(table.ids[first])} among them: property lists (chunk cache, fill time) "
        "cannot be passed to these calls.",
        NOTICE,
        Stake(),
        facts.rows(table, first, "USE_DEPRECATED", "OPENS"),
        Remedy(
            "Use the newer calls, which take property lists.",
            "H5Dcreate2(file, name, type, space, lcpl, dcpl, dapl);  H5Dopen2(file, name, dapl)",
        ),
    )
