"""Datasets are read or written a few bytes at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....call_sites.measured import MEDIUM, SHORT
from ....measure.files.overflow import ID
from ....measure.layers.attribution import CLOSE, META, OPEN
from ....units import amount, count, seconds
from ...accesses.objects import Hdf5, hdf5, joined
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs
from ...times import loops
from . import flush_per_chunk, hdf5_opened_again, objects_searched, sieve_buffer

NAME = "element-wise"
ROLE = CAUSE
_CALLS = ("H5Dread", "H5Dwrite")
_SIDES = (("READ", "BYTES_ASKED_READ", "reads"), ("WRITE", "BYTES_ASKED_WRITTEN", "writes"))


def _between(facts: Facts, h5: Hdf5, kind: str) -> np.ndarray:
    """Returns, for each dataset, the estimated seconds that Python's bindings take around the calls
    on it: at most the time between its first and last call that no call on it takes. All are 0 if
    the program is not written in Python. h5: HDF5's records; kind: READ or WRITE."""
    table = facts.table("H5D")
    if table is None:
        return np.zeros(len(h5.datasets))
    sets = h5.datasets
    first, last = (table[f"F_{kind}_{end}_TIMESTAMP"] for end in ("START", "END"))
    lasted = joined(sets.ids, table, last - first) * sets.processes - sets.time()
    between: np.ndarray = np.minimum(np.maximum(0, lasted), binding(facts, sets[f"{kind}_CALLS"]))
    return between


def _around(facts: Facts, estimated: float, counted: float) -> float:
    """Returns the seconds of Python's bindings that the finding has in addition to `counted`, those
    in short gaps between calls. Longer gaps count only if they are most of the time, as with
    netCDF4; the result is 0 if short gaps are. Returns `estimated` without call sites."""
    known = loops.loops_of(facts)
    if known is None:
        return estimated
    sites = [site for loop in known.groups for site in loop.sites if loops.is_of_library(site)]
    gaps = [site.sums.gaps for site in sites if site.stack.called.startswith(_CALLS)]
    short, longer = sum(gap[SHORT] for gap in gaps), sum(gap[MEDIUM] for gap in gaps)
    if short >= longer:
        return 0.0
    return max(0.0, min(estimated, (short + longer) * known.overlap) - counted)


def _by_opening(facts: Facts, h5: Hdf5, calls: np.ndarray) -> np.ndarray:
    """Returns a mask of the datasets whose file is reopened for every few calls. The program must
    keep these files open before it can move more bytes with each call. calls: number of calls per
    dataset."""
    known = hdf5_opened_again.opened(facts)
    if known is None:
        return np.zeros(len(calls), bool)
    files, opens = known[0].files, known[1] * known[0].files.processes
    often = opens > facts.limits["opens.again"] * files.processes
    return calls < facts.limits["opens.again"] * h5.per_dataset(np.where(often, opens, 0))


def _remedy(facts: Facts, ids: frozenset[int], kind: str, *, flushed: bool) -> Remedy:
    """Returns the remedy for calls on these datasets; it includes a smaller sieve buffer if HDF5
    fills the buffer for each read. ids: of the datasets. kind: READ or WRITE. flushed: the file is
    flushed after each write."""
    if flushed:
        return Remedy(flush_per_chunk.COLLECT, flush_per_chunk.COLLECTED)
    text = (
        "Collect values in memory and transfer a block with one call: a row, a chunk or all values."
    )
    example = (
        "Python: data[:] = values;  values = data[:]\n"
        "H5Dwrite / H5Dread of a hyperslab, not of a point\n"
        "nc_put_vara / nc_get_vara instead of nc_put_var1 / nc_get_var1"
    )
    if any(upper.id in ids for upper in sieve_buffer.sieved(facts, kind)):
        text += (
            " HDF5 fills its sieve buffer (64 KiB) for each value: if the order must "
            "stay as it is, make it smaller."
        )
        example += f"\n{sieve_buffer.IN_C}"
    return Remedy(text, example)


def _flushes(facts: Facts, h5: Hdf5, tiny: np.ndarray, lost: float) -> float:
    """Returns the seconds in flushes that follow each of these writes, if the writes themselves
    lose more time than the flushes. Returns 0 otherwise, because leaving out the flushes is then
    the simpler remedy. tiny: mask of the datasets. lost: seconds that the writes lose."""
    lost_in = flush_per_chunk.with_each_write(facts, h5)
    flushes = float(lost_in[np.isin(h5.files.ids, h5.file_ids[tiny])].sum())
    return flushes if flushes < lost else 0.0


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if datasets are read a few bytes at a time, and another if they are written
    a few bytes at a time, each over all datasets; otherwise nothing."""
    h5 = hdf5(facts)
    if h5 is not None and len(h5.datasets):
        for kind, asked, word in _SIDES:
            yield from _find(facts, h5, kind, asked, word)


def _find(facts: Facts, h5: Hdf5, kind: str, asked_name: str, word: str) -> Iterator[Finding]:
    """Yields the finding on the datasets that are moved a few bytes at a time. kind: READ or WRITE.
    asked_name: counter of the requested bytes. word: the kind, for texts."""
    sets, limits, writes = h5.datasets, facts.limits, kind == "WRITE"
    calls, asked, chunk = sets[f"{kind}_CALLS"], sets[asked_name], sets["CHUNK_BYTES"]
    tiny = (calls > 0) & (asked <= limits["element.bytes"] * calls)
    # If a chunk holds no more than a call moves, the chunks are the problem.
    tiny &= (chunk <= 0) | (asked <= chunk * calls / 2)
    tiny &= ~_by_opening(facts, h5, calls)
    if not writes:  # the finding on searches is about the same reads
        tiny &= ~np.isin(h5.file_ids, list(objects_searched.searched(facts)))
    tiny &= sets.ids != ID  # a shared record may be of many datasets with one element each
    like = max(1, int(sets.counts[tiny].sum()))
    tiny &= calls >= np.maximum(2, limits["operations"] / like) * sets.counts
    number, moved = int(calls[tiny].sum()), int(asked[tiny].sum())
    # h5py opens and closes an object of the file for each element.
    time = sets.time((kind, OPEN, CLOSE, META))
    between = _between(facts, h5, kind) * (calls > 0)
    # If calls on several datasets alternate, these datasets share the time between the calls.
    around = min(
        float(between[tiny].sum()),
        max(0.0, facts.process_time - float(time[tiny].sum())),
    )
    # Call sites have measured this time; without them it is estimated.
    more = loops.between(facts, NAME, float(time[tiny].sum()))
    around = _around(facts, around, more.seconds)
    scale = around / max(float(between[tiny].sum()), 1e-9)
    lost = np.where(tiny, facts.lost(time + scale * between, asked), 0.0)
    flushes = _flushes(facts, h5, tiny, float(lost.sum()) + more.seconds) if writes else 0.0
    stake = facts.stake(
        lost.sum() + flushes,
        f"time in these {word} beyond what the bytes would take at a good rate"
        + (", and what Python's bindings take for each" if around > 0 else "")
        + (", and the time in the flushes after them" if flushes > 0 else "")
        + more.basis,
        between=more.seconds,
    )
    if number < limits["operations"] or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        f"Datasets are {'read' if kind == 'READ' else 'written'} element by element",
        f"{count(number)} {word} of {sets.named(tiny, lost)} moved {amount(moved / number)} each: "
        f"{amount(moved)} took {seconds(float(time[tiny].sum()))} in HDF5"
        + (f", and up to {seconds(around)} in Python" if around > 0 else "")
        + f"{facts.over_all}."
        + (f" A flush after each write took {seconds(flushes)}." if flushes > 0 else "")
        + ("" if around > 0 else more.sentence),
        stake=stake,
        evidence=sets.sums(tiny, f"{kind}_CALLS", asked_name, f"F_{kind}_TIME"),
        remedy=_remedy(facts, frozenset(int(i) for i in sets.ids[tiny]), kind, flushed=flushes > 0),
        limits=("element.bytes", "operations", "opens.again", "python.seconds"),
        covers=h5.covers(datasets=tiny),
    )
