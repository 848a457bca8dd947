"""Lists the changes that a user has to make in the program, because no remedy can be applied from
outside. They come from findings of a log that no run of the trial measured: the line of code and
the change."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ..classes import dataclass
from ..diagnose.facts import Facts
from ..diagnose.finding import Finding
from ..report.tried import CHANGED
from .choose import Chosen
from .keep import labelled, line_of
from .measure import NOT_APPLICABLE
from .planning.case import Case, Plan, free_memory
from .remedies import REMEDIES

_MOST = 5  # findings
_ROWS = 2  # of an example; a longer one has a row for each of many languages


@dataclass(frozen=True)
class Edit:
    """A finding, and the change of the program that it proposes."""

    finding: str  # name of its diagnosis
    title: str
    stake: float  # potential saving: seconds over all processes
    place: str  # "train.py:4"; empty: unknown
    text: str  # the change, in sentences
    rows: list[str] = field(default_factory=list)  # code as the user writes it; empty: none

    @property
    def as_json(self) -> dict[str, Any]:
        """The change as a dictionary for JSON."""
        return {
            "finding": self.finding, "title": self.title, "stake_seconds": self.stake,
            "at": self.place, "remedy": self.text, "write": self.rows,
        }  # fmt: skip


def _is_tried(finding: Finding, chosen: Chosen) -> bool:
    """Returns whether runs of the trial measured a remedy that could fix this finding."""
    names = {
        c.name for c in chosen.candidates
        if c.plan and not c.plan.costs and c.state not in (CHANGED, NOT_APPLICABLE)
    }  # fmt: skip
    case = Case(chosen.facts, finding, free_memory(), in_copy=True)
    return any(
        remedy.NAME in names
        and finding.name.startswith(tuple(remedy.CURES))
        and isinstance(remedy.plan(case), Plan)
        for remedy in REMEDIES
    )


def _edit(facts: Facts, finding: Finding) -> Edit:
    place, ending, _ = line_of(facts, finding, Plan())
    rows = labelled(finding.remedy.example.split("\n"), facts, ending, programs=finding.programs)
    return Edit(
        finding.name, finding.title, finding.stake.seconds, place or finding.at,
        finding.remedy.text, rows if len(rows) <= _ROWS else [],
    )  # fmt: skip


def by_hand(chosen: Chosen) -> list[Edit]:
    """Returns at most _MOST changes for the log's findings whose remedy no run measured, the
    largest potential saving first. chosen: findings, and the remedies after the trial."""
    left = [f for f in chosen.findings if f.remedy.text and not _is_tried(f, chosen)]
    left = [f for f in left if not f.stake.same_as]
    left.sort(key=lambda f: f.rank)
    return [_edit(chosen.sites.facts, finding) for finding in left[:_MOST]]
