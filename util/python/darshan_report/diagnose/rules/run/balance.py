"""Reports whether the job mostly reads or mostly writes. This is not a problem, but a first
overview."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, percent, plural
from ...facts import Facts
from ...finding import GOOD, REMARK, Finding

NAME = "balance"
ROLE = REMARK
_MORE = 0.1  # a tenth of all bytes


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding, which is not a problem, on whether the job mostly reads or writes, by
    calls and bytes of the lowest layers; nothing if no bytes were moved."""
    base = [table for layer, table in facts.layers if layer.base]
    read = sum(t.sum("BYTES_READ") for t in base)
    written = sum(t.sum("BYTES_WRITTEN") for t in base)
    reads, writes = (sum(t.sum(n) for t in base) for n in ("READS", "WRITES"))
    if not read + written:
        return
    more = abs(read - written) > _MORE * (read + written)
    side, done = ("reads", "read") if read > written else ("writes", "written")
    most = max(read, written)
    yield Finding(
        NAME,
        f"The job mostly {side}" if more else "The job reads as much as it writes",
        ", ".join(
            f"{amount(moved)} in {plural(int(calls), word)}"
            for moved, calls, word in ((read, reads, "read"), (written, writes, "write"))
            if moved or calls
        )
        + (f": {percent(most, read + written)} of the bytes are {done}." if more else "."),
        GOOD,
        evidence=tuple(e for t in base for e in facts.sums(t, "BYTES_READ", "BYTES_WRITTEN")),
    )
