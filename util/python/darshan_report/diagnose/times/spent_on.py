"""The sentence, for a run without a known problem, on which kind of I/O took most of the I/O time
and what would reduce it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from ...classes import dataclass
from ...measure.layers.exclusive import own_times
from ...units import amount, count, plural, seconds, share
from ..facts import Facts
from ..programs import program_text
from ..remedies.advice import FEW
from ..rules.files import lookups
from ..table import Table
from .cpu_wait import real_part
from .naming import mapping_times, naming_times

_ON_NAMES = ("UNLINKS", "MKDIRS", "RMDIRS", "LINKS", "SETATTRS")


@dataclass(frozen=True)
class Said:
    """The pieces of a sentence about the I/O that took most of the time: what was done in this time
    (went), and what would help (would, more)."""

    went: str  # where the time went, without a period
    would: str  # the rest of the sentence: what would help
    more: str = ""  # another sentence, with a space before it


Words = Callable[[str], Said]  # makes the pieces from the beginning of the sentence: "Most of it"


@dataclass
class Transfers:
    """The transfers of one kind of files: seconds, calls, bytes. Calls that the C library's buffer
    served are left out."""

    time: float = 0.0  # seconds
    calls: float = 0.0
    moved: float = 0.0  # bytes
    # The costliest file of each table that was added: its seconds and its name.
    names: list[tuple[float, str]] = field(default_factory=list)

    def add(self, facts: Facts, table: Table, mask: np.ndarray, *columns: np.ndarray) -> None:
        """Adds the masked files of a table. columns: seconds, calls and bytes of each file."""
        time, calls, moved = columns
        if not mask.any():
            return
        self.time += float(time[mask].sum())
        self.calls += float(calls[mask].sum())
        self.moved += float(moved[mask].sum())
        first = int(np.argmax(np.where(mask, time, -1.0)))
        self.names.append((float(time[first]), facts.name(int(table.ids[first]))))

    @property
    def mean(self) -> float:
        """The mean number of bytes per transfer."""
        return self.moved / max(self.calls, 1.0)

    @property
    def first(self) -> str:
        """The name of the file that took most of the time."""
        return max(self.names)[1]


def where(facts: Facts, over: int) -> str:
    """Returns a sentence about the I/O that took most of the I/O time and what would reduce it; ""
    if there was no I/O. over: number of processes by which the sentence divides times."""
    own = own_times(facts.attribution) if facts.attribution else []
    longest = max(own, key=lambda layer: layer.time, default=None)
    if longest is None or longest.time < facts.base_time:
        return _in_files(facts, over)
    each = "in all processes" if facts.tree else "per process"
    return (
        f"Most of it, {seconds(longest.time / over)} {each}, is {longest.title}, not "
        f"the file system ({seconds(facts.base_time / over)})."
    )


def _in_files(facts: Facts, over: int) -> str:
    """Returns the sentence about the lowest layers' I/O that took most of the time; "" if there is
    none. over: number of processes by which the sentence divides times."""
    small, large = _transfers(facts)
    kinds: list[tuple[float, Words]] = [
        (small.time, lambda most: _of_small(facts, small, most)),
        (large.time, lambda most: _of_large(large, most)),
        _misses(facts),
        _loading(facts, over),
        _in_buffers(facts, over),
        _names(facts),
        _mappings(facts),
        (sum(facts.direct), _to_a_gpu),
    ]
    time, words = max(kinds, key=lambda kind: kind[0])
    if time <= 0:
        return ""
    said = words("Most of it" if 2 * time > facts.base_time else "The largest part of it")
    if not said.would or time >= facts.limits["io.fine"] * facts.process_time:
        return f"{said.went}{said.would}{said.more}"
    part = share(time, facts.process_time)
    return f"{said.went}, {part} of the run: a change gains little.{said.more}"


def _misses(facts: Facts) -> tuple[float, Words]:
    """Returns the seconds in look-ups of missing names, and the function that makes the sentence
    about them."""
    extra = facts.table("POSIX_EXT")
    time = extra.sum("F_MISS_TIME") if extra is not None else 0.0
    number = extra.sum("MISSES") if extra is not None else 0.0
    return (
        time,
        lambda most: Said(
            f"{most} went into {plural(int(number), 'lookup')} of missing names",
            ": a shorter search path, or remembering the result, would help.",
            f" {lookups.where(facts)}".rstrip(),
        ),
    )


def _loading(facts: Facts, over: int) -> tuple[float, Words]:
    """Returns the seconds of reading program files, and a function that completes a sentence about
    them from its beginning ("Most of it"). The I/O of a run may be mostly that of an interpreter
    that loads its modules. over: number of processes by which the sentence divides times."""
    time, own, files = 0.0, 0.0, 0
    for layer, table in facts.layers:
        if layer.base:
            spent, program = facts.time(table), program_text.which(facts, table)
            files += int(facts.files(table)[program].sum())
            time += float(spent[program].sum())
            own += float(spent[~program].sum())
    return (
        time,
        lambda most: Said(
            f"{most} was loading program files ({plural(files, 'file')}); your own files took "
            f"{seconds(own / over)}.",
            "",
        ),
    )


def _in_buffers(facts: Facts, over: int) -> tuple[float, Words]:
    """Returns the seconds in calls of the C library that its buffers served, and a function that
    completes a sentence about them. over: number of processes by which the sentence divides
    times."""
    streams = facts.streams
    if streams is None or not streams.known:
        return 0.0, lambda most: Said(most, "")
    table, files = streams.table, streams.files
    spent = table["F_READ_TIME"] + table["F_WRITE_TIME"]
    below = streams.time("READ") + streams.time("WRITE")
    time = float(np.maximum(0.0, spent - below)[files].sum())
    calls = float((table["READS"] + table["WRITES"])[files].sum())
    moved = float((table["BYTES_READ"] + table["BYTES_WRITTEN"])[files].sum())
    return (
        time,
        lambda most: Said(
            f"{most}, {seconds(time / over)}, went into {count(calls)} calls of the standard "
            f"library ({amount(moved / max(calls, 1.0))} on average) that its buffers served, "
            "not into transfers",
            ": fewer, larger calls would help, a faster file system would not.",
        ),
    )


def _to_a_gpu(most: str) -> Said:
    moving = "went into transfers between files and the memory of a GPU (cuFile, hipFile)."
    return Said(f"{most} {moving}", "")


def _names(facts: Facts) -> tuple[float, Words]:
    """Returns the seconds in calls on names and descriptors of files, without look-ups of missing
    names, and the function that makes the sentence about them."""
    extra = facts.table("POSIX_EXT")
    time, calls = facts.beside.metadata, facts.renames()
    for layer, table in facts.layers:
        if layer.base:
            own = ~program_text.which(facts, table)
            time += float(naming_times(facts, table)[own].sum())
            calls += float(facts.opens(table)[own].sum())
            calls += sum(float(table[n][own].sum()) for n in ("STATS", "SEEKS") if table.has(n))
    if extra is not None:
        time -= extra.sum("F_MISS_TIME")
        calls += sum(map(extra.sum, _ON_NAMES))
    few = f" ({plural(int(calls), 'call')})" if 0 < calls < FEW else ""
    return (
        time,
        lambda most: Said(
            f"{most} went into opening, closing, seeking and querying files{few}, not into their "
            "bytes",
            ": a change of so few calls gains little."
            if few
            else ": fewer of these calls would help.",
        ),
    )


def _mappings(facts: Facts) -> tuple[float, Words]:
    """Returns the seconds in calls that map and unmap files, and a function that completes a
    sentence about them."""
    times = mapping_times(facts)
    return (
        0.0 if times is None else float(times.sum()),
        lambda most: Said(f"{most} went into mapping files into memory and unmapping them.", ""),
    )


def _transfers(facts: Facts) -> tuple[Transfers, Transfers]:
    """Returns the transfers of files that are moved in many small pieces, then those of all other
    files, both without program files. The transfers of a stream are those between its buffer and
    the file, if the log has them."""
    small, large = Transfers(), Transfers()
    found = []
    posix, streams = facts.table("POSIX"), facts.streams
    if posix is not None:
        calls = (posix["READS"] + posix["WRITES"]).astype("f8")
        moved = (posix["BYTES_READ"] + posix["BYTES_WRITTEN"]).astype("f8")
        time = posix["F_READ_TIME"] + posix["F_WRITE_TIME"]
        found.append((posix, ~program_text.which(facts, posix), time, calls, moved))
    if streams is not None:
        for kind in ("READ", "WRITE"):
            time, calls, moved = streams.time(kind), streams.calls(kind), streams.moved(kind)
            found.append((streams.table, streams.files, time, calls, moved))
    for table, mask, time, calls, moved in found:
        pieces = (calls >= facts.limits["operations"]) & (
            moved < facts.limits["small.bytes"] * calls
        )
        small.add(facts, table, mask & pieces, time, calls, moved)
        large.add(facts, table, mask & ~pieces, time, calls, moved)
    return small, large


def _of_small(facts: Facts, found: Transfers, most: str) -> Said:
    """Returns the pieces of the sentence about many small transfers. most: its beginning, such as
    "Most of it"."""
    went = (
        f"{most} went into {count(found.calls)} transfers of {amount(found.mean)} on average "
        f"({found.first})"
    )
    each = found.time * real_part(facts) / found.calls
    if 2 * found.mean >= facts.limits["stream.buffer"] and each < facts.limits["stream.latency"]:
        return Said(
            f"{went}, which the page cache answered", ": larger ones would save a part at most."
        )
    return Said(went, ": fewer, larger ones would help more than a faster file system.")


def _of_large(found: Transfers, most: str) -> Said:
    """Returns the pieces of the sentence about large or few transfers. most: its beginning, such as
    "Most of it"."""
    if found.mean < 1 << 16:
        return Said(
            f"{most} went into {plural(int(found.calls), 'transfer')} of {amount(found.mean)} on "
            f"average, too few of one file to be a pattern ({found.first}).",
            "",
        )
    return Said(
        f"{most} went into large transfers ({amount(found.mean)} on average; {found.first})",
        ": fewer bytes, or a faster file system, would help.",
    )
