"""Many small transfers: most of the time is the cost per call, not per byte."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, share
from ...accesses import strided
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...programs.used_through import used_through
from ...reached import CALLS, at_most, needs
from ...remedies.language import BLOCKS, FLUSHES, READ_BUFFER, WRITE_BUFFER
from ...table import Table
from ...times.cpu_wait import latency
from ...times.loops import ITEMS, between
from . import random_access, reread

NAME = "small-accesses"
ROLE = SYMPTOM
_FLUSHED = " Do not flush after each line{}."
_CPP = r"libstdc\+\+\.so|libc\+\+\.so"
_HERE_AND_THERE = {
    "READ": "The offsets are random. If the file fits into memory, read it once, or map it, and "
    "take each piece from there. Otherwise sort the requests by offset, and read those that lie "
    "close together with one call. A larger buffer alone moves bytes that are not used.",
    "WRITE": "The offsets are random. Collect the records in memory, or in a copy of the whole "
    "file if it fits, and write them sorted by offset, those that lie together with one call. A "
    "larger buffer alone does not help.",
}
_KEPT = (
    "C: char *all = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);  // once;  all + offset\n"
    "C++: auto all = (const char *)mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);  // once\n"
    "Rust: let all = std::fs::read(path)?;  // once, if it fits into memory\n"
    "Go: all, err := os.ReadFile(path)  // once, if it fits into memory\n"
    "Python: all = open(path, 'rb').read()  # once, if it fits;  all[offset : offset + size]\n"
    "Java: byte[] all = Files.readAllBytes(path);  // once, if it fits into memory\n"
)
_SORTED = (
    "C: qsort(requests, number, sizeof *requests, by_offset);\n"
    "C++: std::sort(requests.begin(), requests.end(), by_offset);\n"
    "Rust: requests.sort_by_key(|r| r.offset);\n"
    "Go: sort.Slice(requests, byOffset)\n"
    "Python: requests.sort(key=lambda request: request.offset)\n"
    "Java: requests.sort(Comparator.comparingLong(r -> r.offset))"
)
_AGAIN = (
    " Each byte was read {:,.0f} times on average: keep what was read in memory, which saves the "
    "other reads."
)
_FULL = 0.75  # share of a buffer from which on a mean transfer counts as a whole block
# Bytes; a program whose transfers are multiples of this has chosen the size of a buffer.
_BLOCK = 512
_LIBRARIES = {
    "READ": "\nH5Dread of a whole block instead of an element;  MPI_File_read_at_all",
    "WRITE": "\nH5Dwrite of a whole block instead of an element;  MPI_File_write_at_all",
}
_BLOCKS = (
    "Move larger blocks: a megabyte or more with each call. "
    "Put data that belongs together into one block."
)
_BY_LIBRARY = " Or let a library do it (HDF5 chunks, collective MPI-IO)."
_HOW = {
    "READ": "Read more with each call: in blocks of a megabyte or more, or through a buffer.",
    "WRITE": "Write more with each call: collect records in memory and write them together, or "
    "through a buffer.",
}
# Fewest tiny transfers per file; their smallest sum, as a multiple of `operations`.
_SOME, _MANY = 32, 10
_MOVED = {"READ": ("BYTES_READ", "read"), "WRITE": ("BYTES_WRITTEN", "written")}
_SIZES = {"READ": "MAX_BYTE_READ", "WRITE": "MAX_BYTE_WRITTEN"}


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if many small POSIX calls read files, and another if many small POSIX calls
    write files, each over all such files; otherwise nothing."""
    table = facts.table("POSIX")
    if table is None:
        return
    for kind in _MOVED:
        yield from _find(facts, table, kind)


def _by_blocks(table: Table, place: int, kind: str) -> bool:
    """Returns whether the program moves blocks through a buffer of its own: at least half of its
    transfers have the same size, a multiple of _BLOCK. kind: READ or WRITE. place: row of the
    file."""
    size = int(table["ACCESS1_ACCESS"][place])
    mostly = 2 * int(table["ACCESS1_COUNT"][place]) >= int(table[f"{kind}S"][place])
    return mostly and size > 0 and size % _BLOCK == 0


def _example(facts: Facts, kind: str, *, blocks: bool, in_order: bool) -> str:
    """Returns the example of the remedy, one line for each language. kind: READ or WRITE. blocks:
    the program has a buffer of its own. in_order: its transfers mostly go forward."""
    if not in_order:
        return (_KEPT if kind == "READ" else "") + _SORTED
    words = BLOCKS if blocks else READ_BUFFER if kind == "READ" else f"{FLUSHES}\n{WRITE_BUFFER}"
    return words + (_LIBRARIES[kind] if _library(facts) else "")


def _how(facts: Facts, kind: str, file: int, *, blocks: bool) -> str:
    """Returns the text of the remedy for transfers that mostly go forward. file: a record's id.
    blocks: the program has a buffer of its own."""
    flushed = _FLUSHED.format(", as std::endl does" if file in used_through(facts, _CPP) else "")
    how = _BLOCKS if blocks else _HOW[kind] + (flushed if kind == "WRITE" else "")
    return how + (_BY_LIBRARY if _library(facts) else "")


def _library(facts: Facts) -> bool:
    """Returns whether the program uses a library that can move large pieces for it: MPI-IO or
    HDF5."""
    return facts.table("MPI-IO") is not None or facts.info.region("H5D") is not None


def _alike(facts: Facts, table: Table, kind: str, small: np.ndarray) -> np.ndarray:
    """Returns a mask of the files of which each is moved in a few tiny pieces, if all these files
    together have very many such pieces. kind: READ or WRITE. small: number of small transfers per
    file."""
    moved, calls = table[_MOVED[kind][0]], table[f"{kind}S"]
    found: np.ndarray = (small >= _SOME * facts.files(table)) & (
        moved < facts.limits["stream.buffer"] * calls
    )
    found &= small[found].sum() >= _MANY * facts.limits["operations"]
    return found


def _files(facts: Facts, table: Table, kind: str, small: np.ndarray) -> np.ndarray:
    """Returns a mask of the files with too many small transfers, most of which the page cache does
    not serve. kind: READ or WRITE. small: number of small transfers per file."""
    moved, all_calls = table[_MOVED[kind][0]], table[f"{kind}S"]
    # The record of several files must have this number for each of its files.
    enough = facts.limits["operations"] * facts.files(table)
    found: np.ndarray = ((small >= enough) | _alike(facts, table, kind, small)) & (
        small > facts.limits["small.share"] * all_calls
    )
    # Blocks that the page cache serves cost the copy, no matter how many calls move them.
    calls_made = np.maximum(all_calls, 1)
    # Some blocks are shorter: the last one, those around a header, and the read that finds the end
    # of the file.
    blocks = moved >= _FULL * facts.limits["stream.buffer"] * calls_made
    found &= ~(blocks & (facts.moving(table, kind) < latency(facts) * calls_made))
    found &= ~reread.mostly(facts, table, kind)
    return found


def _find(facts: Facts, table: Table, kind: str) -> Iterator[Finding]:
    """Yields the finding on the files with many small transfers. kind: READ or WRITE."""
    calls, (moved, word) = f"{kind}S", _MOVED[kind]
    small, all_calls = facts.small(table, kind), table[calls]
    mask = _files(facts, table, kind, small)
    if not mask.any():
        return
    part = small / np.maximum(all_calls, 1)
    users = facts.movers(table)
    lost = facts.lost(facts.moving(table, kind) * part, table[moved] * part, users)
    seconds = np.where(mask, lost, 0.0)
    name = f"{NAME}-{kind.lower()}"
    more = between(facts, name, float(seconds.sum()), ITEMS)
    stake = facts.stake(
        seconds.sum(),
        "time of the small transfers beyond what their bytes would take in large "
        f"ones at {facts.rate_words(int(users[mask].max()))}{more.basis}",
        between=more.seconds,
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, seconds, len(mask))
    number, whole = int(small[mask].sum()), int(all_calls.sum())
    mean = float(table[moved][first]) / max(1, int(all_calls[first]))
    own = _by_blocks(table, first, kind)
    # Half of the transfers at random offsets go forward, and the first transfer after an open never
    # counts as going forward. A file that is too small for two transfers has no other order.
    begun = min(float(facts.opens(table)[first]), float(all_calls[first]))
    forward = (1 - facts.limits["random.share"]) * (int(all_calls[first]) - begun)
    size = int(table[_SIZES[kind]][first]) + 1
    in_order = int(table[f"SEQ_{calls}"][first]) >= forward or size < 2 * mean
    descending = not in_order and random_access.goes_back(facts, table, kind, first)
    times = reread.times_read(facts, table, first) if kind == "READ" else 1.0
    stride = strided.stride(facts, table, kind, first)
    remedy = (
        random_access.backwards(kind)
        if descending
        else strided.remedy(facts, table, kind, first)
        if stride > 0
        else Remedy(
            (
                _how(facts, kind, int(table.ids[first]), blocks=own)
                if in_order
                else _HERE_AND_THERE[kind]
            )
            + (_AGAIN.format(times) if times >= facts.limits["again.mostly"] else ""),
            _example(facts, kind, blocks=own, in_order=in_order),
            # Each process may collect what it writes to offsets of its own, but not what it
            # appends.
            alone=not in_order
            or int(table.ids[first]) in facts.common.states
            or 2 * begun >= int(all_calls[first]),
        )
    )
    yield Finding(
        name,
        f"Many small {kind.lower()}s",
        f"{count(number)} of {count(whole)} POSIX {calls.lower()} ({share(number, whole)}) have "
        f"at most {amount(facts.limits['small.bytes'])}; {facts.name(table.ids[first])} was "
        f"{word} {amount(mean)} at a time on average"
        + (f", and {plural(len(others), 'more file')} like it." if others else ".")
        + strided.sentence(kind, stride)
        + more.sentence,
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            calls,
            moved,
            f"SIZE_{kind}_0_100",
            f"SIZE_{kind}_100_1K",
            f"SIZE_{kind}_1K_10K",
            f"SIZE_{kind}_10K_100K",
            f"F_{kind}_TIME",
            *(("STRIDE1_STRIDE", "STRIDE1_COUNT") if stride > 0 else ()),
        ),
        remedy=remedy,
        limits=(
            "again.factor",
            "small.bytes",
            "small.share",
            "random.share",
            "operations",
            "stream.buffer",
            "stream.latency",
            "again.mostly",
        ),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
