"""Chooses which remedies to try, by the findings of a log."""

from __future__ import annotations

from collections.abc import Sequence

from ..classes import dataclass
from ..diagnose.facts import Facts
from ..diagnose.finding import PROBLEM, Finding
from ..diagnose.run import diagnose_facts
from ..library import LogError
from ..log import Log, open_log
from ..measure.processes.processes import processes
from ..report.tried import NOT_TRIED
from .arguments import Options
from .measure import NO_FINDING, NOT_NAMED, Candidate
from .planning.case import Case, Plan, free_memory
from .remedies import REMEDIES, Remedy


@dataclass
class Chosen:
    """The findings of a log, and for each remedy whether it can be tried. `sites` is the same for
    the log of the first run, which has call sites."""

    facts: Facts
    findings: list[Finding]  # the problems
    candidates: list[Candidate]  # one per remedy, in the order of REMEDIES
    asking: dict[str, Finding]  # the finding that a remedy may fix, by the remedy's name

    def __post_init__(self) -> None:
        self.sites = self  # the log with call sites

    @staticmethod
    def of(path: str, options: Options) -> Chosen:
        """Opens the log at `path`, runs the rules on it, and returns the result. Raises LogError if
        it cannot be read."""
        facts = _facts(open_log(path))
        findings = [f for f in diagnose_facts(facts, nearest=False) if f.kind == PROBLEM]
        asking: dict[str, Finding] = {}
        candidates = [_candidate(r, facts, findings, options, asking) for r in REMEDIES]
        return Chosen(facts, findings, candidates, asking)

    def finding_of(self, remedy: str) -> Finding | None:
        """Returns the finding that the remedy of this name may fix; None if there is none."""
        return self.asking.get(remedy)

    @property
    def files(self) -> list[str]:
        """The paths of all files in the log."""
        return [name for name in self.facts.log.names().values() if name.startswith("/")]


def _facts(log: Log) -> Facts:
    try:
        known = processes(log)
    except LogError:
        known = None
    return Facts(log, None, known)


def _asks(remedy: Remedy, findings: Sequence[Finding]) -> list[Finding]:
    return [f for f in findings if f.name.startswith(tuple(remedy.CURES))]


def _candidate(
    remedy: Remedy,
    facts: Facts,
    findings: Sequence[Finding],
    options: Options,
    asking: dict[str, Finding],
) -> Candidate:
    """Returns whether a remedy can be tried, and stores in `asking` the finding that asks for it:
    the first one for which there is a plan, else the first one."""
    asks = _asks(remedy, findings)
    if asks:
        asking[remedy.NAME] = asks[0]
    if options.only and remedy.NAME not in options.only:
        return Candidate(remedy.NAME, None, NOT_NAMED, NOT_TRIED)
    if not asks and not options.all and not options.only:
        return Candidate(remedy.NAME, None, NO_FINDING, NOT_TRIED)
    in_copy = bool(options.copy or options.setup) and not options.yes_repeat
    reasons = []
    choices: Sequence[Finding | None] = asks or [None]
    for finding in choices:
        plan = remedy.plan(Case(facts, finding, free_memory(), in_copy))
        if isinstance(plan, Plan):
            if finding is not None:
                asking[remedy.NAME] = finding
            return Candidate(remedy.NAME, plan)
        reasons.append(plan)
    return Candidate(remedy.NAME, None, reasons[0], NOT_TRIED)


def choose(options: Options) -> str:
    """Returns the output of --list: each remedy and, if a log is given, whether its findings
    propose it."""
    rows = []
    chosen = Chosen.of(options.log, options) if options.log else None
    for number, remedy in enumerate(REMEDIES):
        rows.append(f"{remedy.NAME:<21} {remedy.WHAT}")
        if chosen:
            one, finding = chosen.candidates[number], chosen.finding_of(remedy.NAME)
            why = finding.title if finding else "no finding asks for it"
            rows.append(f"{'':<21} {f'not tried: {one.reason}' if one.reason else why}")
    return "\n".join([*rows, ""])
