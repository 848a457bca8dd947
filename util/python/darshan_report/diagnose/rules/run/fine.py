"""Reports that no known problem was found, or that the log does not show enough to say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....measure import io_share
from ....measure.processes.endings import Failure, failure
from ....units import amount, count, plural, seconds, share
from ...facts import Facts
from ...finding import GOOD, LAST, NOTICE, PROBLEM, Finding, Remedy
from ...programs.tools import tool_of
from ...times import cpu_wait, ledger, pipes, spent_on
from ...times.loops import loops_of
from ...times.unjudged import is_unjudged, mapped_of, unjudged, unwatched
from ..accesses.reread import NAME as AGAIN
from ..accesses.reread import most_moved
from ..files import lookups
from . import conversion, costly, time_between
from .unseen import watch

NAME = "fine"
ROLE = LAST
_FINE = "Your I/O is fine"
_HDF5 = " The calls of HDF5 were not recorded: its chunks, filters and conversion may take long."
_AROUND = "The calls on files are fine; most time passes between them"
_UNKNOWN = "how long mapped files took is unknown"
_MAPPED = f"The calls on files are fine; {_UNKNOWN}"
_PIPES = "how long pipes took is unknown"
_MOST = 0.5  # part of the run time

_FILE_CALLS = ("READS", "WRITES", "SEEKS", "FLUSHES", "STATS")
_NAME_CALLS = (
    "MISSES",
    "UNLINKS",
    "MKDIRS",
    "RMDIRS",
    "LINKS",
    "SETATTRS",
    "DIR_ENTRIES",
    "FOLDER_STATS",
    "RESOLVES",
    "FAILURES",
)


def _calls(facts: Facts) -> float:
    """Returns the number of calls of all kinds on files, in the lowest layers."""
    found = 0.0
    for layer, table in facts.layers:
        if layer.base:
            found += sum(map(table.sum, _FILE_CALLS)) + float(facts.opens(table).sum())
    extra = facts.table("POSIX_EXT")
    if extra is not None:
        found += sum(map(extra.sum, _NAME_CALLS))
    return found + facts.renames()


def _over(facts: Facts) -> int:
    """Returns the number by which sums over processes are divided. This is the number of ranks,
    because the ranks of a job are similar; it is 1 for a tree, because its programs differ."""
    return 1 if facts.tree else facts.nprocs


def _spent(facts: Facts) -> str:
    """Returns a clause on the time in I/O, and on its fraction of the run."""
    shares = facts.shares
    each = " in all processes together" if facts.tree else " per process on average"
    each = each if facts.tree or facts.nprocs > 1 else ""
    each = " in all threads together" if shares.overlapping and not each else each
    what = "I/O of all layers" if shares.above else "file I/O"
    return (
        f"{what} took {seconds(shares.all / _over(facts))}{each}, "
        f"{io_share.all_layers(shares)} of the {io_share.of_what(shares)}{_crowded(facts)}"
    )


def _crowded(facts: Facts) -> str:
    """Returns text in parentheses on how much of the I/O time was waiting for a processor; `""` if
    the machine was not busy."""
    words = cpu_wait.words(facts)
    return f" ({words})" if words else ""


def _begun(words: str) -> str:
    """Returns `words` with a capital first letter."""
    return words[0].upper() + words[1:]


def _little(facts: Facts, others: Sequence[Finding]) -> str:
    """Returns sentences on the most time that faster calls could save, and on the work of libraries
    between calls, which this time does not contain. others: findings of the other rules."""
    calls = _calls(facts)
    if loops_of(facts) is not None:
        return f"faster calls would gain no more than that.{_of_loops(facts, others)}"
    if calls < facts.limits["calls.many"]:
        return (
            "faster calls would gain no more than that. What the program does between its calls, "
            "such as formatting, parsing, compressing or computing, is not in this number."
        )
    return (
        f"faster calls would gain no more than that. But there are {count(calls)} of them: what "
        "the program does around each, such as formatting, parsing or the work of an interpreter, "
        "is not in this number and may take longer; fewer, larger calls save that time as well."
    )


def _of_loops(facts: Facts, others: Sequence[Finding]) -> str:
    """Returns a sentence, with a space before it, on the work of libraries between the calls of
    loops; `""` if a finding in `others` says how much time passed between them."""
    if any(finding.name == time_between.NAME for finding in others):
        return ""
    stake = facts.stake(0.0, "", between=ledger.ledger(facts)[ledger.BETWEEN])
    return (
        " Around the calls of its loops, libraries and the language worked for up to "
        f"{seconds(stake.run)} ({share(stake.run, stake.of_run)})."
    )


# A sentence about the program's work on the bytes each time, and the remedy.
_EACH_TIME = {
    "READ": (
        "What the program does with the bytes each time, such as parsing or decompressing them, is "
        "not in this time and may take much longer.",
        "Read the data once and keep the result in memory.",
    ),
    "WRITTEN": (
        "What the program does for the bytes each time, such as formatting or compressing them, is "
        "not in this time and may take much longer.",
        "Save less often, or append only what is new.",
    ),
}


def _again(facts: Facts) -> Iterator[Finding]:
    """Yields a notice if the same bytes of a file are read or written many times, in calls that
    take little time; otherwise nothing. Also yields nothing if the log has call sites: with them
    the time between the calls is known, so other rules decide whether this is a problem."""
    if loops_of(facts) is not None:
        return
    for direction, (words, remedy) in _EACH_TIME.items():
        if said := most_moved(facts, direction):
            yield Finding(
                f"{AGAIN}-{direction.lower()}",
                f"The same bytes are {direction.lower()} again and again",
                f"{said}."
                + (" The calls themselves took little time." if cpu_wait.is_little(facts) else "")
                + f" {words} To see that time, run the program with `darshan run --sites`.",
                NOTICE,
                remedy=Remedy(remedy),
                limits=("again.mostly",),
            )
            return


def _idle(facts: Facts) -> str:
    """Returns a sentence on a run that mostly waited; `""` for other runs, and for jobs of several
    ranks. The processes of a tree may wait for each other, so for a tree only the time counts in
    which no process worked."""
    if facts.tree:
        waited, who = facts.run_time - facts.process_time, "every process waited"
    elif facts.nprocs == 1:
        waited, who = (
            ledger.ledger(facts)[ledger.ASLEEP],
            "the program slept outside of the recorded calls",
        )
    else:
        return ""
    if waited <= _MOST * facts.run_time:
        return ""
    if slept := _naps(facts):
        return f"For {seconds(waited)} of {seconds(facts.run_time)} {who}: {slept}."
    return (
        f"For {seconds(waited)} of {seconds(facts.run_time)} {who}: perhaps for "
        "another process, a pipe, the network, a page of a mapped file, or time to pass "
        "(sleep). The log does not show what it waited for."
    )


def _naps(facts: Facts) -> str:
    """Returns words on the processes of a tree that run the program `sleep`; `""` if there are
    none."""
    tree = facts.tree
    at = [] if tree is None else [n for n, p in enumerate(tree.programs) if p.name == "sleep"]
    if tree is None or not at:
        return ""
    number, lived = int(tree.counts[at].sum()), float(tree.lives[at].sum())
    return f"{plural(number, 'process')} of sleep lived for {seconds(lived)}"


def _missed(near: Finding | None) -> str:
    """Returns a clause that says that no known problem was found, or names the problem that is
    nearest to its thresholds. near: this problem, or None."""
    if near is None:
        return "none of the patterns that are known to be slow was found."
    cost = f"{seconds(near.stake.run)}, {share(near.stake.run, near.stake.of_run)}"
    return (
        "no known problem occurs often enough or costs enough to be reported. The nearest to "
        f"that is: {near.title} ({cost} at most)."
    )


def _not_judged(facts: Facts) -> Finding:
    """Returns the finding for a run with storage accesses that no recorded call explains: the
    recorded I/O may be fine, but the rest is unknown."""
    known = unjudged(facts)
    silent = unwatched(facts)
    tree = facts.processes
    words = f"Not instrumented: {tree.told_unseen()}. {silent.sentence}" if tree and silent else ""
    held = mapped_of(facts)
    if known and held and not silent and held.looked_at >= (known.read + known.written) / 2:
        return Finding(
            NAME,
            "Pages of mapped files came from storage",
            f"Up to {seconds(known.seconds)} of {seconds(facts.run_time)} went into storage "
            f"accesses outside of the recorded calls ({amount(known.read + known.written)}), most "
            f"of them for pages of mapped files. In the recorded part, {_spent(facts)}; that part "
            "has no known problem.",
            NOTICE,
            remedy=Remedy(
                "Run it again while the files are in memory: the difference is the cost of these "
                "pages. DARSHAN_PAGE_FAULTS=1 records their order."
            ),
            limits=("io.fine",),
        )
    words += (
        f" Up to {seconds(known.seconds)} of {seconds(facts.run_time)} went into storage accesses "
        f"outside of the recorded calls: {amount(known.read + known.written)}."
        if known
        else ""
    )
    return Finding(
        NAME,
        "Part of the I/O was not recorded",
        f"{words.strip()} In the recorded part, {_spent(facts)}; that part has no known problem.",
        NOTICE,
        remedy=_not_seen(facts),
        limits=("io.fine",),
    )


def _not_seen(facts: Facts) -> Remedy:
    """Returns a remedy whose text says what was not recorded, and how to find out more about it."""
    known, tree = unjudged(facts), facts.processes
    if tree is not None and unwatched(facts) is not None:
        words = f"No call of {tree.told_unseen()} is in the log. "
        watched = watch(set(tree.unseen.tolist()))
        return Remedy(words + (watched.text or "strace -c shows what it does."), watched.example)
    moved = amount(known.read + known.written) if known else "some bytes"
    return Remedy(
        f"{moved} outside of calls, such as pages of programs. Run it again when they are in "
        "memory: only what is still slow matters."
    )


def _failed(facts: Facts, failed: Failure) -> Finding:
    """Returns the finding for a program that failed: its I/O until the failure has no known
    problem, but does not show whether a complete run is fine. failed: how it failed."""
    extra = facts.table("POSIX_EXT")
    misses = int(extra.sum("MISSES")) if extra is not None else 0
    found = f" {plural(misses, 'look-up')} of files found nothing." if misses else ""
    if misses and (folders := lookups.where(facts)):
        found += f" {folders}"
    return Finding(
        NAME,
        "The program failed",
        f"It {failed.words}.{found} Until then, {_spent(facts)}; that part has no known problem.",
        NOTICE,
    )


def _fine(facts: Facts, others: Sequence[Finding], unseen: str) -> str:
    """Returns the title for a run whose calls took little time. others: findings of the other
    rules; unseen: text on HDF5 calls that were not recorded, `""` if there are none."""
    if unseen:
        return "The calls on files are fine, those of HDF5 are not known"
    if any(f.name == "unseen-mapped" for f in others):
        return _MAPPED
    if pipes.may_have_taken_long(facts):
        return f"The calls on files are fine; {_PIPES}"
    if any(f.name == time_between.NAME for f in others):
        return _AROUND
    around = facts.stake(0.0, "", between=ledger.ledger(facts)[ledger.BETWEEN])
    is_said = any(f.is_hint or f.name.startswith((conversion.NAME, AGAIN)) for f in others)
    if around.share >= _MOST or is_said:
        return "The calls on files themselves are fine"
    return _FINE


def _none_known(others: Sequence[Finding]) -> str:
    """Returns the title for a run without a problem: "No other problem is known" if a notice in
    `others` may gain much, otherwise "No known problem"."""
    told = (f for f in others if f.kind == NOTICE)
    much = any(f.gains_much or f.is_hint or f.name.startswith(costly.NAME) for f in told)
    return "No other problem is known" if much else "No known problem"


def _nothing(_: Facts) -> None:
    """Returns None: no problem is near to its thresholds."""
    return None


def find(
    facts: Facts,
    others: Sequence[Finding] = (),
    near: Callable[[Facts], Finding | None] = _nothing,
) -> Iterator[Finding]:
    """If no other rule found a problem, yields a finding that the I/O is fine, that the program
    failed, or that the log does not show enough to judge the I/O; otherwise yields nothing. If the
    I/O is fine but the same bytes are moved many times, a notice comes before it. others: findings
    of all other rules, which must therefore run first; near: returns the problem that is nearest to
    its thresholds, or None."""
    if any(f.kind == PROBLEM for f in others):
        return
    failed = failure(facts.log, facts.processes)
    if failed:
        yield _failed(facts, failed)
        return
    if is_unjudged(facts):
        yield _not_judged(facts)
        return
    if (tool := tool_of(facts)) and not cpu_wait.is_little(facts):
        yield Finding(
            NAME,
            f"{tool} does what it is for",
            f"{_begun(_spent(facts))}: {tool} works on the files that it is given. It would be "
            "faster with fewer files, or with one archive instead of many small files.",
            GOOD,
        )
        return
    if not facts.layers and not facts.base_time:
        yield Finding(
            NAME,
            "No I/O was recorded",
            "The log contains no record of I/O: the program did "
            "no I/O on files that Darshan records, or it was not instrumented.",
            GOOD,
        )
        return
    again = list(_again(facts))
    yield from again
    unseen = _HDF5 if any(f.name == "unseen-hdf5" for f in others) else ""
    if cpu_wait.is_little(facts):
        yield Finding(
            NAME,
            _fine(facts, [*others, *again], unseen),
            f"{_begun(_spent(facts))}: {_little(facts, others)}{unseen} {_idle(facts)}".rstrip(),
            GOOD,
            limits=("io.fine", "calls.many"),
        )
    else:
        where = _idle(facts) or spent_on.where(facts, _over(facts))
        unknown = _UNKNOWN if any(f.name == "unseen-mapped" for f in others) else ""
        unknown = unknown or (_PIPES if pipes.may_have_taken_long(facts) else "")
        yield Finding(
            NAME,
            _none_known(others) + (f"; {unknown}" if unknown else ""),
            f"{_begun(_spent(facts))}, and {_missed(near(facts))} {where}".rstrip() + unseen,
            GOOD,
        )
