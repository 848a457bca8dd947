"""Each write changes a part of chunks that do not stay in HDF5's cache, so that the next one reads
and writes the whole chunks again."""

from __future__ import annotations

from collections.abc import Iterator

from ....classes import dataclass
from ....measure.layers.attribution import PUTTING, WRITE, Upper
from ....units import amount, count, plural, share
from ...accesses.objects import with_files
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from . import flush_per_chunk

NAME = "chunks-rewritten"
ROLE = CAUSE
_LARGEST = 1 << 30  # bytes of the largest cache that is proposed
_ONE_OPEN = 2  # writes per open of a dataset, below which each close drops the chunks


@dataclass(frozen=True)
class _Again:
    """A dataset whose chunks are read, changed and written again, with the bytes and numbers of
    this."""

    upper: Upper
    moved: int  # bytes written to the file
    again: int  # bytes of them that were written again
    touched: int  # chunks that one write changes
    room: int  # writes until a chunk is full
    closed: bool  # the dataset is closed after nearly every write

    @property
    def chunk(self) -> int:
        """Bytes of a chunk in memory."""
        return self.upper.counters["CHUNK_BYTES"]

    @property
    def wanted(self) -> int:
        """Bytes of a cache that would hold the chunks that are written again: those of one write
        or, if these fit into the present cache, all of them."""
        row = self.touched * self.chunk
        if row > self.upper.counters["CHUNK_CACHE_BYTES"]:
            return row
        stored = max(1, self.moved // max(1, self.upper.below("WRITES", PUTTING)))
        return -(-(self.moved - self.again) // min(self.chunk, stored)) * self.chunk


def _again(facts: Facts, upper: Upper) -> _Again | None:
    """Returns the numbers of a dataset whose chunks are read, changed and written again; None for
    other datasets. Chunks that are overwritten whole are not read before."""
    counters, limits = upper.counters, facts.limits
    chunk, distinct = counters["CHUNK_BYTES"], counters["DISTINCT_BYTES_WRITTEN"]
    calls, reads = counters["WRITE_CALLS"], counters["WRITE_POSIX_READS"]
    moved, writes = upper.below("BYTES_WRITTEN", PUTTING), upper.below("WRITES", PUTTING)
    if chunk <= 0 or distinct <= 0 or calls < 2 or 2 * reads < writes:
        return None
    if counters["WRITE_MPIIO_CALLS"] > 0:  # HDF5 over MPI-IO does not use its cache
        return None
    again = moved - distinct
    # Each write of a compressed chunk compresses all bytes of the chunk.
    packed = chunk * writes * again // moved if counters["FILTERS"] > 0 else 0
    if moved < limits["again.factor"] * distinct or max(again, packed) < limits["again.bytes"]:
        return None
    touched = -(-reads // calls)
    room = chunk * touched * calls // max(1, counters["BYTES_ASKED_WRITTEN"])
    opens = counters["OPEN_CALLS"]
    closed = opens > limits["opens.again"] and _ONE_OPEN * opens > calls
    return _Again(upper, moved, again, touched, room, closed)


def wanted_bytes(facts: Facts) -> int:
    """Returns the bytes of a chunk cache that would hold, for each dataset of the log, the chunks
    that are written again; 0 if there is no such dataset."""
    return max((one.wanted for one in _all(facts)), default=0)


def is_lost(facts: Facts) -> bool:
    """Returns whether any dataset is closed after nearly every write, which drops a cache of any
    size."""
    return any(one.closed for one in _all(facts))


def _all(facts: Facts) -> list[_Again]:
    """Returns the datasets whose chunks are written again, the one that takes most time first.
    Datasets of files whose frequent flushes write the chunks are left out."""
    flushed, of = flush_per_chunk.flushed(facts), facts.attribution
    found = (
        _again(facts, upper)
        for upper in facts.datasets
        if of is None or of.file_of(upper.id) not in flushed
    )
    return [one for one in found if one is not None]


def _remedy(one: _Again) -> Remedy:
    """Returns the remedy for a dataset: larger writes, or a larger cache if that can help."""
    room = f": a chunk takes as much as {count(one.room)} of these writes" if one.room > 1 else ""
    text = (
        f"Collect more in memory and write it with one call{room}. Or make the chunks smaller, so "
        "that a few writes fill one."
    )
    examples = [
        "Python: rows.append(row);  if len(rows) == 64: data[n:n + 64] = rows; rows = []",
        "C: H5Sselect_hyperslab of 64 steps;  one H5Dwrite for them",
    ]
    if one.closed:
        text += " Keep the dataset open, too: each close drops the chunks that HDF5 holds."
    elif one.wanted <= _LARGEST:
        text += (
            f" Or give the dataset a cache of {amount(one.wanted)}, for "
            + ("all chunks that one write changes" if one.touched > 1 else "the chunks in use")
            + ": HDF5 then reads and writes each of them once."
        )
        examples += [
            f"Python: h5py.File(path, 'a', rdcc_nbytes={one.wanted}, rdcc_nslots=12421)",
            f"C: H5Pset_chunk_cache(dapl, 12421, {one.wanted}, 0.75);  H5Dopen2(file, name, dapl)",
            f"nc_set_var_chunk_cache(nc, var, {one.wanted}, 12421, 0.75)",
        ]
    return Remedy(text, "\n".join(examples), alone=one.closed)


def _sentence(facts: Facts, hits: list[_Again], again: int, moved: int) -> str:
    """Returns the sentences of the finding. hits: its datasets. again, moved: bytes that were
    written again, and all that were written."""
    one = hits[0]
    counters = one.upper.counters
    packed = counters["FILTERS"] > 0
    kind = "compressed chunk" if packed else "chunk"
    many = f"about {count(one.touched)} {kind}s" if one.touched > 1 else f"a {kind}"
    steps = "reads, decompresses, changes, compresses and writes" if packed else "reads and writes"
    chunks = "the whole chunk" if one.touched == 1 else "each of these whole chunks"
    cache = counters["CHUNK_CACHE_BYTES"]
    return (
        f"Each of {count(counters['WRITE_CALLS'])} writes to {facts.name(one.upper.id)} changes a "
        f"part of {many} of {amount(one.chunk)}, and HDF5 {steps} {chunks}"
        + (f", as the chunk cache has {amount(cache)}" if cache >= 0 and not one.closed else "")
        + (", as the dataset is closed after each write" if one.closed else "")
        + (f"; the same holds for {plural(len(hits) - 1, 'more dataset')}" if hits[1:] else "")
        + f". {amount(again)} of {amount(moved)} ({share(again, moved)}) were written again."
    )


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the datasets whose chunks are written again because they do not stay
    in the chunk cache; nothing if there are none."""
    hits = _all(facts)
    seconds = 0.0
    for one in hits:
        operations = PUTTING if one.closed else (WRITE,)
        seconds += one.upper.time(operations) * one.again / one.moved
    again, moved = sum(one.again for one in hits), sum(one.moved for one in hits)
    stake = facts.stake(
        seconds, "writing time, multiplied by the share of bytes written again", again, moved
    )
    if not hits or not facts.worth(stake):
        return
    first = hits[0]
    yield Finding(
        NAME,
        "Each write changes chunks that HDF5 reads and writes whole",
        _sentence(facts, hits, again, moved),
        stake=stake,
        evidence=facts.upper_rows(
            first.upper,
            "CHUNK_BYTES",
            "CHUNK_CACHE_BYTES",
            "FILTERS",
            "WRITE_CALLS",
            "WRITE_POSIX_READS",
            "WRITE_POSIX_WRITES",
            "WRITE_POSIX_BYTES_WRITTEN",
            "DISTINCT_BYTES_WRITTEN",
            "BYTES_ASKED_WRITTEN",
            "F_WRITE_TIME",
            *(("OPEN_CALLS",) if first.closed else ()),
        ),
        remedy=_remedy(first),
        limits=("again.factor", "again.bytes", "opens.again"),
        covers=with_files(facts, [one.upper for one in hits]),
    )
