"""Seeks of a stream throw its buffer away: a block is read for each record."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import amount, count, plural, seconds
from ..facts import Facts, leading, once
from ..finding import Finding, Remedy
from ..streams import Mask, Streams

NAME = "stream-seeks"


@once
def files(facts: Facts, streams: Streams) -> Mask:
    """Those of which the buffers were read for little that was used."""
    found = streams.files & (streams["DISCARDS"] >= facts.limits["stream.calls"])
    used = np.maximum(streams.table["BYTES_READ"], 1)
    return found & (streams["FILLED_BYTES"] >= facts.limits["again.factor"] * used)


def find(facts: Facts) -> Iterator[Finding]:
    """By what libc read, and what the program took of it."""
    streams = facts.streams
    if streams is None or not (mask := files(facts, streams)).any():
        return
    spent = streams["F_SEEK_TIME"] + streams["F_FILL_TIME"]
    # Once forward through all of it, or what was read, if that is less.
    once = np.minimum(streams.table["MAX_BYTE_READ"] + 1, streams["FILLED_BYTES"])
    lost = np.where(mask, facts.lost(spent, once), 0.0)
    stake = facts.stake(
        lost.sum(), "time of the seeks and of filling buffers, beyond reading the file once"
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    table = streams.table
    yield Finding(
        NAME,
        "Seeks throw the buffer of a stream away",
        f"{count(float(streams['DISCARDS'][first]))} seeks in {facts.name(table.ids[first])} gave "
        f"up a buffer: {amount(float(streams['FILLED_BYTES'][first]))} were read for "
        f"{amount(float(table['BYTES_READ'][first]))} that were used, in "
        f"{seconds(float(spent[first]))}"
        + (f"; so it is with {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(table, first, "SEEKS", "READS", "BYTES_READ", "F_META_TIME")
        + facts.stream_rows(first, "DISCARDS", "FILLS", "FILLED_BYTES", "F_SEEK_TIME"),
        remedy=Remedy(
            "Keep the file in memory while it is looked up (read it once, or map it), or sort "
            "the requests by offset; for single records of a large file read them with pread, "
            "without a buffer.",
            "char *all = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);\n"
            "pread(fd, record, sizeof record, place);",
        ),
        limits=("stream.calls", "again.factor"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
