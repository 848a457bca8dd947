"""How files are distributed over the storage targets of Lustre; this is not a problem by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.files.targets import by_target
from ....units import amount, plural, rate
from ...facts import Facts
from ...finding import GOOD, REMARK, Finding

NAME = "storage-targets"
ROLE = REMARK
_MEGA = 1 << 20


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one remark with the number of files, the bytes and the rate of each storage target of
    Lustre that was used; nothing if fewer than two were used."""
    table, stripes = facts.table("POSIX"), facts.stripes
    if table is None or stripes is None:
        return
    moved = (table["BYTES_READ"] + table["BYTES_WRITTEN"]).astype("f8")
    found = by_target(stripes, table.ids, moved, table["F_READ_TIME"] + table["F_WRITE_TIME"])
    used = (found.bytes >= facts.limits["again.bytes"]) & (found.seconds > 0)
    if np.count_nonzero(used) < 2:
        return
    rates = found.bytes[used] / found.seconds[used] / _MEGA
    slow, fast = int(np.argmin(rates)), int(np.argmax(rates))
    numbers, filled = found.numbers[used], found.bytes[used]
    most = int(np.argmax(filled))
    yield Finding(
        NAME,
        "How files are distributed over storage targets",
        f"{plural(int(used.sum()), 'OST')} store {amount(float(filled.sum()))} of the moved "
        f"bytes; OST {numbers[most]} stores "
        f"most, {amount(float(filled[most]))}. Rates per process: the slowest is "
        f"OST {numbers[slow]} with {rate(float(rates[slow]))}, the median is "
        f"{rate(float(np.median(rates)))}, the fastest is OST {numbers[fast]} with "
        f"{rate(float(rates[fast]))}.",
        GOOD,
        evidence=facts.sums(table, "BYTES_READ", "BYTES_WRITTEN", "F_READ_TIME", "F_WRITE_TIME"),
        limits=("again.bytes",),
    )
