"""A stream that writes to a file is line buffered, as if it wrote to a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask, Streams, ratio
from ...facts import Facts, leading, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...remedies.language import WRITE_BUFFER, of_libc

NAME = "line-buffered"
ROLE = CAUSE


@once
def files(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files that were written line by line. Leaves out files that are opened
    for every few lines, because each close would also write the lines."""
    calls = streams["LINE_DRAINS"]
    found = streams.files & streams.kept_open(calls) & (calls >= facts.limits["stream.calls"])
    mean = ratio(streams.moved("WRITE"), streams.calls("WRITE"))
    return found & (2 * calls > streams["DRAINS"]) & (mean < facts.limits["stream.buffer"] / 2)


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on files that are written line by line because their stream is in the
    buffering mode for terminals; nothing if there are none."""
    streams = facts.streams
    if streams is None or not (mask := files(facts, streams)).any():
        return
    calls, moved, spent = (f("WRITE") for f in (streams.calls, streams.moved, streams.time))
    left = ratio(moved, calls) / facts.limits["stream.buffer"]
    lost = np.where(mask, spent * (1 - left), 0.0)
    stake = facts.stake(
        lost.sum(),
        "time of the writes of lines beyond that of the writes with a full buffer of "
        f"{amount(facts.limits['stream.buffer'])}",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    yield Finding(
        NAME,
        "A file is written line by line",
        f"The stream of {facts.name(streams.table.ids[first])} is line buffered: its "
        f"{count(calls[first])} lines of {amount(float(moved[first] / calls[first]))} were "
        f"written one by one, which took {seconds(float(spent[first]))}{facts.over_all}"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(streams.table, first, "WRITES", "BYTES_WRITTEN", "F_WRITE_TIME")
        + facts.stream_rows(first, "LINE_DRAINS", "DRAINS", "F_DRAIN_TIME"),
        remedy=Remedy(
            "Line buffering is for terminals: use full buffering for a stream into a file.",
            "C: no setvbuf(.., _IOLBF, ..), no setlinebuf\n" + of_libc(WRITE_BUFFER),
            alone=True,
        ),
        limits=("stream.calls", "stream.buffer"),
        covers=frozenset(int(i) for i in streams.table.ids[mask]),
    )
