"""Time in calls that was waiting for a processor.  On a busy machine a process may lose its
processor in the middle of a read that the page cache answers: the call then lasts milliseconds,
and no larger buffer would save them.  USAGE tells how long the kernel worked for a process, how
long the process slept, and how long it waited for a processor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..measure.usage import Usage
from ..summary.units import seconds
from .facts import Facts, once
from .finding import PROBLEM, Finding

# Modules whose times are times of calls of the system; what is above computes as well.
_SYSTEM = frozenset(("POSIX", "POSIX_EXT", "STDIO", "STDIO_EXT"))
_LITTLE = 0.02  # of the time in calls: a correction by less is none


@once
def real_part(facts: Facts) -> float:
    """The part of the time in system calls that was no waiting for a processor, 0 to 1: at most
    what the kernel worked and the process slept, but no less than what is left when all of its
    waiting for a processor was in these calls."""
    table = facts.table("USAGE")
    if table is None:
        return 1.0
    known = Usage(table.records)
    in_calls = _in_calls(facts, known)
    told = known.knows("F_BLOCKED_TIME") & known.knows("F_RUNNABLE_TIME")
    most = known["F_SYSTEM_TIME"] + known["F_BLOCKED_TIME"]
    least = in_calls - known["F_RUNNABLE_TIME"]
    real = np.where(told, np.minimum(in_calls, np.maximum(most, least)), in_calls)
    whole = float(in_calls.sum())
    part = float(real.sum()) / whole if whole > 0 else 1.0
    return part if part < 1 - _LITTLE else 1.0


def _in_calls(facts: Facts, known: Usage) -> np.ndarray:
    """Seconds in system calls on files, for each record of USAGE."""
    copying = _copying(facts)
    tree = facts.tree
    if tree is None or len(known) == 1:
        total = max(0.0, facts.base_time - copying)
        # All that is known of several records is their sum.
        lived = known["F_SYSTEM_TIME"] + known["F_BLOCKED_TIME"] + known["F_RUNNABLE_TIME"]
        parts = lived if lived.sum() > 0 else np.ones(len(known))
        return np.asarray(total * parts / parts.sum())
    at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
    spent = np.where(tree.ranks[at] == known.ranks, tree.time[at], 0.0)
    part = 1 - copying / facts.base_time if facts.base_time > copying else 0.0
    return np.asarray(spent * part)


def _copying(facts: Facts) -> float:
    """Seconds in calls of streams that their buffers answered: no system call was made."""
    streams = facts.streams
    if streams is None or not streams.known:
        return 0.0
    spent = streams.table["F_READ_TIME"] + streams.table["F_WRITE_TIME"]
    below = streams.time("READ") + streams.time("WRITE")
    return float(np.maximum(0.0, spent - below)[streams.files].sum())


def corrected(facts: Facts, finding: Finding) -> Finding | None:
    """The finding with what its change could really save; None: that is not worth a word."""
    modules = {e.module for e in finding.evidence}
    if finding.kind != PROBLEM or not modules or not modules <= _SYSTEM:
        return finding
    part = real_part(facts)
    at = finding.stake
    if part >= 1 or at.seconds <= 0:
        return finding
    stake = replace(
        at,
        seconds=at.seconds * part,
        run=at.run * part,
        basis=f"{at.basis}; {words(facts)}",
    )
    # Nor is the time that it is a part of any waiting for a processor.
    whole = max(at.of_seconds - runnable(facts), stake.seconds)
    worth = facts.worth(replace(stake, of_seconds=whole))
    return replace(finding, stake=stake) if worth else None


@once
def runnable(facts: Facts) -> float:
    """Seconds in which the processes waited for a processor, as far as the kernel tells."""
    table = facts.table("USAGE")
    return 0.0 if table is None else float(Usage(table.records)["F_RUNNABLE_TIME"].sum())


def is_little(facts: Facts) -> bool:
    """Whether so little of the time was I/O that there is nothing to change."""
    real = facts.io_time - waited(facts)
    whole = facts.process_time - (runnable(facts) if real_part(facts) < 1 else 0.0)
    return real <= facts.limits["io.fine"] * max(whole, real)


def latency(facts: Facts) -> float:
    """Seconds of a call below which memory answered it; on a busy machine more."""
    return facts.limits["stream.latency"] / max(real_part(facts), _LITTLE)


def waited(facts: Facts) -> float:
    """Seconds in system calls that were waiting for a processor, over all processes."""
    return (1 - real_part(facts)) * max(0.0, facts.base_time - _copying(facts))


def words(facts: Facts) -> str:
    """How much of the time in calls was something else; empty: nothing of it."""
    time = waited(facts)
    if time <= 0:
        return ""
    over = 1 if facts.tree else facts.nprocs
    who = "the processes" if facts.nprocs > 1 or facts.tree else "the process"
    return (
        f"for {seconds(time / over)} of that {who} waited for a processor, which other programs had"
    )
