"""A stream is flushed after each line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Floats, Mask, Streams, ratio
from ...facts import Facts, leading, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...remedies.language import FLUSHES, of_libc
from ...times.cpu_wait import latency

NAME = "stream-flushes"
ROLE = CAUSE


@once
def files(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files that are written more often by flushes than because a buffer is
    full: by at least stream.calls flushes, with fewer than stream.buffer bytes per flush. Without
    records of STDIO_EXT, a flush must also take at least latency() on average. Leaves out files
    that are opened for every few flushes, because each close would also flush them."""
    calls, spent = _flushes(streams)
    found = streams.files & streams.kept_open(calls)
    found &= calls >= facts.limits["stream.calls"]
    found &= ratio(_written(streams), calls) < facts.limits["stream.buffer"]
    if streams.known:
        return found & (2 * calls > streams["DRAINS"])
    found &= 2 * calls > streams.table["WRITES"]
    return found & (ratio(spent, calls) >= latency(facts))


def _flushes(streams: Streams) -> tuple[Floats, Floats]:
    """Returns, for each file, the number of flushes that wrote bytes, and their seconds. Both are
    upper bounds if the log has no records of STDIO_EXT."""
    if streams.known:
        return streams["FLUSH_DRAINS"], streams["F_FLUSH_TIME"]
    table = streams.table
    return table["FLUSHES"].astype("f8"), table["F_WRITE_TIME"].astype("f8")


def _written(streams: Streams) -> Floats:
    """Returns the bytes that were written to each stream."""
    return streams.table["BYTES_WRITTEN"].astype("f8")


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on streams that are flushed often, each time after few bytes; nothing if
    there are none."""
    streams = facts.streams
    if streams is None or not (mask := files(facts, streams)).any():
        return
    calls, spent = _flushes(streams)
    left = ratio(_written(streams), calls) / facts.limits["stream.buffer"]
    lost = np.where(mask, spent * np.maximum(0.0, 1 - left), 0.0)
    stake = facts.stake(
        lost.sum(),
        "time in flushes beyond that of the writes with a full buffer of "
        f"{amount(facts.limits['stream.buffer'])}",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    mean = float(_written(streams)[first] / calls[first])
    yield Finding(
        NAME,
        "A stream is flushed again and again",
        f"{facts.name(streams.table.ids[first])} was flushed {count(calls[first])} times, each "
        f"time for {amount(mean)}; that took {seconds(float(spent[first]))}{facts.over_all}"
        + (f"; so were {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(
            streams.table, first, "FLUSHES", "WRITES", "BYTES_WRITTEN", "F_WRITE_TIME"
        )
        + facts.stream_rows(first, "FLUSH_DRAINS", "F_FLUSH_TIME"),
        remedy=Remedy(
            "Do not flush after each line: the stream is written when its buffer is full "
            "and when it is closed. If a user watches the output, flush once a second; if data "
            "must "
            "survive a crash, flush once per checkpoint.",
            "C: if (now - flushed >= 1) fflush(stream), flushed = now;\n"
            "Octave: no fflush (file) in the loop\n" + of_libc(FLUSHES),
            alone=True,
        ),
        limits=("stream.calls", "stream.buffer", "stream.latency"),
        covers=frozenset(int(i) for i in streams.table.ids[mask]),
    )
