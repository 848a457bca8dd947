"""Runs all rules on one log, and sorts the findings by potential saving."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from ..library import LogError
from ..log import Log
from ..measure.processes.processes import processes
from .facts import Facts
from .finding import PROBLEM, Finding, Findings
from .limits import Limits
from .overlap import marked, together
from .programs.responsible_programs import name_programs
from .programs.tools import addressed
from .reached import reaches
from .remedies import in_common
from .remedies.code_examples import fitted
from .rules import CAUSES, REMARKS, SYMPTOMS
from .rules.mpiio import shared_pointer
from .rules.processes import lock_files, ranks_wait, repeated_by_processes, rewritten_by_processes
from .rules.run import (
    between_calls,
    checkpoints,
    conversion,
    costly,
    fine,
    kernel_work,
    long_imports,
    old_pickle,
    pieces_rewritten,
    slow_text,
    time_between,
)
from .rules.streams import stream_each
from .times import awaited, loops
from .times.cpu_wait import corrected, within
from .times.one_rank import scaled
from .training.per_epoch import in_epochs


def diagnose(log: Log, limits: Limits | None = None) -> Findings:
    """Returns the findings of a log: problems first, the costliest of them first. limits:
    thresholds; None for the default.

    A problem is left out if causes that were already found explain all its files and at least half
    of its cost. For example, small reads are left out if a finding says that the dataset is read
    across the order in which it is stored."""
    try:
        known = processes(log)
    except LogError:
        known = None
    return diagnose_facts(Facts(log, limits, known))


def diagnose_facts(facts: Facts, nearest: bool = True) -> Findings:
    """Returns the findings of a log, problems first, from Facts that already exist. nearest: if
    there is no finding, the result says which problem is nearest to its thresholds; looking for it
    doubles the time. Overflow in sums of a damaged log prints no warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _diagnose(facts, _near if nearest else _not_looked_for)


# If processes repeat all of their work, or take turns at a file, the resulting cost in single files
# or calls is not a separate problem.
_WHOLE = (
    lock_files.NAME,
    repeated_by_processes.NAME,
    rewritten_by_processes.NAME,
    shared_pointer.NAME,
    stream_each.NAME,
)


def _told(facts: Facts, find: Callable[[Facts], Iterable[Finding]]) -> list[Finding]:
    """Returns the findings of a rule. Their savings leave out the time in which calls waited for a
    processor; a finding whose remaining saving is too small is left out."""
    said = (corrected(facts, finding) for finding in facts.found(find))
    return [finding for finding in said if finding is not None]


def _not_looked_for(_: Facts) -> None:
    return None


def _problems(facts: Facts) -> list[Finding]:
    """Returns the findings of all rules about causes, and those of rules about symptoms that no
    cause explains."""
    found: list[Finding] = []
    for rule in CAUSES:
        if reaches(facts, rule.find):
            found += _told(facts, rule.find)
    whole = [f for f in found if f.name in _WHOLE]
    found = [f for f in found if f in whole or f.kind != PROBLEM or not _explained(f, whole)]
    causes = list(found)
    for rule in SYMPTOMS:
        for finding in _told(facts, rule.find) if reaches(facts, rule.find) else ():
            if finding.kind != PROBLEM or not _explained(finding, causes):
                found.append(finding)
    return found


def _diagnose(facts: Facts, near: Callable[[Facts], Finding | None]) -> Findings:
    """Runs all rules, and returns their findings with programs, remedies and limited savings,
    ordered as a report shows them. near: returns the problem nearest to its thresholds, for a run
    without findings."""
    found = awaited.told(facts, _problems(facts), _problems)
    fixed = loops.importing(facts)
    found = [replace(finding, stake=within(finding.stake, fixed)) for finding in found]
    found += ranks_wait.find(facts, found)
    found += costly.find(facts, found)
    found += conversion.find(facts, found)
    found += old_pickle.find(facts, found)
    found += between_calls.find(facts, found)
    found += slow_text.find(facts, found)
    found += pieces_rewritten.find(facts, found)
    found += kernel_work.find(facts, found)
    found += time_between.find(facts, found)
    found = checkpoints.without_explained(facts, found)
    for rule in REMARKS:
        found += rule.find(facts)
    kept = [in_common.safe(facts, finding) for finding in found]
    found = _without_theirs([name_programs(facts, finding) for finding in kept])
    named = (addressed(facts, finding) for finding in found)
    found = [_limited(finding, fixed) for finding in named if finding is not None]
    found = [in_epochs(facts, scaled(facts, finding)) for finding in found]
    found += fine.find(facts, found, near)
    said = (fitted(facts, finding) for finding in found)
    return Findings(marked(sorted(said, key=lambda f: f.rank)))


def _limited(finding: Finding, imports: float) -> Finding:
    """Returns a finding whose saving is limited to the working time of the run without `imports`,
    the seconds of imports, which only a finding about imports can save."""
    fixed = 0.0 if finding.name == long_imports.NAME else imports
    return replace(finding, stake=within(finding.stake, fixed))


def _without_theirs(found: list[Finding]) -> list[Finding]:
    """Returns the findings without problems that another finding's remedy also solves: if one
    process in place of many is proposed, that change also saves the calls of the many processes."""
    whole = [f for f in found if f.name in _WHOLE and f.doers]
    return [
        finding
        for finding in found
        if finding in whole
        or finding.kind != PROBLEM
        or not finding.doers
        or not any(
            set(finding.doers) <= set(one.doers) and finding.stake.seconds <= one.stake.seconds
            for one in whole
        )
    ]


# The nearest problem must exceed this share of its thresholds.
_NEAR = 0.25
_LEAST = (
    "stake.share", "stake.seconds", "operations", "files.many", "opens.again", "stats.again",
    "lists.again", "seeks.many", "sync.calls", "stream.calls",
)  # fmt: skip


def _near(facts: Facts) -> Finding | None:
    """Returns the costliest problem that the rules find with lower thresholds of number and cost;
    None if there is none."""
    lower = dict(facts.limits) | {name: facts.limits[name] * _NEAR for name in _LEAST}
    again = Facts(facts.log, Limits(lower), facts.processes)
    told = (f for rule in (*CAUSES, *SYMPTOMS) for f in _told(again, rule.find))
    kept = (in_common.safe(again, f) for f in told if f.kind == PROBLEM)
    said = (addressed(again, name_programs(again, f)) for f in kept)
    found = [f for f in said if f is not None and f.kind == PROBLEM]
    return min(found, key=lambda f: f.rank, default=None)


def _explained(symptom: Finding, causes: list[Finding]) -> bool:
    """Returns whether the causes cover all files of the symptom and at least half of its cost."""
    these = [f for f in causes if f.covers & symptom.covers]
    files = frozenset().union(*(f.covers for f in these))
    at = symptom.stake
    enough = together(these) >= (at.seconds - at.between) / 2
    return bool(symptom.covers) and symptom.covers <= files and enough
