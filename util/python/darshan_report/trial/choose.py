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
from .planning.case import Case, free_memory
from .remedies import REMEDIES, Remedy


@dataclass
class Chosen:
    """The findings of a log, and for each remedy whether it can be tried."""

    facts: Facts
    findings: list[Finding]
    candidates: list[Candidate]

    def __post_init__(self) -> None:
        self.sites = self  # the log with call sites

    @staticmethod
    def of(path: str, options: Options) -> Chosen:
        """Opens a log and runs the rules on it. Raises LogError if it cannot be read."""
        facts = _facts(open_log(path))
        findings = [f for f in diagnose_facts(facts, nearest=False) if f.kind == PROBLEM]
        return Chosen(facts, findings, [_candidate(r, facts, findings, options) for r in REMEDIES])

    def finding_of(self, remedy: str) -> Finding | None:
        """Returns the finding that the remedy of this name may fix; None if there is none."""
        return next((_asks(r, self.findings) for r in REMEDIES if remedy == r.NAME), None)

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


def _asks(remedy: Remedy, findings: Sequence[Finding]) -> Finding | None:
    return next((f for f in findings if f.name.startswith(tuple(remedy.CURES))), None)


def _candidate(
    remedy: Remedy, facts: Facts, findings: Sequence[Finding], options: Options
) -> Candidate:
    finding = _asks(remedy, findings)
    if options.only and remedy.NAME not in options.only:
        return Candidate(remedy.NAME, None, NOT_NAMED, NOT_TRIED)
    if finding is None and not options.all and not options.only:
        return Candidate(remedy.NAME, None, NO_FINDING, NOT_TRIED)
    in_copy = bool(options.copy or options.setup) and not options.yes_repeat
    plan = remedy.plan(Case(facts, finding, free_memory(), in_copy))
    if isinstance(plan, str):
        return Candidate(remedy.NAME, None, plan, NOT_TRIED)
    return Candidate(remedy.NAME, plan)


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
