"""Buffers that are not aligned in memory."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import count, share
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...remedies.language import places_memory

NAME = "memory-alignment"
ROLE = REMARK
_PAGE = 4096  # mean bytes of a transfer


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one notice, over all files, if I/O takes time and many buffers are not aligned in
    memory; otherwise nothing. It is not a problem, because the alignment matters little except with
    direct I/O."""
    table = facts.table("POSIX")
    if table is None or not places_memory(facts):
        return
    calls, odd = table.sum("READS") + table.sum("WRITES"), table.sum("MEM_NOT_ALIGNED")
    stake = facts.stake(facts.base_time, "all time in the lowest layers")
    moved = table.sum("BYTES_READ") + table.sum("BYTES_WRITTEN")
    if moved < _PAGE * calls:
        return  # the work of the kernel for a call takes longer than the copy
    enough = odd >= facts.limits["operations"] and facts.worth(stake)
    if not enough or odd <= facts.limits["alignment.share"] * calls:
        return
    yield Finding(
        NAME,
        "Buffers are not aligned in memory",
        f"{count(odd)} of {count(calls)} transfers ({share(odd, calls)}) used buffers that do not "
        f"start on a multiple of {count(float(table['MEM_ALIGNMENT'].max()))} bytes.",
        NOTICE,
        evidence=facts.sums(table, "MEM_NOT_ALIGNED", "READS", "WRITES"),
        remedy=Remedy(
            "Align buffers if you use direct I/O; otherwise this matters only on some "
            "interconnects.",
            "posix_memalign(&buffer, 4096, size)",
        ),
        limits=("alignment.share", "operations"),
    )
