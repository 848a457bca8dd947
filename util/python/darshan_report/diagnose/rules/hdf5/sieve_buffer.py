"""HDF5 fills its sieve buffer for each access to a dataset without chunks. A dataset without chunks
is read and written through a buffer (H5Pset_sieve_buf_size; 64 KiB if the program does not set it).
If the next access is outside of the buffer, HDF5 fills the whole buffer again, and writes it back
after a change.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.layers.attribution import Upper
from ....units import amount, count, plural, seconds
from ...accesses.objects import with_files
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "sieve-buffer"
ROLE = CAUSE
SMALL = 4096  # bytes of a small sieve buffer, which costs little to fill
IN_C = f"H5Pset_sieve_buf_size(fapl, {SMALL});  H5Fopen(path, flags, fapl)"
_FACTOR = 8  # smallest ratio of the moved bytes to those with a small buffer
_OFTEN = 0.5  # POSIX reads per call from which on the buffer rarely has the next bytes
_CONTIGUOUS = 1
_ASKED = {"READ": "BYTES_ASKED_READ", "WRITE": "BYTES_ASKED_WRITTEN"}


def _moved(upper: Upper, kind: str) -> int:
    """Returns the bytes that lower layers moved for reads, or writes, of a dataset. kind: READ or
    WRITE."""
    return upper.below("BYTES_READ", (kind,)) + upper.below("BYTES_WRITTEN", (kind,))


def _needed(upper: Upper, kind: str) -> int:
    """Returns the bytes that HDF5 would move for these calls on a dataset through a buffer of SMALL
    bytes. kind: READ or WRITE."""
    reads, writes = upper.below("READS", (kind,)), upper.below("WRITES", (kind,))
    return max(upper.counters[_ASKED[kind]], SMALL * (reads + writes))


def _is_sieved(facts: Facts, upper: Upper, kind: str) -> bool:
    """Returns whether reads, or writes, of a dataset fill the sieve buffer but do not use it. kind:
    READ or WRITE."""
    calls, reads = upper.counters[f"{kind}_CALLS"], upper.below("READS", (kind,))
    moved, needed = _moved(upper, kind), _needed(upper, kind)
    return (
        upper.counters["LAYOUT"] == _CONTIGUOUS
        and upper.mpi_time((kind,)) <= 0  # MPI-IO has buffers of its own
        and reads >= _OFTEN * calls
        and moved >= max(_FACTOR * needed, needed + facts.limits["again.bytes"])
    )


def sieved(facts: Facts, kind: str) -> list[Upper]:
    """Returns the datasets whose calls fill the sieve buffer, of which they then use little. kind:
    READ or WRITE."""
    return [upper for upper in facts.datasets if _is_sieved(facts, upper, kind)]


def _dies(upper: Upper, kind: str) -> bool:
    """Returns whether the dataset is opened and closed for nearly every call, so that each close
    discards the buffer. kind: READ or WRITE."""
    return 2 * upper.counters["OPEN_CALLS"] > upper.counters[f"{kind}_CALLS"]


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if reads fill the sieve buffer but do not use it, and another if writes do;
    otherwise nothing. Calls of a few bytes each are left to the finding about single elements."""
    for kind in ("READ", "WRITE"):
        smallest = facts.limits["element.bytes"]
        hits = [
            upper
            for upper in sieved(facts, kind)
            if upper.counters[_ASKED[kind]] > smallest * upper.counters[f"{kind}_CALLS"]
        ]
        if hits:
            yield from _told(facts, kind, hits)


def _why(upper: Upper, kind: str) -> str:
    """Returns a clause on why the buffer is not used. kind: READ or WRITE."""
    if _dies(upper, kind):
        opens = count(upper.counters["OPEN_CALLS"])
        return f"which each close of the dataset drops: it was opened {opens} times"
    return f"where few {kind.lower()}s find what the one before left in it"


def _remedy(upper: Upper, kind: str) -> Remedy:
    """Returns the remedy: a smaller buffer, or a dataset that stays open."""
    smaller = (
        f"{IN_C}\nPython: fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS);  "
        f"fapl.set_sieve_buf_size({SMALL});  file = h5py.File(h5py.h5f.open(path, fapl=fapl))"
    )
    if _dies(upper, kind):
        return Remedy(
            "Keep the dataset open: its sieve buffer is lost when the last handle of it is "
            "closed. If the order is random, make the buffer smaller, too.",
            "Python: x = file['x']  # before the loop, then x[i]\n"
            f"H5Dopen2 before the loop, H5Dclose behind it\n{smaller}",
        )
    return Remedy(
        f"Make the sieve buffer smaller, or {kind.lower()} larger blocks in the order of the "
        "dataset.",
        smaller,
    )


def _told(facts: Facts, kind: str, hits: list[Upper]) -> Iterator[Finding]:
    """Yields the finding on the datasets, if they cost enough. kind: READ or WRITE."""
    moved, needed = (sum(of(u, kind) for u in hits) for of in (_moved, _needed))
    lost = sum(u.lower_time((kind,)) * (1 - _needed(u, kind) / _moved(u, kind)) for u in hits)
    stake = facts.stake(
        lost, "time of the calls below, multiplied by the share of bytes for the buffer alone"
    )
    if not facts.worth(stake):
        return
    first, word = hits[0], "read" if kind == "READ" else "write"
    calls, asked = (sum(u.counters[n] for u in hits) for n in (f"{kind}_CALLS", _ASKED[kind]))
    yield Finding(
        f"{NAME}-{word}",
        f"HDF5 fills its sieve buffer for each small {word}",
        f"{count(calls)} {word}s of {facts.name(first.id)}"
        + (f" and {plural(len(hits) - 1, 'more dataset')}" if hits[1:] else "")
        + f" asked for {amount(asked)}, and HDF5 moved {amount(moved)} through its sieve buffer, "
        f"{_why(first, kind)}. With a buffer of {amount(SMALL)} "
        f"it would move {amount(needed)}. The calls below took "
        f"{seconds(sum(u.lower_time((kind,)) for u in hits))}{facts.over_all}.",
        stake=stake,
        evidence=facts.upper_rows(
            first,
            f"{kind}_CALLS",
            _ASKED[kind],
            f"{kind}_POSIX_READS",
            f"{kind}_POSIX_BYTES_READ",
            f"{kind}_POSIX_BYTES_WRITTEN",
            f"F_{kind}_POSIX_TIME",
        ),
        remedy=_remedy(first, kind),
        limits=("again.bytes", "element.bytes"),
        covers=with_files(facts, hits),
    )
