"""Seeks discard the buffer of a stream, so that each record causes the read of a whole block, or
the write of a few bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask, Streams, ratio
from ...facts import Facts, leading, once
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs

NAME = "stream-seeks"
ROLE = CAUSE
_NEAR = 2048  # bytes: half of the usual buffer
_ONE_PASS = 1.1  # most bytes that fill the buffer, as a multiple of the file's size


@once
def files(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files whose seeks discard the buffer: a whole buffer is read although
    few bytes are used, or the buffer is written to the file with few bytes in it."""
    return _reading(facts, streams) | _writing(facts, streams)


def _by_seeks(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files whose seeks take longer than their reads and writes, because a
    seek writes out the buffer and fills it again."""
    others = streams.time("READ") + streams.time("WRITE")
    many = streams.table["SEEKS"] >= facts.limits["stream.calls"]
    return streams.files & many & (streams["F_SEEK_TIME"] > others)


def _reading(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files whose buffers were filled although few bytes were used."""
    found = streams.files & (streams["DISCARDS"] >= facts.limits["stream.calls"])
    found |= _by_seeks(facts, streams)
    used = np.maximum(streams.table["BYTES_READ"], 1)
    again: Mask = found & (streams["FILLED_BYTES"] >= facts.limits["again.factor"] * used)
    return again


def _writing(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the files whose buffers were written out with few bytes."""
    drains = streams["DRAINS"]
    mean = ratio(streams["DRAINED_BYTES"], drains)
    found = _by_seeks(facts, streams) & (drains >= facts.limits["stream.calls"])
    return found & (mean < facts.limits["stream.buffer"] / 2)


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on streams whose seeks discard the buffer, with the bytes that libc read
    and the bytes that the program used; nothing if there are none."""
    streams = facts.streams
    if streams is None or not (mask := files(facts, streams)).any():
        return
    writes = _writing(facts, streams)
    spent = streams["F_SEEK_TIME"] + streams["F_FILL_TIME"]
    spent += np.where(writes, streams["F_DRAIN_TIME"], 0.0)
    # The bytes of reading the file once, or the moved bytes if these are fewer.
    once = np.minimum(streams.table["MAX_BYTE_READ"] + 1, streams["FILLED_BYTES"])
    once += np.minimum(streams.table["MAX_BYTE_WRITTEN"] + 1, streams["DRAINED_BYTES"]) * writes
    lost = np.where(mask, facts.lost(spent, once), 0.0)
    stake = facts.stake(
        lost.sum(), "time of the seeks and of filling buffers, beyond going through the file once"
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    table = streams.table
    yield Finding(
        NAME,
        "Short seeks skip what the buffer of a stream has"
        if _forward(streams, first) and not writes[first]
        else "Seeks discard the buffer of a stream",
        _sentence(facts, streams, first, float(spent[first]))
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(table, first, "SEEKS", "READS", "BYTES_READ", "F_META_TIME")
        + facts.stream_rows(
            first, "DISCARDS", "FILLS", "FILLED_BYTES", "DRAINS", "DRAINED_BYTES", "F_SEEK_TIME"
        ),
        remedy=_remedy(bool(writes[first]), _forward(streams, first)),
        limits=("stream.calls", "stream.buffer", "again.factor"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )


def _sentence(facts: Facts, streams: Streams, place: int, spent: float) -> str:
    """Returns the sentences of the finding. place: row of the file that is named. spent:
    seconds."""
    table, name = streams.table, facts.name(streams.table.ids[place])
    if not _reading(facts, streams)[place]:
        drains, drained = float(streams["DRAINS"][place]), float(streams["DRAINED_BYTES"][place])
        return (
            f"{count(int(table['SEEKS'][place]))} seeks in {name} wrote out what the buffer held: "
            f"{amount(drained)} in {count(drains)} pieces of {amount(drained / drains)}, in "
            f"{seconds(spent)}{facts.over_all}"
        )
    if _forward(streams, place):
        skipped = streams["FILLED_BYTES"][place] - table["BYTES_READ"][place]
        return (
            f"{count(int(table['SEEKS'][place]))} seeks in {name} skipped "
            f"{amount(max(0.0, float(skipped)) / max(1.0, float(table['SEEKS'][place])))} each on "
            f"average, which the buffer mostly had already. They took {seconds(spent)}"
            f"{facts.over_all}"
        )
    discards = float(streams["DISCARDS"][place])
    if discards < facts.limits["stream.calls"]:
        discards = float(min(table["SEEKS"][place], streams["FILLS"][place]))
    return (
        f"{count(discards)} seeks in {name} discarded a buffer: "
        f"{amount(float(streams['FILLED_BYTES'][place]))} were read for "
        f"{amount(float(table['BYTES_READ'][place]))} that were used, in {seconds(spent)}"
        f"{facts.over_all}"
    )


def _forward(streams: Streams, place: int) -> bool:
    """Returns whether each seek of a file skips a few bytes forward. All buffers together then
    contained the bytes of the file once. place: row of the file."""
    filled, size = streams["FILLED_BYTES"][place], streams.table["MAX_BYTE_READ"][place] + 1
    skipped = filled - streams.table["BYTES_READ"][place]
    return bool(filled <= _ONE_PASS * size and 0 < skipped < _NEAR * streams.table["SEEKS"][place])


def _remedy(writes: bool, forward: bool) -> Remedy:
    """Returns the remedy. writes: whether the seeks write out buffers. forward: whether they skip
    forward."""
    if writes:
        return Remedy(
            "Change the data in memory, and write them once, in the order of the file; write "
            "single "
            "records of a large file with pwrite, without a buffer.",
            "C: fwrite(all, size, 1, stream);\nC: pwrite(fd, record, sizeof record, place);\n"
            "Octave: fwrite (file, whole_matrix), once",
            alone=True,
        )
    if forward:
        return Remedy(
            "A seek costs more than reading the few bytes that it skips. Read these bytes as "
            "well, or read whole records and use a part of each.",
            "C: fread(&record, sizeof record, 1, stream);  // the whole record\n"
            "C: fread(skipped, 1, sizeof skipped, stream);  // not fseek(stream, 40, SEEK_CUR)",
        )
    return Remedy(
        "Read the file once and keep it in memory, or sort the requests by offset; read single "
        "records of a large file with pread, without a buffer.",
        "C: fread(all, size, 1, stream);\nC: pread(fd, record, sizeof record, place);\n"
        "Octave: data = fread (file, Inf), once",
        alone=True,
    )
