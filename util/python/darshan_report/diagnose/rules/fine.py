"""Nothing to change, said plainly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...measure.endings import Failure, failure
from ...measure.exclusive import own_times
from ...summary import in_io
from ...summary.units import amount, count, plural, seconds, share
from ..facts import Facts
from ..finding import GOOD, NOTICE, PROBLEM, Finding
from ..tools import tool_of
from ..unjudged import is_unjudged, unjudged, unwatched
from . import program_files
from .reread import most_read

NAME = "fine"
_FINE, _AGAIN = "Your I/O is fine", ", but the same bytes are read again and again"


def _where(facts: Facts) -> str:
    """What would help follows from the layer that the time is spent in."""
    own = own_times(facts.attribution) if facts.attribution else []
    longest = max(own, key=lambda layer: layer.time, default=None)
    if longest is None or longest.time < facts.base_time:
        return _in_files(facts)
    each = "in all processes" if facts.tree else "per process"
    return (
        f"Most of it, {seconds(longest.time / _over(facts))} {each}, is {longest.title}, not "
        f"the file system ({seconds(facts.base_time / _over(facts))})."
    )


def _in_files(facts: Facts) -> str:
    """What would help, by what most of the time is spent on."""
    extra = facts.table("POSIX_EXT")
    base = [table for layer, table in facts.layers if layer.base]
    missing = extra.sum("F_MISS_TIME") if extra is not None else 0.0
    misses = extra.sum("MISSES") if extra is not None else 0.0
    names = sum(t.sum("F_META_TIME") for t in base) + facts.beside.metadata
    if 2 * missing > facts.base_time:
        return (
            f"Most of it went into {count(misses)} look-ups of names that are not there: a shorter "
            "search path, or asking once, would help."
        )
    if loading := _loading(facts):
        return loading
    if buffered := _in_buffers(facts):
        return buffered
    if 2 * names > facts.base_time:
        return (
            "Most of it went into opening, asking for and closing files, not into their bytes: "
            "fewer of these calls would help."
        )
    calls, moved = _transfers(facts)
    if calls >= facts.limits["operations"] and moved < facts.limits["small.bytes"] * calls:
        return (
            f"It went into {count(calls)} transfers of {amount(moved / calls)} on average: fewer, "
            "larger ones would help more than a faster file system."
        )
    return "The transfers are large: fewer bytes, or a faster file system, would help."


def _loading(facts: Facts) -> str:
    """Words for a run whose I/O is its start: an interpreter that loads its modules."""
    time, own, files = 0.0, 0.0, 0
    for layer, table in facts.layers:
        if layer.base:
            spent, program = facts.time(table), program_files.which(facts, table)
            files += int(facts.files(table)[program].sum())
            time += float(spent[program].sum())
            own += float(spent[~program].sum())
    if 2 * time <= facts.base_time:
        return ""
    return (
        f"Most of it was loading program files ({plural(files, 'file')}); your own files took "
        f"{seconds(own / _over(facts))}."
    )


def _in_buffers(facts: Facts) -> str:
    """Words for time in calls of the C library that its buffers answered."""
    streams = facts.streams
    if streams is None or not streams.known:
        return ""
    table, files = streams.table, streams.files
    spent = table["F_READ_TIME"] + table["F_WRITE_TIME"]
    below = streams.time("READ") + streams.time("WRITE")
    answered = float(np.maximum(0.0, spent - below)[files].sum())
    if 2 * answered <= facts.base_time:
        return ""
    calls = float((table["READS"] + table["WRITES"])[files].sum())
    moved = float((table["BYTES_READ"] + table["BYTES_WRITTEN"])[files].sum())
    return (
        f"Most of it, {seconds(answered / _over(facts))}, went into {count(calls)} calls of the "
        f"standard library ({amount(moved / max(calls, 1.0))} on average) that its buffers "
        "answered, not into transfers: fewer, larger calls would help, a faster file system would "
        "not."
    )


def _transfers(facts: Facts) -> tuple[float, float]:
    """Reads and writes that reached files, and their bytes: what calls on a stream became below
    its buffer, where the log tells."""
    calls = moved = 0.0
    posix, streams = facts.table("POSIX"), facts.streams
    if posix is not None:
        calls += posix.sum("READS") + posix.sum("WRITES")
        moved += posix.sum("BYTES_READ") + posix.sum("BYTES_WRITTEN")
    for kind in ("READ", "WRITE") if streams is not None else ():
        calls += float(streams.calls(kind)[streams.files].sum())
        moved += float(streams.moved(kind)[streams.files].sum())
    return calls, moved


def _calls(facts: Facts) -> float:
    """Calls on files of all kinds, in the layer that the program used."""
    found = 0.0
    for layer, table in facts.layers:
        if layer.base:
            names = ("READS", "WRITES", "SEEKS", "FLUSHES", "STATS")
            found += sum(table.sum(name) for name in names) + float(facts.opens(table).sum())
    extra = facts.table("POSIX_EXT")
    if extra is not None:
        names = ("MISSES", "UNLINKS", "MKDIRS", "RMDIRS", "LINKS", "SETATTRS", "DIR_ENTRIES")
        found += sum(extra.sum(name) for name in names)
    return found


def _over(facts: Facts) -> int:
    """Ranks of a job are alike, so a mean tells of each; programs of a tree are not."""
    return 1 if facts.tree else facts.nprocs


def _spent(facts: Facts) -> str:
    shares = facts.shares
    each = " in all processes together" if facts.tree else " per process on average"
    each = each if facts.tree or facts.nprocs > 1 else ""
    what = "I/O of all layers" if shares.above else "file I/O"
    return (
        f"{what} took {seconds(shares.all / _over(facts))}{each}, "
        f"{in_io.all_layers(shares)} of the {in_io.of_what(shares)}"
    )


def _begun(words: str) -> str:
    """Words at the begin of a sentence."""
    return words[0].upper() + words[1:]


def _little(facts: Facts) -> str:
    """Who parses or inflates the same file twenty times waits for itself, not for the file."""
    again = most_read(facts)
    calls = _calls(facts)
    if not again and calls < facts.limits["calls.many"]:
        return "there is nothing to win in its calls. What the program computes is not judged."
    if not again:
        return (
            f"there is little to win in the calls themselves. But there are {count(calls)} of "
            "them: what the program does around each, such as formatting, parsing or the work of "
            "an interpreter, is no I/O, is not judged here, and may take longer; fewer, larger "
            "calls save that as well."
        )
    return (
        f"there is little to win in its calls. But {again}: what the program does with the "
        "bytes each time, such as parsing or decompressing them, is no I/O and may take longer; "
        "keep the result."
    )


def _missed(near: Finding | None) -> str:
    """Which pattern was almost one."""
    if near is None:
        return "none of the patterns that are known to be slow was found."
    cost = f"{seconds(near.stake.run)}, {share(near.stake.run, near.stake.of_run)}"
    return (
        "no pattern that is known to be slow is there often enough, or costs enough. Nearest to "
        f"one is: {near.title} ({cost} at most)."
    )


def _not_judged(facts: Facts) -> Finding:
    """Time on storage that nothing explains: what was seen may be fine, the rest nobody knows."""
    known = unjudged(facts)
    silent = unwatched(facts)
    words = f"Not watched: {facts.tree.told_unseen()}. " if facts.tree and silent else ""
    words += (
        f"Up to {seconds(known.seconds)} of {seconds(facts.run_time)} went to storage past the "
        f"calls that were seen: {amount(known.read + known.written)}."
        if known
        else ""
    )
    return Finding(
        NAME,
        "Part of the I/O was not seen",
        f"{words} Of what was seen, {_spent(facts)}; no known problem is in that.",
        NOTICE,
        limits=("io.fine",),
    )


def _failed(facts: Facts, failed: Failure) -> Finding:
    """What did not run to its end is not judged by what it did until then."""
    extra = facts.table("POSIX_EXT")
    misses = int(extra.sum("MISSES")) if extra is not None else 0
    found = f" {plural(misses, 'look-up')} of files found nothing." if misses else ""
    return Finding(
        NAME,
        "The program failed",
        f"It {failed.words}.{found} Of what ran, {_spent(facts)}; no known problem is in that.",
        NOTICE,
    )


def _nothing(_: Facts) -> None:
    return None


def find(
    facts: Facts,
    others: Sequence[Finding] = (),
    near: Callable[[Facts], Finding | None] = _nothing,
) -> Iterator[Finding]:
    """Looks at what the other diagnoses found, so it comes last."""
    if any(f.kind == PROBLEM for f in others):
        return
    failed = failure(facts.log, facts.processes)
    if failed:
        yield _failed(facts, failed)
        return
    if is_unjudged(facts):
        yield _not_judged(facts)
        return
    if (tool := tool_of(facts)) and facts.io_time > facts.limits["io.fine"] * facts.process_time:
        yield Finding(
            NAME,
            f"{tool} does what it is for",
            f"{_begun(_spent(facts))}: {tool} works on the files that it is given. Fewer of them, "
            "or an archive instead of many small ones, would make it faster.",
            GOOD,
        )
        return
    if not facts.layers and not facts.base_time:
        yield Finding(
            NAME,
            "No I/O was seen",
            "The log holds no record of any I/O: either there "
            "was none on files that are watched, or the program could not be watched.",
            GOOD,
        )
    elif facts.io_time <= facts.limits["io.fine"] * facts.process_time:
        yield Finding(
            NAME,
            _FINE + (_AGAIN if most_read(facts) else ""),
            f"{_begun(_spent(facts))}: {_little(facts)}",
            GOOD,
            limits=("io.fine", "again.mostly", "calls.many"),
        )
    else:
        yield Finding(
            NAME,
            "No known problem",
            f"{_begun(_spent(facts))}, and {_missed(near(facts))} {_where(facts)}",
            GOOD,
        )
