"""Alternates runs without a remedy and runs with each remedy until there are enough pairs of
times."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import field

from ..classes import dataclass
from ..report.tried import CHANGED, HELPED, MEASURED, NOT_HELPED, UNDECIDED
from .comparing.outputs import Mask, Output, differences, mask_of
from .comparing.values import pythons
from .comparing.verdict import PILOT, Verdict, pairs_needed, verdict
from .planning.case import Plan
from .running.ground import TrialError
from .running.runs import LEAST_LIMIT, LIMIT, Run, Runner, check, first_problem
from .running.stopped import TooLongError

NOT_APPLICABLE = "not applicable"
# Why most remedies are not tried.
UNASKED = NO_FINDING, NOT_NAMED = "no finding asks for it", "not named by --only"
_MORE = 3  # number of runs that show whether the remedy changed the output
_MOST_DROPPED = 5  # pairs
_UNKNOWN = PILOT  # pairs that are wanted before the pilot is over


@dataclass
class Candidate:
    """A remedy of a trial: how it is applied or why it is not tried, the seconds of its pairs of
    runs (without and with it) so far, and its result. state: empty while pairs are still
    measured."""

    name: str
    plan: Plan | None  # None: the remedy is not tried
    reason: str = ""  # reason why it is not tried, or why it failed
    state: str = ""  # HELPED, NOT_HELPED, CHANGED, ...; empty: still measured
    without: list[float] = field(default_factory=list)  # seconds
    with_it: list[float] = field(default_factory=list)
    wanted: int = _UNKNOWN  # pairs
    log: str = ""  # path of the log of its last run
    found: Verdict | None = None  # None: not measured, or not with enough pairs
    dropped: int = 0  # pairs whose output differed in the same way as without the remedy

    def add(self, without: float, with_it: float) -> None:
        """Adds a pair of runs: seconds without the remedy, and with it."""
        self.without.append(without)
        self.with_it.append(with_it)
        if len(self.without) == PILOT:
            self.wanted = pairs_needed(self.without, self.with_it)

    def end(self) -> None:
        """Sets the result: helped, did not help, measured (for a plan that is no remedy), or
        undecided if there are too few pairs."""
        if self.state or self.plan is None:
            return
        if len(self.without) < PILOT:
            self.state, self.reason = UNDECIDED, "the budget ended before enough pairs were made"
            return
        self.found = verdict(self.without, self.with_it)
        self.state = HELPED if self.found.helped else NOT_HELPED
        if self.plan.costs:
            self.state = MEASURED


@dataclass
class Trial:
    """The runs of a trial and the comparison of their outputs. first() must be called before
    second(), and second() before measure()."""

    runner: Runner
    same: str  # command of --same
    ignored: Sequence[str]  # patterns of --ignore
    ends: float  # when the budget ends, by time.monotonic()
    say: Callable[[str], None]  # prints progress
    mask: Mask = field(default_factory=Mask)  # differences that are not compared
    baseline: list[float] = field(default_factory=list)  # seconds of runs without a remedy
    log: str = ""  # path of the log of the second run

    def first(self, limit: float | None) -> Run:
        """Runs the program without a remedy and with call sites. This run is the reference for
        outputs; its time is not counted. Returns the run. limit: seconds after which it is killed;
        None: no limit. Raises TooLongError, and TrialError if there is no log."""
        self.runner.limit = limit
        self.say("run 1: without a remedy, to know the program's output")
        run = self.runner.run(sites=True)
        check(run)
        self._reference = self.runner.keep_files(run, "reference").output
        return run

    def second(self) -> None:
        """Runs the program again without a remedy, to learn which outputs differ between runs
        anyway, and how long a run takes. Raises TrialError if the user's own comparison finds a
        difference."""
        self.say("run 2: without a remedy, to know which output differs between two runs")
        run = self._without()
        self.runner.limit = max(LIMIT * run.seconds, LEAST_LIMIT)
        self.log = run.log
        self._round = run.seconds
        if not self.same:
            self.mask = self._mask(run.output)
        elif differs := self._differences(run.output):
            raise TrialError(f"two runs without a remedy differ: {differs[0]}")

    def measure(self, candidates: Sequence[Candidate]) -> None:
        """Makes rounds of runs until each candidate has enough pairs or the budget is over, and
        sets the candidates' results. A round has a run without a remedy and one run with each
        remedy. Raises TrialError if a run without a remedy fails."""
        while alive := [c for c in candidates if self._goes_on(c)]:
            begin = time.monotonic()
            if begin + self._round * (1 + len(alive)) > self.ends:
                break
            done = max(len(c.without) for c in alive)
            names = ", ".join(c.name for c in alive)
            self.say(f"pair {done + 1} of {alive[0].wanted}: without and with {names}")
            base = self._without()
            self.baseline.append(base.seconds)
            self._widen(base.output)
            for one in alive:
                self._try(one, base.seconds)
        for one in candidates:
            one.end()

    def _without(self) -> Run:
        """Runs the program without a remedy. Returns the run. Raises TrialError if it does not end
        like the first run."""
        try:
            run = self.runner.run()
        except TooLongError as error:
            raise TrialError(f"a run without a remedy {error}") from None
        status, first = run.output.status, self._reference.status
        if status != first:
            raise TrialError(
                f"a run without a remedy ended with status {status}, the first one with {first}: "
                f"{first_problem(run)}"
            )
        return run

    def _varies(self) -> bool:
        """Makes further runs without a remedy. Returns whether their output differs in a part that
        was compared, which is not compared any more. Raises TrialError if the user's own comparison
        finds a difference."""
        for _ in range(_MORE):
            if time.monotonic() + self._round > self.ends:
                return False
            output = self._without().output
            if self.same and (differs := self._differences(output)):
                raise TrialError(f"two runs without a remedy differ: {differs[0]}")
            more = Mask() if self.same else self._mask(output)
            if not self.mask.covers(more):
                self.mask.add(more)
                return True
        return False

    def _goes_on(self, one: Candidate) -> bool:
        return one.plan is not None and not one.state and len(one.without) < one.wanted

    def _widen(self, output: Output) -> None:
        """Adds to the mask the differences in the output of another run without a remedy. Does
        nothing if the user gave a command that compares outputs."""
        if not self.same:
            self.mask.add(self._mask(output))

    def _mask(self, output: Output) -> Mask:
        """Returns the differences between the output of the first run and `output`, which is that
        of another run without a remedy."""
        return mask_of(self._reference, output, self.ignored, pythons(self.runner.command))

    def _try(self, one: Candidate, without: float) -> None:
        """Runs the program with a remedy. Adds the pair of runs to the remedy, or ends the remedy
        if the run took too long or its output differs. without: seconds of the run without it."""
        try:
            run = self.runner.run(one.plan)
        except TooLongError as error:
            one.state, one.reason = NOT_APPLICABLE, str(error)
            return
        one.log = run.log
        differs = self._differences(run.output)
        if differs and one.dropped < _MOST_DROPPED and self._varies():
            one.dropped += 1
            return
        if differs:
            one.state, one.reason = CHANGED, "; ".join(differs[:3])
            return
        one.add(without, run.seconds)

    def _differences(self, output: Output) -> list[str]:
        """Returns how the output of a run differs from that of the first run, as text for each
        part; [] if it does not. The user's command (--same) decides if there is one."""
        if not self.same:
            return list(differences(self._reference, output, self.mask))
        if output.status != self._reference.status:
            return [f"exit status {output.status} instead of {self._reference.status}"]
        done = subprocess.run(
            ["/bin/sh", "-c", f'{self.same} "$@"', "sh", self._reference.folder, output.folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "STDOUT": self._reference.stdout, "STDOUT_NOW": output.stdout},
            check=False,
        )
        return [f"the command of --same ended with {done.returncode}"] if done.returncode else []


def together(candidates: Sequence[Candidate]) -> Candidate | None:
    """Returns a new candidate that applies all remedies that helped at once; None if fewer than two
    did."""
    helped = [c for c in candidates if c.state == HELPED and c.plan is not None]
    if len(helped) < 2:
        return None
    plans = [c.plan for c in helped if c.plan is not None]
    variables: dict[str, str] = {}
    for plan in plans:
        variables.update(plan.variables)
    setting = ";".join(plan.setting for plan in plans if plan.setting)
    names = next((plan.names for plan in plans if plan.names), ())
    return Candidate("+".join(c.name for c in helped), Plan(setting, variables, names))
