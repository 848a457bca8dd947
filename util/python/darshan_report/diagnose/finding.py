"""The result of a diagnosis: a finding, with its evidence, potential saving and remedy."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import field

from ..classes import dataclass
from ..show.markup import escaped, table
from ..show.text import shorten_all
from ..units import amount, seconds, share
from .reference import is_link, reference

PROBLEM = "problem"  # costs time or bytes, and the user can change it
NOTICE = "notice"  # something that the log cannot show, or that is worth knowing
FACT = "fact"  # something that took time, without a proposal for a change
GOOD = "good"  # nothing to change
_SEVERAL = 3.0  # ratio of a notice's saving to that of all problems, from which it is shown first
_MUCH = 0.25  # share of the run that a notice may save so that `darshan stat` shows it

# Roles of rules.
CAUSE = "cause"  # names the files that it explains
SYMPTOM = "symptom"  # skipped for files that causes explain
REMARK = "remark"  # reports something that is not a problem
LAST = "last"  # needs the findings of other rules

_NAME = 72  # characters of a record's name in a table of evidence


@dataclass(frozen=True)
class Evidence:
    """One row of evidence: a counter of one record, with the value that darshan-parser prints, or
    the counter's sum over all records."""

    module: str
    record: str  # name of the file or dataset; empty: a sum over all
    counter: str
    value: int | float
    id: int | None = None  # id of the record; None: all records


def _evidence(rows: Sequence[Evidence]) -> str:
    """Returns the rows of evidence as HTML, a table that a click opens; "" without rows."""
    if not rows:
        return ""
    names = shorten_all([row.record for row in rows], _NAME)
    cells = [
        (row.module, name or "(sum over all)", row.counter, f"{row.value:,}")
        for row, name in zip(rows, names)
    ]
    shown = table(("Module", "Record", "Counter", "Value"), cells, 3)
    return f"<details><summary>Evidence</summary>{shown}</details>"


@dataclass(frozen=True)
class Stake:
    """The time and bytes that a change could save at most. `seconds` is summed over all processes.
    Fields that begin with of_ have the whole of which the saving is a part."""

    seconds: float = 0.0  # summed over processes
    of_seconds: float = 0.0  # seconds in which the processes could work, summed
    bytes: int = 0  # that need not be moved
    of_bytes: int = 0  # all bytes that were moved; 0: unknown
    basis: str = ""  # how it was estimated
    same_as: str = ""  # title of an earlier finding that contains the same seconds; empty: none
    partly: bool = False  # that finding contains only some of these seconds
    run: float = 0.0  # seconds of the run's wall time
    of_run: float = 0.0  # seconds of the run in which there was work
    ranks: int = 1  # ranks of a job; run is the time of each of them
    idle: bool = False  # during a part of the run no process worked
    crowded: bool = False  # of_run does not contain waits for a processor
    slowed: bool = False  # of_run does not contain what the recording itself took
    between: float = 0.0  # part of `seconds` between calls
    uncut: float = 0.0  # `seconds` before they were limited to the time in which processes worked
    epochs: int = 0  # epochs of a training in which `run` would be saved; 0: not about epochs

    @property
    def share(self) -> float:
        """The saving as a fraction of the processes' time, 0 to 1; 0 if that time is unknown."""
        return min(1.0, self.seconds / self.of_seconds) if self.of_seconds > 0 else 0.0

    @property
    def without(self) -> str:
        """Text that says what the whole time leaves out of the run's wall time, with a space at its
        end; "" if nothing."""
        work = "of work" if self.idle else ""
        waits = "waits for a processor" if self.crowded else ""
        recording = "the recording itself" if self.slowed else ""
        left_out = " and ".join(filter(None, (waits, recording)))
        both = ", ".join(filter(None, (work, f"without {left_out}" if left_out else "")))
        return f"{both} " if both else ""

    @property
    def brief(self) -> str:
        """Short text with the saved seconds of wall time, and their percentage of the run or of its
        work: "up to 1.2 s, 30 % of the run"; "" if unknown."""
        if self.seconds <= 0 or self.of_run <= 0:
            return ""
        less = self.idle or self.crowded or self.slowed
        of = "of the work" if less else "of the run"
        return f"up to {seconds(self.run)}, {share(self.run, self.of_run)} {of}"

    @property
    def epoch(self) -> float:
        """The seconds of wall time that a change could save in each epoch of a training, on
        average; 0 if the saving is not about epochs."""
        return self.run / self.epochs if self.epochs > 0 else 0.0

    @property
    def _of_epoch(self) -> str:
        return f", {seconds(self.epoch)} per epoch" if self.epochs > 1 else ""

    @property
    def text(self) -> str:
        """The potential saving as text; "" if it is unknown."""
        parts = []
        if self.seconds > 0:
            whole = f" of {seconds(self.of_run)}" if self.of_run > 0 else ""
            whole += f" {self.without}".rstrip() if whole else ""
            each = " per process" if self.ranks > 1 else ""
            parts.append(
                f"up to {seconds(self.run)}{whole}{each} ({share(self.run, self.of_run)})"
                f"{self._of_epoch}"
            )
        if self.bytes > 0:
            whole = f" of {amount(self.of_bytes)}" if self.of_bytes > 0 else ""
            parts.append(f"{amount(self.bytes)}{whole}")
        said = " and ".join(parts)
        if said and self.same_as:
            some = "some of these seconds" if self.partly else "these seconds"
            said += f"; {some} are among those of “{self.same_as}”"
        return said


@dataclass(frozen=True)
class Remedy:
    """A change: its description, and the call, variable or option as the user writes it."""

    text: str  # sentences; empty: no advice
    example: str = ""  # code or commands, mostly lines "LANGUAGE: CODE"; empty: none
    # The remedy keeps a file open, or contents of it in memory. It is right only if no other
    # process reads or writes the file at the same time (remedies/in_common.py).
    alone: bool = False


@dataclass(frozen=True)
class Finding:
    """The result of one diagnosis of a log: a problem, a notice, a fact, or that nothing is to be
    changed (kind). It has a title, a sentence with numbers, what a change may save (stake), the
    counters that prove it (evidence), and the change (remedy)."""

    name: str  # name of the diagnosis; it does not change, for scripts
    title: str
    sentence: str  # the sentence with the numbers
    kind: str = PROBLEM
    stake: Stake = field(default_factory=Stake)
    evidence: tuple[Evidence, ...] = ()
    remedy: Remedy = field(default_factory=lambda: Remedy(""))
    limits: tuple[str, ...] = ()  # names of the thresholds that were exceeded
    covers: frozenset[int] = frozenset()  # ids of the records that the finding explains
    doers: tuple[str, ...] = ()  # names of the programs that caused nearly all of it
    programs: str = ""  # programs of a process tree that caused it, as text; empty: unknown
    processes: int = 0  # number of processes that it is about; 0: unknown
    at: str = ""  # the line of code, if the rule knows it without call sites
    # A notice that may save much time: `darshan stat` shows it if there is no problem.
    is_hint: bool = False

    @property
    def gains_much(self) -> bool:
        """Whether this is a notice with a remedy that may save much of the run."""
        return self.kind == NOTICE and self.stake.share >= _MUCH and bool(self.remedy.text)

    def _repr_html_(self) -> str:
        """Returns HTML for a notebook: title, sentence, potential saving, remedy with its example,
        and the evidence, which a click opens."""
        at, remedy = self.stake.text, self.remedy
        link = html.escape(self.reference)
        more = f', <a href="{link}" target="_blank">more</a>' if is_link(self.reference) else ""
        parts = [
            f"<p><b>{escaped(self.title)}</b> ({escaped(self.kind)}{more})</p>",
            f"<p>{escaped(self.sentence)}</p>",
            f"<p>At stake: {escaped(at)}.</p>" if at else "",
            f"<p>Remedy: {escaped(remedy.text)}</p>" if remedy.text else "",
        ]
        if remedy.example:
            lines = "\n".join(map(escaped, remedy.example.split("\n")))
            parts.append(f"<pre>{lines}</pre>")
        parts.append(_evidence(self.evidence))
        return f"<div>{''.join(parts)}</div>"

    @property
    def reference(self) -> str:
        """The address of the diagnosis's description; only page and anchor if the documentation's
        site is unknown."""
        return reference(self.name)

    @property
    def rank(self) -> tuple[int, float, float, float, str]:
        """The sort key of findings: problems, notices, facts, then what is good; each kind by
        potential saving, the largest first."""
        order = (PROBLEM, NOTICE, FACT, GOOD).index(self.kind)
        at = self.stake
        return (order, -at.seconds, -at.uncut, -float(at.bytes), self.name)


class Findings(list[Finding]):
    """The findings of a log. A notebook shows them one below another."""

    def _repr_html_(self) -> str:
        return "".join(finding._repr_html_() for finding in self)


def shown_first(found: Iterable[Finding]) -> list[Finding]:
    """Returns the findings that every first screen shows, those to be shown first at the begin.
    These are the problems, after hints and notices that may save several times as much as any of
    them. Without a problem, they are the hints; without a hint, the notices that may save much of
    the run."""
    every = sorted(found, key=lambda f: f.rank)
    problems = [f for f in every if f.kind == PROBLEM]
    hints = [f for f in every if f.is_hint]
    notices = [f for f in every if f.gains_much]
    if not problems:
        return hints or notices
    costs = max(f.stake.seconds for f in problems)
    larger = [f for f in every if f in hints or f in notices]
    return [f for f in larger if f.stake.seconds > _SEVERAL * costs > 0] + problems
