"""Finds I/O on storage that neither recorded calls nor starts of programs explain. The report must
not call a run with much of it fine."""

from __future__ import annotations

import numpy as np

from ...classes import dataclass
from ...measure.files.mapped import MAPPED, Mapped, mapped
from ...measure.processes.usage import PAGE, Seen, Usage
from ...units import amount, plural, seconds
from ..facts import Facts, once

_STARTING = 0.03  # processor seconds that the kernel needs for the start of a process, at most
_FEW_BYTES = 4  # bytes per read, below which programs read single characters


@dataclass(frozen=True)
class Unjudged:
    """I/O on storage that recorded calls do not explain, of all processes together, in bytes.
    seconds, share: upper bounds of the wait for it, of the process with the largest part."""

    read: float
    written: float
    from_storage: float  # all bytes, explained or not
    to_storage: float
    seen_read: float  # bytes that recorded calls moved
    seen_written: float
    starting: float  # bytes of programs and libraries, at most
    faults: float  # page faults that waited for storage
    seconds: float
    share: float  # of the run time
    mapped: float  # bytes of mapped files that the program touched

    @property
    def sentence(self) -> str:
        """A sentence on how many bytes came from and went to storage, and which of them recorded
        calls explain."""
        words = []
        if self.read:
            came = f"{amount(self.from_storage)} came from storage, "
            came += f"{amount(min(self.seen_read, self.from_storage))} of that through "
            came += "recorded calls"
            if self.starting:
                came += f" and at most {amount(self.starting)} as programs and libraries"
            if self.mapped:
                came += f" and at most {amount(min(self.mapped, self.from_storage))} through "
                came += "mapped files"
            words.append(came)
        if self.written:
            words.append(
                f"{amount(self.to_storage)} went to storage, "
                f"{amount(min(self.seen_written, self.to_storage))} of that through recorded "
                "calls"
            )
        faults = f", with {plural(int(self.faults), 'page fault')}" if self.faults else ""
        return (
            f"{'; '.join(words)}{faults}. The program may have waited up to "
            f"{seconds(self.seconds)} for what no call explains."
        )


@once
def unjudged(facts: Facts) -> Unjudged | None:
    """Returns the storage I/O that neither recorded calls nor starts of programs explain; None if
    all is explained, or if the log has no USAGE records."""
    known = _usage(facts)
    if known is None:
        return None
    seen, whole, lived = _seen(facts, known)
    least = facts.limits["again.bytes"]
    watched = ~_silent(facts, known)  # a separate notice reports the other processes
    took = np.where(watched, np.minimum(known.seconds(seen, least), lived), 0.0)
    read, written = (np.where(watched & (b >= least), b, 0.0) for b in known.unexplained(seen))
    if not (read.sum() or written.sum()):
        return None
    held = mapped_of(facts)
    shares = np.divide(took, whole, out=np.zeros_like(took), where=whole > 0)
    worst = int(np.argmax(shares))
    return Unjudged(
        float(read.sum()),
        float(written.sum()),
        float((known["STORAGE_READ"] + known["STORAGE_START"])[watched].sum()),
        float(known["STORAGE_WRITTEN"][watched].sum()),
        float(seen.read[watched].sum()),
        float(seen.written[watched].sum()),
        float((known["STORAGE_START"] + known.starting)[watched].sum()),
        float(known["MAJOR_FAULTS"][watched].sum()),
        float(took[worst]),
        float(shares[worst]),
        held.looked_at if held else 0.0,
    )


@once
def mapped_of(facts: Facts) -> Mapped | None:
    """Returns the mapped and touched bytes of all files; None if no file was mapped."""
    table = facts.table("POSIX_EXT")
    if table is None:
        return None
    # If a part is unknown, the sum is unknown.
    least = {name: table.records[f"POSIX_EXT_{name}"].min(initial=0) for name in MAPPED}
    return mapped(lambda name: -1.0 if least.get(name, 0) < 0 else table.sum(name))


@dataclass(frozen=True)
class Unwatched:
    """I/O of programs that were not instrumented, in bytes. The kernel's counts are known because
    the processes that waited for the end of these programs recorded them."""

    read: float  # from any file or descriptor
    written: float
    from_storage: float  # part of `read` that the page cache did not have
    seconds: float  # lifetime of the program that lived longest
    alone: float  # part of `seconds` in which it had no child process
    share: float  # share of the run time that the longest of them took
    number: int  # processes

    @property
    def sentence(self) -> str:
        """A sentence about the bytes and the lifetime of these programs."""
        is_one = self.number == 1
        moved = f"{'It' if is_one else 'They'} read {amount(self.read)} and wrote "
        moved += amount(self.written)
        lived = f"{'' if is_one else 'the longest '}lived for {seconds(self.seconds)}"
        if self.alone < self.seconds:
            lived += f", {seconds(self.alone)} of that without a child process"
        return f"{moved}, and {lived}."


@once
def unwatched(facts: Facts) -> Unwatched | None:
    """Returns the I/O of programs that were not instrumented; None if there is no such program, or
    if no process recorded its I/O."""
    known, tree = _usage(facts), facts.processes
    if known is None or tree is None or not tree.unseen.any():
        return None
    silent = _silent(facts, known)
    places = np.flatnonzero(tree.unseen)
    place = int(places[np.argmax((tree.end - tree.start)[places])])
    longest = float(tree.end[place] - tree.start[place])
    return Unwatched(
        float(known["CHARS_READ"][silent].sum()),
        float(known["CHARS_WRITTEN"][silent].sum()),
        float(known["STORAGE_READ"][silent].sum()),
        longest,
        tree.alone(place),
        longest / facts.run_time if facts.run_time > 0 else 0.0,
        int(tree.counts[places].sum()),
    )


@dataclass(frozen=True)
class PageWaits:
    """Page faults that waited for storage and read few bytes each, summed over the processes that
    had many of them."""

    faults: float
    read: float  # bytes
    seconds: float  # at most the sleep of the first threads outside of recorded calls


@once
def waits_for_pages(facts: Facts) -> PageWaits | None:
    """Returns the page faults that waited for storage and read few bytes each; None if no process
    had many of them."""
    known = _usage(facts)
    if known is None:
        return None
    seen, _, _ = _seen(facts, known)
    limits, faults = facts.limits, known["MAJOR_FAULTS"]
    read, _ = known.unexplained(seen)
    some = ~_silent(facts, known) & known.knows("F_BLOCKED_TIME")
    some &= (faults >= limits["faults.many"]) & (read <= limits["faults.page"] * faults)
    if not some.any():
        return None
    # The bytes that were read as programs and libraries are an upper bound, because each page fault
    # read a page or more.
    read = np.maximum(read, np.minimum(PAGE * faults, known["STORAGE_READ"]))
    asleep = np.maximum(known["F_BLOCKED_TIME"] - seen.seconds, 0.0)
    took = np.minimum(asleep, faults * limits["faults.seconds"])
    return PageWaits(*(float(column[some].sum()) for column in (faults, read, took)))


@dataclass(frozen=True)
class Bytewise:
    """The reads of one process on descriptors which Darshan does not record, such as pipes, of at
    most _FEW_BYTES on average."""

    program: str  # empty if the log has one process
    command: str  # its command line; empty if the log has one process
    calls: float
    read: float  # bytes
    system: float  # seconds that the kernel worked for the process
    user: float  # seconds that its own code and its libraries worked


@once
def bytewise(facts: Facts) -> Bytewise | None:
    """Returns the process that made the most reads of very few bytes (_FEW_BYTES on average)
    outside of its recorded files, such as from a pipe. Returns None if no process made many of them
    (the threshold bytewise.calls)."""
    known = _usage(facts)
    if known is None or not known.knows("READ_CALLS").any():
        return None
    calls, read = _unrecorded_reads(facts, known)
    some = (calls >= facts.limits["bytewise.calls"]) & (read <= _FEW_BYTES * calls)
    # The log lacks the calls on files of processes that were not instrumented.
    some &= ~_silent(facts, known)
    if not some.any():
        return None
    place = int(np.argmax(np.where(some, calls, 0.0)))
    program, command = _program(facts, known, place)
    system, user = (float(known[f"F_{kind}_TIME"][place]) for kind in ("SYSTEM", "USER"))
    return Bytewise(program, command, float(calls[place]), float(read[place]), system, user)


@dataclass(frozen=True)
class KernelWork:
    """The work of the kernel for one process outside of recorded calls."""

    program: str  # empty if the log has one process
    seconds: float  # processor time
    faults: float  # page faults that did not wait for storage
    calls: float  # reads on descriptors that Darshan does not record
    read: float  # bytes that these reads moved
    moved: float  # bytes that recorded calls moved
    waits: float  # times that its threads slept
    rank: int  # in the tree of processes; -1 if the log has one process


@once
def kernel_work(facts: Facts) -> KernelWork | None:
    """Returns the work of the kernel for the process for which it worked longest outside of
    recorded calls. Returns None if there is no such work, without USAGE records, and for MPI jobs,
    whose ranks communicate."""
    known = _usage(facts)
    if known is None or (facts.tree is None and facts.nprocs > 1):
        return None
    seen, _, _ = _seen(facts, known)
    spent = known["F_SYSTEM_TIME"] - seen.seconds - _STARTING
    spent = np.where(_silent(facts, known), 0.0, spent)
    place = int(np.argmax(spent))
    if spent[place] <= 0:
        return None
    calls, read = _unrecorded_reads(facts, known)
    return KernelWork(
        _program(facts, known, place)[0],
        float(spent[place]),
        float(known["MINOR_FAULTS"][place]),
        float(calls[place]),
        float(read[place]),
        float((seen.read + seen.written)[place]),
        float(known["WAITS"][place]),
        int(known.ranks[place]) if facts.tree is not None and len(known) > 1 else -1,
    )


def _unrecorded_reads(facts: Facts, known: Usage) -> tuple[np.ndarray, np.ndarray]:
    """Returns for each USAGE record the number of reads that the kernel counted and no recorded
    call explains, and their bytes."""
    seen, _, _ = _seen(facts, known)
    tree, recorded = facts.tree, np.zeros(len(known))
    if tree is not None and len(known) > 1:
        at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
        recorded = np.where(tree.ranks[at] == known.ranks, tree["READS"][at], 0).astype("f8")
    elif (posix := facts.table("POSIX")) is not None:
        recorded[:] = posix.sum("READS")
    calls: np.ndarray = known["READ_CALLS"] - recorded
    read: np.ndarray = np.maximum(known["CHARS_READ"] - seen.read, 0.0)
    return calls, read


def _program(facts: Facts, known: Usage, place: int) -> tuple[str, str]:
    """Returns name and command line of the process of a USAGE record; both empty if the log has one
    process. place: index of the record."""
    tree = facts.tree
    if tree is None or len(known) < 2:
        return "", ""
    row = int(np.searchsorted(tree.ranks, known.ranks[place]))
    return tree.programs[row].name, tree.commands[row]


def is_unjudged(facts: Facts) -> bool:
    """Returns whether so much I/O of the run is unexplained that the report must not call it fine:
    storage I/O outside of recorded calls, or I/O of programs that were not instrumented."""
    found, silent = unjudged(facts), unwatched(facts)
    least, share = facts.limits["again.bytes"], facts.limits["io.fine"]
    if found is not None and found.share >= share:
        return True
    return silent is not None and silent.read + silent.written >= least and silent.share >= share


def _silent(facts: Facts, known: Usage) -> np.ndarray:
    """Returns a mask of the USAGE records of processes that were not instrumented."""
    tree = facts.processes
    if tree is None or not tree.unseen.any():
        return np.zeros(len(known), bool)
    return np.asarray(np.isin(known.ranks, tree.ranks[tree.unseen > 0]))


def _pages_of_files(facts: Facts, opens: np.ndarray) -> np.ndarray:
    """Returns, for processes with these numbers of opens, how many bytes of metadata the file
    system may have written. It writes one page for each written file, and one for each name that
    was created, renamed or removed."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    files, names = 0.0, facts.renames()
    if posix is not None:
        files = float(facts.files(posix)[posix["WRITES"] > 0].sum())
    if extra is not None:
        names += sum(extra.sum(name) for name in ("UNLINKS", "LINKS", "MKDIRS", "RMDIRS"))
    found: np.ndarray = PAGE * (names + np.minimum(opens, files))
    return found


@once
def _usage(facts: Facts) -> Usage | None:
    table = facts.table("USAGE")
    return None if table is None else Usage(table.records)


def _seen(facts: Facts, known: Usage) -> tuple[Seen, np.ndarray, np.ndarray]:
    """Returns, for each USAGE record: the recorded calls, the run time times the number of
    processes that the record represents, and the lifetime. Times are seconds."""
    tree = facts.tree
    if tree is not None and len(known) > 1:
        at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
        there = tree.ranks[at] == known.ranks
        columns = (tree.read, tree.written, tree["WRITES"], tree.time, tree.opens)
        read, written, writes, spent, opens = (
            np.where(there, column[at].astype("f8"), 0.0) for column in columns
        )
        # The share refers to the run time, because a process that waits for all others hardly
        # notices a short one.
        beside = _pages_of_files(facts, opens)
        seen = Seen(read, written, writes, spent, beside)
        return seen, np.maximum(tree.counts[at], 1) * facts.run_time, tree.lives[at]
    sums = np.zeros((4, len(known)))
    for layer, table in facts.layers:
        if layer.base:
            sums[0] += table.sum("BYTES_READ")
            sums[1] += table.sum("BYTES_WRITTEN")
            sums[2] += table.sum("WRITES")
    sums[3] = facts.base_time
    whole = np.full(len(known), facts.run_time * max(facts.nprocs, 1))
    beside = _pages_of_files(facts, np.full(len(known), np.inf))
    return Seen(sums[0], sums[1], sums[2], sums[3], beside), whole, whole
