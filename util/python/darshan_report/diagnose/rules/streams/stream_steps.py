"""A seek for each few bytes of a stream, although its buffer has the place already.

The program goes through a file backwards, or back and forth, a character at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask, Streams
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...times.loops import between
from . import stream_seeks

NAME = "stream-steps"
ROLE = CAUSE
_FEW_BYTES = 64  # mean bytes of a read, at most
_SEEKS = 0.5  # least part of the reads before which there is a seek
_IN_BUFFER = 16  # seeks for each time that the buffer was filled, at least


def _mask(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files with far more seeks than fills of their buffers."""
    table = streams.table
    reads, seeks = table["READS"], table["SEEKS"]
    found = streams.files & ~stream_seeks.files(facts, streams) & (table["WRITES"] == 0)
    found &= seeks >= facts.limits["stream.calls"]
    found &= (seeks >= _SEEKS * reads) & (table["BYTES_READ"] <= _FEW_BYTES * reads)
    found &= (streams["FILLS"] > 0) & (_IN_BUFFER * streams["FILLS"] <= seeks)
    size = table["MAX_BYTE_READ"] + 1
    return np.asarray(found & (streams["FILLED_BYTES"] <= facts.limits["again.factor"] * size))


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on streams in which a seek comes before each few bytes."""
    streams = facts.streams
    if streams is None or not streams.known or not (mask := _mask(facts, streams)).any():
        return
    table = streams.table
    spent = np.where(mask, streams["F_SEEK_TIME"] + table["F_READ_TIME"], 0.0)
    lost = float(facts.lost(spent, table["MAX_BYTE_READ"] + 1)[mask].sum())
    more = between(facts, NAME, lost)
    stake = facts.stake(
        lost, "time of the seeks and reads, beyond reading the file once" + more.basis,
        between=more.seconds,
    )  # fmt: skip
    if not facts.worth(stake):
        return
    first, *others = leading(mask, spent, len(mask))
    reads = float(table["READS"][first])
    yield Finding(
        NAME,
        "A seek comes before each few bytes of a stream",
        f"{count(int(table['SEEKS'][first]))} seeks and {count(reads)} reads of "
        f"{amount(float(table['BYTES_READ'][first]) / max(reads, 1.0))} on average in "
        f"{facts.name(table.ids[first])} took {seconds(float(spent[first]))}{facts.over_all}. The "
        f"buffer mostly had the place already: it was filled "
        f"{plural(int(streams['FILLS'][first]), 'time')}"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else ".")
        + more.sentence,
        stake=stake,
        evidence=facts.rows(table, first, "SEEKS", "READS", "BYTES_READ", "F_READ_TIME")
        + facts.stream_rows(first, "FILLS", "FILLED_BYTES", "F_SEEK_TIME"),
        remedy=Remedy(
            "Read a block, or the whole file, into memory and step through it there. To read a "
            "file from its end, read its last block first and go backwards in it; then the block "
            "before that.",
            "C: fseek(stream, start, SEEK_SET);  size_t at = fread(block, 1, size, stream);\n"
            "C: while (at > 0) use(block[--at]);  // backwards, without a seek\n"
            "Octave: data = fread (file, Inf), once",
            alone=True,
        ),
        limits=("stream.calls", "again.factor"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
