"""A stream without a buffer, so that each character or record causes a system call."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask, Streams, ratio
from ...facts import Facts, leading, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...remedies.language import READ_BUFFER, WRITE_BUFFER, of_libc
from ...times.cpu_wait import latency
from ...times.loops import ITEMS, between

NAME = "unbuffered-stream"
ROLE = CAUSE
_UNBUFFERED = "C: no setbuf(stream, NULL), no setvbuf with _IONBF\n"
_WORDS = {"READ": ("read", "reads"), "WRITE": ("written", "writes")}


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if a stream without a buffer, or with a tiny one, is read, and another if
    such a stream is written; nothing if there are no such streams."""
    if facts.streams is not None:
        for kind in _WORDS:
            yield from _find(facts, facts.streams, kind)


@once
def files(facts: Facts, streams: Streams, kind: str) -> Mask:
    """Returns a mask of the files of which most calls caused a system call, although a buffer could
    have served them. kind: READ or WRITE."""
    calls, mean = streams.calls(kind), ratio(streams.moved(kind), streams.calls(kind))
    found: Mask = streams.files & (calls >= facts.limits["stream.calls"])
    found &= mean < facts.limits["stream.buffer"] / 2
    if streams.known:
        found &= (2 * streams["UNBUFFERED"] > streams["FILLS"] + streams["DRAINS"]) | _tiny(
            facts, streams
        )
        return found
    each = ratio(streams.time(kind), calls)
    flushed = kind == "WRITE" and 2 * streams.table["FLUSHES"] > calls
    found &= (each >= latency(facts)) & ~np.asarray(flushed)
    return found


def _tiny(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files whose largest buffer is tiny, and is read or written mostly
    because it is empty or full, not because of flushes or seeks."""
    size, asked = streams["BUFFER_BYTES"], streams["LINE_DRAINS"] + streams["FLUSH_DRAINS"]
    found = (size > 1) & (size <= facts.limits["stream.buffer"] / 4)
    seeks = streams["F_SEEK_TIME"] > streams.time("READ") + streams.time("WRITE")
    return found & (2 * asked <= streams["DRAINS"] + streams["FILLS"]) & ~seeks


def _find(facts: Facts, streams: Streams, kind: str) -> Iterator[Finding]:
    """Yields the finding on the streams without a buffer. kind: READ or WRITE."""
    mask = files(facts, streams, kind)
    if not mask.any():
        return
    calls, moved = streams.calls(kind), streams.moved(kind)
    left = ratio(moved, calls) / facts.limits["stream.buffer"]  # share of the calls that remain
    lost = np.where(mask, streams.time(kind) * (1 - left), 0.0)
    more = between(facts, f"{NAME}-{kind.lower()}", float(lost.sum()), ITEMS)
    stake = facts.stake(
        lost.sum(),
        "time of the calls that reached the file, beyond that of the calls with a buffer of "
        f"{amount(facts.limits['stream.buffer'])}{more.basis}",
        between=more.seconds,
    )
    if not facts.worth(stake):
        return
    word, does = _WORDS[kind]
    first, *others = leading(mask, lost, len(mask))
    tiny = bool(streams.known and _tiny(facts, streams)[first])
    how = "has no buffer" if streams.known else f"{does} as if it had no buffer"
    if tiny:
        how = f"has a buffer of {amount(float(streams['BUFFER_BYTES'][first]))}"
    yield Finding(
        f"{NAME}-{kind.lower()}",
        f"A stream {does} through a tiny buffer" if tiny else f"A stream {does} without a buffer",
        f"The stream of {facts.name(streams.table.ids[first])} {how}: it was {word} "
        f"{amount(float(moved[first] / calls[first]))} at a time, in {count(calls[first])} system "
        f"calls that took {seconds(float(streams.time(kind)[first]))}{facts.over_all}"
        + (f"; so were {plural(len(others), 'more file')}." if others else ".")
        + more.sentence,
        stake=stake,
        evidence=facts.rows(streams.table, first, f"{kind}S", f"F_{kind}_TIME")
        + facts.stream_rows(first, "UNBUFFERED", "FILLS", "DRAINS", "BUFFER_BYTES"),
        remedy=Remedy(
            "Do not switch the stream's buffer off, or give it a larger one; or transfer more "
            "with each "
            "call.",
            ("" if tiny else _UNBUFFERED)
            + of_libc(READ_BUFFER if kind == "READ" else WRITE_BUFFER),
            alone=True,
        ),
        limits=("stream.calls", "stream.buffer", "stream.latency"),
        covers=frozenset(int(i) for i in streams.table.ids[mask]),
    )
