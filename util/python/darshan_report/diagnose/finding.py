"""What a diagnosis says: one finding, with its evidence and its remedy."""

from __future__ import annotations

from dataclasses import dataclass, field

from .reference import reference

PROBLEM = "problem"  # costs time or bytes, and can be changed
NOTICE = "notice"  # what the log cannot show, or what is worth knowing
GOOD = "good"  # nothing to change


@dataclass(frozen=True)
class Evidence:
    """One row that the finding rests on, as darshan-parser prints it."""

    module: str
    record: str  # name of the file or dataset; empty: a sum over all
    counter: str
    value: int | float
    id: int | None = None  # of the record; None: of all


@dataclass(frozen=True)
class Stake:
    """What could be won: at most this much.  of: the whole that it is a part of."""

    seconds: float = 0.0  # summed over processes
    of_seconds: float = 0.0  # in which the processes could work, added up
    bytes: int = 0
    of_bytes: int = 0
    basis: str = ""  # how it was estimated
    same_as: str = ""  # title of the finding before that claims these seconds, too
    run: float = 0.0  # seconds of the run's wall time
    of_run: float = 0.0  # seconds of it in which there was work
    ranks: int = 1  # of a job, which are alike: each has these seconds

    @property
    def share(self) -> float:
        """Part of the processes' time, 0 to 1; 0 where it is not known."""
        return min(1.0, self.seconds / self.of_seconds) if self.of_seconds > 0 else 0.0


@dataclass(frozen=True)
class Remedy:
    """What to change: the sentence, and the call, variable or option as one writes it."""

    text: str
    example: str = ""


@dataclass(frozen=True)
class Finding:
    """The result of one diagnosis."""

    name: str  # of the diagnosis: stable, for scripts
    title: str
    sentence: str  # with the numbers
    kind: str = PROBLEM
    stake: Stake = field(default_factory=Stake)
    evidence: tuple[Evidence, ...] = ()
    remedy: Remedy = field(default_factory=lambda: Remedy(""))
    limits: tuple[str, ...] = ()  # names of the thresholds that were passed
    covers: frozenset[int] = frozenset()  # ids of the records that it explains
    programs: str = ""  # of a tree: which of them did it, in words; empty: not known

    def _repr_html_(self) -> str:
        from ..notebook import finding_html  # noqa: PLC0415 - for notebooks alone

        return finding_html(self)

    @property
    def reference(self) -> str:
        """Where the diagnosis is described: an address, or page and anchor where none is known."""
        return reference(self.name)

    @property
    def rank(self) -> tuple[int, float, float, str]:
        """Sorts findings: problems first, by what is at stake."""
        order = (PROBLEM, NOTICE, GOOD).index(self.kind)
        return (order, -self.stake.seconds, -float(self.stake.bytes), self.name)


class Findings(list[Finding]):
    """The findings of a log, which a notebook shows one below the other."""

    def _repr_html_(self) -> str:
        return "".join(finding._repr_html_() for finding in self)
