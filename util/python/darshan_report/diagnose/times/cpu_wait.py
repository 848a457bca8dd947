"""Computes how much of the time in calls was spent waiting for a processor.

On a busy machine a process may lose its processor in the middle of a read from the page cache. The
call then lasts milliseconds, which a larger buffer would not save. For each process, USAGE has the
time that the kernel worked for it, that it slept, and that it waited for a processor."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...measure.processes.usage import Usage
from ...measure.training import MODULE as TRAINING
from ...units import seconds
from ..facts import Facts, once
from ..finding import PROBLEM, Finding, Stake
from .tree_waits import queued

# A try to make a lock file that waits for a processor waits for the lock all the same.
_SPINS = "spins-for-a-lock"
# Modules whose times are times of system calls; the times of upper layers contain computation.
_SYSTEM = frozenset(("POSIX", "POSIX_EXT", "STDIO", "STDIO_EXT"))
_LITTLE = 0.02  # share of the time in calls; a smaller correction is ignored
# Some kernels count processor time in ticks of this length, in seconds, so that a short process has
# none.
_TICK = 0.01


@once
def real_part(facts: Facts) -> float:
    """Returns the fraction (0 to 1) of the time in system calls that was not spent waiting for a
    lost processor.

    The time is at most what the kernel worked, plus what the process slept and waited after a
    sleep. It is at least the time in calls minus all waits for a lost processor."""
    table = facts.table("USAGE")
    if table is None:
        return 1.0
    known = Usage(table.records)
    in_calls = _in_calls(facts, known)
    told = known.knows("F_BLOCKED_TIME") & known.knows("F_RUNNABLE_TIME")
    after = known.after_sleep
    most = known["F_SYSTEM_TIME"] + known["F_BLOCKED_TIME"] + after + _TICK
    least = in_calls - (known["F_RUNNABLE_TIME"] - after)
    real = np.where(told, np.minimum(in_calls, np.maximum(most, least)), in_calls)
    whole = float(in_calls.sum())
    part = float(real.sum()) / whole if whole > 0 else 1.0
    return part if part < 1 - _LITTLE else 1.0


def _in_calls(facts: Facts, known: Usage) -> np.ndarray:
    """Returns the seconds in system calls on files, for each record of USAGE."""
    copying = _copying(facts)
    tree = facts.tree
    if tree is None or len(known) == 1:
        total = max(0.0, facts.base_time - copying)
        # Only the sum of the I/O time over these records is known.
        lived = known["F_SYSTEM_TIME"] + known["F_BLOCKED_TIME"] + known["F_RUNNABLE_TIME"]
        parts = lived if lived.sum() > 0 else np.ones(len(known))
        return np.asarray(total * parts / parts.sum())
    at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
    spent = np.where(tree.ranks[at] == known.ranks, tree.time[at], 0.0)
    part = 1 - copying / facts.base_time if facts.base_time > copying else 0.0
    return np.asarray(spent * part)


def _copying(facts: Facts) -> float:
    """Returns the seconds in calls on streams that buffers served without a system call; 0 if the
    log has no streams."""
    return 0.0 if facts.streams is None else facts.streams.served


def corrected(facts: Facts, finding: Finding) -> Finding | None:
    """Returns the finding with a potential saving that leaves out the time in which calls waited
    for a processor; None if the remaining saving is too small to report. Findings that are no
    problems are returned unchanged."""
    modules = {e.module for e in finding.evidence}
    at = finding.stake
    # A training's wait for its data takes time of the run, even if no process works meanwhile.
    if finding.kind != PROBLEM or modules <= {TRAINING} or at.seconds <= 0:
        return finding
    if finding.name == _SPINS:
        return finding
    if not modules <= _SYSTEM:
        stake = _reduced(facts, at, _above(facts, at))
        return replace(finding, stake=stake) if facts.worth(stake) else None
    part = real_part(facts)
    if part >= 1:
        return finding
    stake = replace(_reduced(facts, at, part), basis=f"{at.basis}; {words(facts)}")
    return replace(finding, stake=stake) if facts.worth(stake) else None


def _reduced(facts: Facts, at: Stake, part: float) -> Stake:
    """Returns a saving in which the time in calls is multiplied by `part` (0 to 1). The time
    between calls stays, because it is already processor time. A saving that was limited to the time
    of the run is limited again, after the reduction."""
    left = ((at.seconds - at.between) * part + at.between) / at.seconds
    run = max(at.run, at.seconds / facts.at_once) if at.run >= at.of_run > 0 else at.run
    run = min(run * left, at.of_run) if at.of_run > 0 else run * left
    return replace(at, seconds=at.seconds * left, run=run)


def within(at: Stake, fixed: float = 0.0) -> Stake:
    """Returns a saving that is limited to the run's time without waits for a processor, less
    `fixed`: seconds that no remedy saves."""
    if at.of_run <= 0 or at.of_seconds <= 0:
        return at
    seconds_left = min(at.seconds, max(at.of_seconds - fixed, 0.0))
    run, between = min(at.run, max(at.of_run - fixed, 0.0)), min(at.between, seconds_left)
    uncut = max(at.uncut, at.seconds)
    return replace(at, seconds=seconds_left, run=run, between=between, uncut=uncut)


def _above(facts: Facts, at: Stake) -> float:
    """Returns an estimate of the fraction (0 to 1) of a saving in upper libraries that was not
    spent waiting for a processor. These libraries compute, so their fraction is taken to be that of
    all time in which the processes did not sleep."""
    table = facts.table("USAGE")
    if table is None or facts.process_time <= 0 or facts.together:
        return 1.0
    known = Usage(table.records)
    lost, slept = float(known.preempted.sum()), float(known["F_BLOCKED_TIME"].sum())
    awake = max(facts.process_time - slept, lost)
    in_calls = at.seconds - at.between
    if awake <= 0 or in_calls <= 0 or lost <= _LITTLE * facts.process_time:
        return 1.0
    asleep = min(in_calls, slept)
    return (asleep + (in_calls - asleep) * (1 - lost / awake)) / in_calls


@once
def computed(facts: Facts) -> float:
    """Returns the processor time of all processes outside of system calls on files, in seconds;
    infinite if unknown. User time counts as outside; the kernel's time only beyond the part of the
    calls in which no process slept."""
    table = facts.table("USAGE")
    if table is None:
        return math.inf
    known = Usage(table.records)
    user, system = (float(known[name].sum()) for name in ("F_USER_TIME", "F_SYSTEM_TIME"))
    in_calls = (facts.base_time - _copying(facts)) * real_part(facts)
    awake = max(0.0, in_calls - float(known["F_BLOCKED_TIME"].sum()))
    return user + max(0.0, system - awake) if user + system > 0 else math.inf


@once
def computing_part(facts: Facts) -> float:
    """Returns the fraction (0 to 1) of the time that libraries and buffers worked in memory, and
    did not wait for a processor. It is taken to be that of all time outside of system calls in
    which the processes did not sleep. 1 if unknown, or for a run of several programs."""
    table = facts.table("USAGE")
    if table is None or facts.tree is not None:
        return 1.0
    known = Usage(table.records)
    lost = float((known["F_RUNNABLE_TIME"] if facts.together else known.preempted).sum())
    lost -= waited(facts)
    ran = computed(facts)
    if not 0 < ran < math.inf or lost <= _LITTLE * facts.process_time:
        return 1.0
    return ran / (ran + lost)


@once
def runnable(facts: Facts) -> float:
    """Returns the seconds in which the processes waited for a processor, summed; 0 if unknown."""
    table = facts.table("USAGE")
    if table is None:
        return 0.0
    known = Usage(table.records)
    waited = known["F_RUNNABLE_TIME"] if facts.tree is None else queued(facts.tree, known)
    return float(waited.sum())


def used(facts: Facts, processors: int) -> float:
    """Returns the fraction (0 to 1) of the processors' time in which they worked for the run; 1 if
    unknown. processors: their number."""
    table = facts.table("USAGE")
    whole = processors * facts.run_time
    if table is None or whole <= 0:
        return 1.0
    known = Usage(table.records)
    return min(1.0, float((known["F_USER_TIME"] + known["F_SYSTEM_TIME"]).sum()) / whole)


def is_little(facts: Facts) -> bool:
    """Returns whether I/O, without waits for a processor, took at most the share io.fine (a
    threshold) of the processes' time, so that a change is not worthwhile."""
    real = facts.io_time - waited(facts)
    whole = facts.process_time - (runnable(facts) if real_part(facts) < 1 else 0.0)
    return real <= facts.limits["io.fine"] * max(whole, real)


def latency(facts: Facts) -> float:
    """Returns the seconds below which a call is treated as served from memory. The value is larger
    on a busy machine."""
    return facts.limits["stream.latency"] / max(real_part(facts), _LITTLE)


def waited(facts: Facts) -> float:
    """Returns the seconds in system calls spent waiting for a processor, over all processes."""
    return (1 - real_part(facts)) * max(0.0, facts.base_time - _copying(facts))


def words(facts: Facts) -> str:
    """Returns a clause on how long calls waited for a processor, per rank of an MPI job; "" if they
    did not."""
    time = waited(facts)
    if time <= 0:
        return ""
    over = 1 if facts.tree else facts.nprocs
    who = "the processes" if facts.nprocs > 1 or facts.tree else "the process"
    return (
        f"for {seconds(time / over)} of that {who} waited for a processor, which other processes "
        "had"
    )
