"""HDF5 is flushed after every small write."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.layers.attribution import ATTR, CLOSE, FLUSH, META, WRITE
from ....units import amount, count, seconds, share
from ...accesses.objects import Hdf5, hdf5
from ...facts import Facts, once
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs
from ...remedies.library_words import flushed_through
from ...times.loops import ITEMS, Between, between

NAME = "flush-per-chunk"
ROLE = CAUSE
COLLECT = (
    "Collect some hundred rows in memory, write them with one call, and flush the file then: this "
    "saves the calls that extend the dataset, too."
)
COLLECTED = (
    "Python: rows.append(row);  if len(rows) == 500: write and flush:\n"
    "Python: data.resize(n + 500, axis=0);  data[n:] = rows;  file.flush();  rows = []\n"
    "C: H5Dset_extent, H5Dwrite of 500 rows as one hyperslab, H5Fflush"
)
_PUTTING = (WRITE, FLUSH, CLOSE)


class _Flushed:
    """The flushes of each HDF5 file, of the file itself and of its datasets together, as arrays
    with an element per file."""

    def __init__(self, facts: Facts, h5: Hdf5) -> None:
        """Counts the flushes of each file, and the bytes and the seconds of their writes."""
        files, sets = h5.files, h5.datasets
        self.calls = files["FLUSH_CALLS"] + h5.per_file(sets["FLUSH_CALLS"])
        # The log counts a collective call once per process.
        self.each = self.calls / files.processes
        # A library that stores the number of rows in an attribute writes this attribute in each
        # flush.
        asked = files.time((ATTR, META)) + h5.per_file(sets.time((ATTR, META)))
        attributes = files["ATTR_CALLS"] + h5.per_file(sets["ATTR_CALLS"])
        made = facts.table("H5_META")
        bound = np.zeros(len(files))
        if made is not None:
            bound = binding(facts, h5.of_files(made, made["ATTR_CREATES"]))
        # Work of Python's bindings for these attributes.
        self.bound = np.where(attributes >= self.calls, bound, 0.0)
        asked = np.where(attributes >= self.calls, asked, 0.0) + self.bound
        self.time = files.time((FLUSH,)) + h5.per_file(sets.time((FLUSH,))) + asked
        self.asked = h5.per_file(sets["BYTES_ASKED_WRITTEN"])
        # A flush causes rewrites only of chunks. A contiguous dataset is filled once, and then
        # written as the program requests.
        chunked = sets["CHUNK_BYTES"] > 0
        self.written = h5.per_file(np.where(chunked, sets.below("BYTES_WRITTEN", _PUTTING), 0))
        self.written = self.written + files.below("BYTES_WRITTEN", _PUTTING)
        distinct = h5.per_file(np.where(chunked, sets["DISTINCT_BYTES_WRITTEN"], 0))
        distinct = distinct + files["DISTINCT_BYTES_WRITTEN"]
        self.distinct = np.where(distinct > 0, distinct, self.written)
        self.again = np.maximum(0, self.written - self.distinct)
        # Chunks that the cache evicts are written in write calls, not in flushes.
        putting = files.time((WRITE, CLOSE)) + h5.per_file(sets.time((WRITE, CLOSE)))
        put = h5.per_file(np.where(chunked, sets.below("BYTES_WRITTEN", (WRITE, CLOSE)), 0))
        put = put + files.below("BYTES_WRITTEN", (WRITE, CLOSE))
        part = self.again / np.maximum(self.written, 1) * put / np.maximum(self.written, 1)
        self.lost = self.time + putting * part

    def often(self, facts: Facts) -> np.ndarray:
        """Returns a mask of the files that are flushed often, with few new bytes each time, or
        whose flushes write the same bytes again."""
        limits = facts.limits
        little = self.asked < limits["flush.bytes"] * self.each
        again = (self.written >= limits["again.factor"] * self.distinct) & (
            self.again >= limits["again.bytes"]
        )
        many: np.ndarray = (self.each >= limits["flush.calls"]) & (self.asked > 0)
        many &= little | again
        return many


@once
def flushed(facts: Facts) -> frozenset[int]:
    """Returns the ids of the files that are flushed so often that the flushes, not the layout of
    the file, explain the lost time; empty without records of HDF5."""
    h5 = hdf5(facts)
    return frozenset(h5.files.ids[_Flushed(facts, h5).often(facts)].tolist()) if h5 else frozenset()


def with_each_write(facts: Facts, h5: Hdf5) -> np.ndarray:
    """Returns, for each file that is flushed about once per write, the seconds that its flushes
    lose; 0 for other files. Fewer writes then also mean fewer flushes."""
    done = _Flushed(facts, h5)
    writes = h5.per_file(h5.datasets["WRITE_CALLS"])
    mask = done.often(facts) & (2 * done.calls >= writes)
    return np.where(mask, facts.lost(done.lost, done.asked), 0.0)


def _sentence(facts: Facts, h5: Hdf5, done: _Flushed, mask: np.ndarray, first: int) -> str:
    """Returns the text on the flushes of one file, and on the bytes that all these files wrote
    again. done: counts of the flushes per file; mask: the files of the finding; first: row of the
    one file."""
    inside = h5.in_files(mask)
    written_to = inside & (h5.datasets["BYTES_ASKED_WRITTEN"] > 0)
    again, written = int(done.again[mask].sum()), int(done.written[mask].sum())
    sentence = (
        f"{facts.name(int(h5.files.ids[first]))} was flushed {count(float(done.each[first]))} "
        f"times, once for {amount(float(done.asked[first] / done.each[first]))} written to "
        f"{h5.datasets.named(written_to, h5.datasets.time())}"
        + (f"; so were {count(int(mask.sum()) - 1)} more files" if mask.sum() > 1 else "")
        + f". Flushing took {seconds(float((done.time - done.bound)[mask].sum()))}"
        f"{facts.over_all}"
    )
    if done.bound[mask].sum() > 0:
        sentence += (
            f", the library's own work on its attributes up to "
            f"{seconds(float(done.bound[mask].sum()))}"
        )
    if again > written - again:
        chunk = int(h5.datasets["CHUNK_BYTES"][inside].max(initial=0))
        sentence += (
            f", and {amount(again)} of {amount(written)} ({share(again, written)}) were written "
            "again"
            + (f": chunks of {amount(chunk)}" if chunk else "")
            + f", {written / (written - again):.1f} times each"
        )
    return f"{sentence}."


def _remedy(each_write: bool) -> Remedy:
    """Returns the remedy. each_write: whether a flush follows each write."""
    text = (
        "Flush once per checkpoint, or once per filled chunk, not after every step: HDF5's cache "
        "then collects several writes. If every step must survive a crash, make the chunks as "
        "small as a step."
    )
    example = (
        "if (++rows % rows_per_chunk == 0) H5Dflush(dataset);   /* or H5Fflush, nc_sync */\n"
        "Python: file.flush(), table.flush(), nc.sync() at checkpoints, not in the loop"
    )
    if each_write:
        text += f" More is saved by fewer writes: {COLLECT[0].lower()}{COLLECT[1:]}"
        example += f"\n{COLLECTED}"
    return Remedy(text, example)


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the HDF5 files that are flushed after every small write: flushes of
    the files and of their datasets together; nothing if there are none."""
    h5 = hdf5(facts)
    if h5 is None:
        return
    done = _Flushed(facts, h5)
    mask = done.often(facts)
    lost = np.where(mask, facts.lost(done.lost, done.asked), 0.0)
    first = int(np.argmax(lost)) if len(lost) else 0
    through = flushed_through(facts, int(h5.files.ids[first])) if mask.any() else None
    # Without flushes the loop still writes, with all work of the library for each write. Fewer
    # calls of a library that flushes itself also save its work around them.
    more = between(facts, NAME, float(lost.sum()), ITEMS)
    if through:
        more = Between(max(0.0, through[1] - float(done.bound[mask].sum())))
    stake = facts.stake(
        lost.sum(),
        "time in flushes and in the writes that they cause, and writing time multiplied by the "
        "share of bytes written again, beyond what the bytes would take at a good rate"
        + more.basis,
        int(done.again[mask].sum()),
        int(done.written[mask].sum()),
        between=more.seconds,
    )
    if not mask.any() or not facts.worth(stake):
        return
    inside = h5.in_files(mask)
    chunked = inside & (h5.datasets["CHUNK_BYTES"] > 0)
    yield Finding(
        NAME,
        "Chunks are flushed before they are full"
        if chunked.any()
        else "Files are flushed after every small write",
        _sentence(facts, h5, done, mask, first) + more.sentence,
        stake=stake,
        evidence=h5.files.sums(
            mask, "FLUSH_CALLS", "FLUSH_POSIX_WRITES", "FLUSH_POSIX_BYTES_WRITTEN", "F_FLUSH_TIME"
        )
        + h5.datasets.sums(
            inside,
            "FLUSH_CALLS",
            "WRITE_CALLS",
            "BYTES_ASKED_WRITTEN",
            "FLUSH_POSIX_WRITES",
            "FLUSH_POSIX_BYTES_WRITTEN",
            "DISTINCT_BYTES_WRITTEN",
            "F_FLUSH_TIME",
        ),
        remedy=through[0] if through else _remedy(bool(with_each_write(facts, h5)[mask].any())),
        limits=("flush.calls", "flush.bytes", "again.factor", "again.bytes", "python.seconds"),
        covers=h5.covers(files=mask),
    )
