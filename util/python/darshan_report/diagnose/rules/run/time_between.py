"""Most of the run passes between the calls of one loop, and no finding tells the reason. The log
does not show what happens there, but it shows the line of the loop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ....call_sites import told
from ....call_sites.lines import Line
from ....call_sites.measured import LONG, MEDIUM, READ, SHORT, WRITE
from ....measure.processes.usage import usage_of
from ....units import amount, count, seconds, share
from ...facts import Facts
from ...finding import FACT, LAST, PROBLEM, Finding
from ...times.ledger import BETWEEN, COMPUTING, ledger
from ...times.loops import loops_of
from ...times.unjudged import kernel_work
from ...training.data_loader import is_of_worker
from ...training.loading import verdicts

NAME = "costly-between"
ROLE = LAST
_MOSTLY = 0.5  # share of the run
_HALF = 0.5  # share of this time that other findings must explain so that this one is left out
_FEW = 0.1  # share of the calls below which those of the other direction are not named
_NAME = 40  # characters of a function's name in the title
_ROUNDS = 3  # reads and writes of a loop, and long gaps of a site; less shows no repetition


def _moving(loop: Line) -> int:
    """Returns the number of a loop's reads and writes."""
    return int(sum(s.sums.calls_of[READ] + s.sums.calls_of[WRITE] for s in loop.sites))


def _worked(facts: Facts, loop: Line) -> float:
    """Returns an upper bound of the seconds in which the processes worked that made a loop's calls:
    for workers of a DataLoader the time in which they made batches, else the processor time of the
    processes; infinite if unknown."""
    if all(is_of_worker(site) for site in loop.sites):
        return sum(made.whole for v in verdicts(facts) for made in v.loader.by_worker)
    known = usage_of(facts.log)
    if loop.sums.ranks is None or known is None:
        return math.inf
    there = np.isin(known.ranks, np.array(sorted(loop.sums.ranks), "i8"))
    ran = float((known["F_USER_TIME"] + known["F_SYSTEM_TIME"])[there].sum())
    return ran if ran > 0 else math.inf


def passed(facts: Facts, loop: Line) -> float:
    """Returns the seconds in gaps before a loop's calls. Long gaps of a call site with only one or
    two in each process do not count: they may be the time before the loop. The result is at most
    the time in which the loop's own processes worked: a worker that is idle between its batches,
    while another process works, has long gaps, too."""
    found = 0.0
    for sums in (site.sums for site in loop.sites):
        many = sums.pauses >= _ROUNDS * max(1, sums.processes)
        found += sums.gaps[SHORT] + sums.gaps[MEDIUM] + (sums.gaps[LONG] if many else 0.0)
    return min(found, _worked(facts, loop))


def _in_steps(facts: Facts) -> float:
    """Returns the seconds of the steps of trainings, which the section about training tells."""
    return sum(v.loader.sums.own for v in verdicts(facts))


def longest(facts: Facts) -> Line | None:
    """Returns the loop of reads or writes before whose calls most time passed; None if there is no
    such loop."""
    known = loops_of(facts)
    loops = [loop for loop in known.groups if _moving(loop) >= _ROUNDS] if known else []
    return max(loops, key=lambda loop: passed(facts, loop), default=None)


def _reason(facts: Facts, spent: float) -> str:
    """Returns a sentence on what the program may do between the calls. spent: seconds between
    them."""
    work = kernel_work(facts)
    if work is not None and work.seconds >= _HALF * spent:
        return (
            f"The kernel worked for up to {seconds(work.seconds)} outside of recorded calls: for "
            "calls of the C library itself (localtime looks at /etc/localtime each time, unless TZ "
            "is set), for locks of threads, sockets, or new memory; the log does not show which."
        )
    return (
        "The program or a library computes there, or waits for another thread; the log does not "
        "show which, but a profiler does."
    )


def _through(loop: Line) -> str:
    """Returns the function of a library through which the program made the calls of a loop before
    which most time passed; "" if it made them itself, or if the name is long."""
    site = max(loop.sites, key=lambda site: sum(site.sums.gaps))
    name = told.library_call(site)
    return name if len(name) <= _NAME else ""


def _title(loop: Line) -> str:
    """Returns the title of the finding about a loop."""
    calls = [sum(s.sums.calls_of[kind] for s in loop.sites) for kind in (READ, WRITE)]
    what = "calls" if min(calls) > _FEW * sum(calls) else ("reads", "writes")[calls[0] < calls[1]]
    if through := _through(loop):
        return f"Most of the run passes between the {what} of {through}"
    return f"Most of the run passes between the {what} of a loop"


def _rate(loop: Line, spent: float) -> str:
    """Returns words on the bytes of a loop's calls, for each second between them. spent: seconds
    between them, above 0."""
    moved = int(loop.sums.read + loop.sums.written)
    return f": {amount(moved)}, {amount(round(moved / spent))} for each second" if moved else ""


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a fact on the loop before whose calls most of the run passes. Yields nothing if there
    is no such loop, or if the steps of a training take this time, or if `others` has a problem, or
    a notice on this time, which says more. Also yields nothing if the loop is in an installed
    program of a run of several, such as a compressor in a pipeline: it mostly waits for them."""
    known = loops_of(facts)
    if known is None or any(finding.kind == PROBLEM for finding in others):
        return
    loop = longest(facts)
    if loop is None or (facts.tree and not any(site.is_users for site in loop.sites)):
        return
    rows = ledger(facts)
    own = rows[BETWEEN] + rows[COMPUTING]
    most = passed(facts, loop)
    is_known = usage_of(facts.log) is not None
    spent = min(most, own) if own > 0 or is_known else known.overlap * most
    stake = facts.stake(0.0, "", between=spent)
    claimed = sum(finding.stake.between for finding in others)
    if _in_steps(facts) >= _HALF * spent:
        return
    if stake.share < _MOSTLY or claimed >= _HALF * spent or not facts.worth(stake):
        return
    yield Finding(
        NAME,
        _title(loop),
        f"Before the {count(_moving(loop))} reads and writes of a loop, {seconds(stake.run)} of "
        f"{seconds(stake.of_run)} {stake.without}({share(stake.run, stake.of_run)}) passed"
        f"{_rate(loop, stake.run)}. {_reason(facts, spent)}",
        FACT,
        limits=("stake.seconds",),
    )
