"""Large amounts of data go through the small buffers of streams."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask, Streams, ratio
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...remedies.language import READ_BUFFER, WRITE_BUFFER, of_libc
from ...times.cpu_wait import latency
from ..accesses import reread
from . import line_buffered, stream_flushes, stream_seeks, unbuffered

NAME = "stdio-bulk"
ROLE = SYMPTOM
_LEAST = 1024  # bytes of a call; the time of a smaller call may be formatting


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding on streams that access the file often, for few bytes each time, because
    their buffer is small; nothing if there are none."""
    streams = facts.streams
    if streams is None:
        return
    calls = streams.calls("READ") + streams.calls("WRITE")
    moved = streams.moved("READ") + streams.moved("WRITE")
    spent = streams.time("READ") + streams.time("WRITE")
    mean = ratio(moved, calls)
    mask = streams.files & (calls >= facts.limits["operations"])
    mask &= (mean >= _LEAST) & (mean <= facts.limits["small.bytes"])
    buffers = np.maximum(calls, moved / facts.limits["stream.buffer"])
    mask &= ratio(spent, buffers) >= latency(facts)
    if not mask.any():
        return
    mask &= ~_explained(facts, streams)
    lost = np.where(mask, facts.lost(spent, moved), 0.0)
    stake = facts.stake(
        float(lost.sum()),
        "time of the calls that reached the file, beyond what the bytes would take at a good rate",
    )
    if not mask.any() or not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    yield Finding(
        NAME,
        "Large amounts of data go through a small buffer",
        f"{amount(float(moved[first]))} of {facts.name(streams.table.ids[first])} went through a "
        f"stream, {amount(float(mean[first]))} at a time: {count(float(calls[first]))} calls that "
        f"took {seconds(float(spent[first]))}{facts.over_all}"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(
            streams.table, first, "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN",
            "F_READ_TIME", "F_WRITE_TIME",
        )
        + facts.stream_rows(first, "FILLS", "DRAINS", "BUFFER_BYTES", "F_FILL_TIME"),
        remedy=Remedy(
            "Give the stream a buffer of a megabyte or more (in C your own memory: with NULL the C "
            "library ignores the size); or transfer the data without a stream, or with a library "
            "such as HDF5.",
            of_libc(WRITE_BUFFER if streams.calls("WRITE")[first] > streams.calls("READ")[first]
                    else READ_BUFFER),
            alone=True,
        ),
        limits=("operations", "small.bytes", "stream.buffer", "stream.latency"),
        covers=frozenset(int(i) for i in streams.table.ids[mask]),
    )  # fmt: skip


def _explained(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files whose small accesses the findings of other rules explain, such as
    seeks and flushes."""
    found = stream_flushes.files(facts, streams) | stream_seeks.files(facts, streams)
    found |= line_buffered.files(facts, streams) | reread.streams_again(facts, streams)
    for kind in ("READ", "WRITE"):
        found |= unbuffered.files(facts, streams, kind)
    return found
